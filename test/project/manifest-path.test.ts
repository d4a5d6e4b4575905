import { describe, expect, test } from "bun:test";
import { locateManifest, sourceDirectories } from "../../src/project/manifest-path.ts";

function locate(given: string, workingDirectory = "/w/d") {
  const outcome = locateManifest(given, () => workingDirectory);
  return outcome.ok ? outcome.value : outcome.failure[0].code;
}

describe("P1 to P4", () => {
  test.each<[string, string, string, [string, ...string[]]]>([
    ["semaprax.toml", "/w/d/semaprax.toml", "semaprax.toml", ["/", "/w", "/w/d"]],
    ["a/semaprax.toml", "/w/d/a/semaprax.toml", "semaprax.toml", ["/", "/w", "/w/d", "/w/d/a"]],
    ["/semaprax.toml", "/semaprax.toml", "semaprax.toml", ["/"]],
    ["//a///semaprax.toml", "/a/semaprax.toml", "semaprax.toml", ["/", "/a"]],
    ["/a/./semaprax.toml", "/a/semaprax.toml", "semaprax.toml", ["/", "/a"]],
    ["/./a/semaprax.toml", "/a/semaprax.toml", "semaprax.toml", ["/", "/a"]],
    ["a/./././semaprax.toml", "/w/d/a/semaprax.toml", "semaprax.toml", ["/", "/w", "/w/d", "/w/d/a"]],
    ["...", "/w/d/...", "...", ["/", "/w", "/w/d"]],
    ["a..b/.c", "/w/d/a..b/.c", ".c", ["/", "/w", "/w/d", "/w/d/a..b"]],
    ["-x", "/w/d/-x", "-x", ["/", "/w", "/w/d"]],
  ])("%j leads to %j", (given, path, name, directories) => {
    expect(locate(given)).toEqual({ path, name, directories, asksForDirectory: false });
  });

  test("a working directory that is / itself", () => {
    expect(locate("semaprax.toml", "/")).toMatchObject({ path: "/semaprax.toml", directories: ["/"] });
  });

  test.each(["a/", "a/.", "a//", "a/./", "/a/semaprax.toml/", "/a/semaprax.toml/."])(
    "P3 %j asks for a folder",
    (given) => {
      expect(locate(given)).toMatchObject({ asksForDirectory: true });
    },
  );

  test.each(["", ".", "./", "./semaprax.toml", "././a", "..", "../semaprax.toml", "a/../semaprax.toml"])(
    "P2 %j is J100",
    (given) => {
      expect(locate(given)).toBe("SPX-J100");
    },
  );

  test.each(["/", "//", "/.", "/./", "/..", "/a/..", "/a/../", "a/.."])("P2 %j is J100", (given) => {
    expect(locate(given)).toBe("SPX-J100");
  });

  test("a working directory without an absolute path is J102, an absolute manifest does not ask for it", () => {
    expect(locate("semaprax.toml", "(unreachable)/x")).toBe("SPX-J102");
    expect(locate("/a/semaprax.toml", "(unreachable)/x")).toMatchObject({ path: "/a/semaprax.toml" });
  });
});

test("P5 the directories between the root and a source", () => {
  expect(sourceDirectories("/r", "a.spx")).toEqual([]);
  expect(sourceDirectories("/r", "a/b/c.spx")).toEqual(["/r/a", "/r/a/b"]);
  expect(sourceDirectories("/", "a/b/c.spx")).toEqual(["/a", "/a/b"]);
});
