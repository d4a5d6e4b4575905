// rename.md 1 to 3: what may be renamed to what, the candidate, and the preview's bytes.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { utf8 } from "../../src/kernel/bytes.ts";
import { domainDigest } from "../../src/kernel/digest.ts";
import type { Outcome } from "../../src/kernel/failure.ts";
import { buildSnapshot } from "../../src/project/load.ts";
import { applyPatch } from "../../src/project/rename-patch.ts";
import {
  buildPlan,
  deriveCandidate,
  differsInNamesOnly,
  factsOf,
  planRename,
  type RenamePlan,
  type RenameRequest,
  sameFacts,
} from "../../src/project/rename-plan.ts";
import { renderReceipt } from "../../src/project/rename-preview.ts";
import type { Snapshot } from "../../src/project/snapshot.ts";
import { FIXTURES } from "../support/projects.ts";
import { SHOP } from "../support/rename-project.ts";
import { fixtureSnapshot, snapshotOf } from "../support/snapshots.ts";

const decoder = new TextDecoder();
const shop = snapshotOf(SHOP);
const calculator = fixtureSnapshot("calculator");

function request(targetId: string, from: string, to: string): RenameRequest {
  return { targetId, from, to };
}

/** `CODE words` of a refusal; "" for a plan. */
function refusal(outcome: Outcome<unknown>): string {
  return outcome.ok ? "" : outcome.failure.map(({ code, message }) => `${code} ${message}`).join("; ");
}

function planned(snapshot: Snapshot, asked: RenameRequest): RenamePlan {
  const outcome = planRename(snapshot, asked);
  if (!outcome.ok) throw new Error(refusal(outcome));
  return outcome.value;
}

const textOf = (plan: RenamePlan) => decoder.decode(plan.candidateBytes);
const long = (length: number) => "n".repeat(length);

describe("rows 5 to 11 (N2): each refusal, and the earlier of two neighbours (N66)", () => {
  test.each<[string, RenameRequest, string]>([
    ["5: target_id", request(long(129), "line", "row"), "SPX-J109 target_id has over 128 bytes"],
    [
      "5: target_id in bytes",
      request("é".repeat(65), "line", "row"),
      "SPX-J109 target_id has over 128 bytes",
    ],
    ["5: from", request("shop.line", long(129), "row"), "SPX-J109 from has over 128 bytes"],
    ["5: to", request("shop.line", "line", long(129)), "SPX-J109 to has over 128 bytes"],
    ["5: in order", request(long(129), long(129), long(129)), "SPX-J109 target_id has over 128 bytes"],
    ["5: in order", request("shop.line", long(129), long(129)), "SPX-J109 from has over 128 bytes"],
    ["5 before 6", request("shop.nope", long(129), long(129)), "SPX-J109 from has over 128 bytes"],
    ["6", request("shop.line", "line", "line"), "SPX-J109 from and to are the same"],
    ["6 before 7", request("shop.nope", "line", "line"), "SPX-J109 from and to are the same"],
    ["7", request("shop.nope", "line", "row"), "SPX-J109 target_id is no function here"],
    ["7: at its length", request(long(128), "line", "row"), "SPX-J109 target_id is no function here"],
    ["7: a module", request("shop.totals", "line", "row"), "SPX-J109 target_id is no function here"],
    [
      "7: the compiler's",
      request("core.option.some", "Some", "row"),
      "SPX-J109 target_id is no function here",
    ],
    ["8", request("auto:shop.tests.helper", "helper", "row"), "SPX-J109 target has no @id of its own"],
    [
      "8 before 10",
      request("auto:shop.tests.helper", "nope", "row"),
      "SPX-J109 target has no @id of its own",
    ],
    ["9", request("shop.cut", "cut", "row"), "SPX-J109 target is not exported"],
    ["9 before 10", request("shop.cut", "nope", "row"), "SPX-J109 target is not exported"],
    ["10", request("shop.line", "total", "row"), "SPX-J109 from is not the current name"],
    [
      "10: never trimmed (N12)",
      request("shop.line", "line ", "row"),
      "SPX-J109 from is not the current name",
    ],
    ["10: at its length", request("shop.line", long(128), "row"), "SPX-J109 from is not the current name"],
    ["10: an alias elsewhere", request("shop.total", "down", "row"), "SPX-J109 from is not the current name"],
    ["10 before 11", request("shop.line", "total", "1st"), "SPX-J109 from is not the current name"],
  ])("row %s", (_, asked, expected) => {
    expect(refusal(planRename(shop, asked))).toBe(expected);
  });

  test.each([
    "1st",
    "é",
    "a-b",
    "a.b",
    "a b",
    " a",
    "a ",
    " ",
    "\u00a0",
    "a\u00a0",
    "\u2003a",
    "@a",
    "a\u0301",
    "a()",
    "fn a",
  ])("row 11: %j is no symbol name (N12)", (to) => {
    expect(refusal(planRename(shop, request("shop.line", "line", to)))).toBe(
      "SPX-G103 to cannot be a symbol",
    );
  });

  test("row 11: a name of 128 bytes passes", () => {
    expect(textOf(planned(shop, request("shop.line", "line", long(128))))).toContain(`fn ${long(128)}(`);
  });
});

describe("row 12: the candidate's sources together", () => {
  /** The shop as if its first source had so many bytes. */
  function grown(bytes: number): Snapshot {
    return { ...shop, sources: shop.sources.map((facts, at) => (at === 0 ? { ...facts, bytes } : facts)) };
  }
  const plan = planned(shop, request("shop.line", "line", "row"));
  const others = (shop.sources[1]?.bytes ?? 0) + (shop.sources[3]?.bytes ?? 0);
  const room = 16_777_216 - others - plan.candidateBytes.length;

  test("16777216 bytes pass, one more is J109", () => {
    expect(refusal(deriveCandidate(grown(room), plan.request))).toBe("");
    expect(refusal(deriveCandidate(grown(room + 1), plan.request))).toBe(
      "SPX-J109 candidate sources are too long",
    );
  });

  test("11 before 12, and 12 before 13", () => {
    const bad = request("shop.line", "line", "1st");
    expect(refusal(planRename(grown(room + 99), bad))).toBe("SPX-G103 to cannot be a symbol");
    const taken = request("shop.line", "line", "total");
    expect(refusal(planRename(grown(room + 99), taken))).toBe("SPX-J109 candidate sources are too long");
  });
});

describe("row 13: the complete build of the candidate (N5, N6, N13)", () => {
  test.each<[string, RenameRequest, string]>([
    ["another function of the file", request("shop.line", "line", "total"), "SPX-S101"],
    ["a forbidden word that is still called", request("shop.line", "line", "fn"), "SPX-S104"],
    ["result", request("shop.line", "line", "result"), "SPX-S104"],
    ["if", request("shop.line", "line", "if"), "SPX-P106"],
    ["match", request("shop.line", "line", "match"), "SPX-P106"],
    ["true", request("shop.line", "line", "true"), "SPX-P202"],
    ["if where nothing calls it", request("shop.total", "total", "if"), "SPX-S104"],
    ["an import alias of the file", request("shop.line", "line", "down"), "SPX-G172"],
    ["main with another signature", request("shop.line", "line", "main"), "SPX-T104"],
    ["main renamed away", request("shop.app.main", "main", "start"), "SPX-G172"],
  ])("%s", (_, asked, code) => {
    const outcome = planRename(shop, asked);
    expect(outcome.ok ? "" : outcome.failure[0].code).toBe(code as never);
  });

  test("main with its signature in a provider is G172", () => {
    const files = {
      ...SHOP,
      "lib/totals.spx": `${SHOP["lib/totals.spx"]}\n@id("shop.one")\nfn one() -> i64\n{\n    1\n}\n`,
      "semaprax.toml": SHOP["semaprax.toml"]!.replace('"shop.line",', '"shop.line", "shop.one",'),
    };
    const outcome = planRename(snapshotOf(files), request("shop.one", "one", "main"));
    expect(outcome.ok ? "" : outcome.failure[0].code).toBe("SPX-G172");
  });

  test.each([
    "count",
    "net",
    "value",
    "use",
    "type",
    "record",
    "i64",
    "Option",
    "None",
    "_",
    "_1",
    "A",
    "cut",
  ])("%s is accepted (N5)", (to) => {
    expect(textOf(planned(shop, request("shop.line", "line", to)))).toContain(`fn ${to}(count: i64`);
  });

  test("diagnostics lie in the candidate's text", () => {
    const outcome = planRename(shop, request("shop.line", "line", "total"));
    expect(outcome).toMatchObject({ ok: false, failure: [{ path: "lib/totals.spx", span: { line: 13 } }] });
  });

  test("the retained snapshot is not touched", () => {
    const before = JSON.stringify(factsOf(shop));
    planned(shop, request("shop.line", "line", "row"));
    expect(JSON.stringify(factsOf(shop))).toBe(before);
  });
});

describe("the candidate (N7, N10, N14)", () => {
  test("the declaration and every call, in bodies and clauses, and nothing else of that name", () => {
    expect(textOf(planned(shop, request("shop.line", "line", "row")))).toBe(`module shop.totals;
use function @id("shop.cut") from shop.rates as down;

@id("shop.line")
fn row(count: i64, cents: i64) -> i64
    requires count >= 0
    ensures result == count * cents
{
    if count == 0 { 0 } else { cents + row(count - 1, cents) }
}

@id("shop.total")
fn total(line: i64, cents: i64) -> i64
    requires row(line, cents) >= 0
{
    let down = row(line, cents);
    let net = row(1, down(down, 5));
    net + line
}
`);
  });

  test("functions, ids, edges and their order are those of the base", () => {
    const candidate = deriveCandidate(shop, request("shop.line", "line", "row"));
    if (!candidate.ok) throw new Error(refusal(candidate));
    const sources = shop.program.files.map(({ source }, at) =>
      at === candidate.value.file ? candidate.value.source : source,
    );
    const built = buildSnapshot(shop.manifest, shop.manifestBytes, sources);
    if (!built.ok) throw new Error(refusal(built));
    expect(built.value.program.functionIds).toEqual(shop.program.functionIds);
    expect(differsInNamesOnly(shop, built.value)).toBe(true);
    expect(built.value.projectRevision).not.toBe(shop.projectRevision);
  });

  test("another program is J109, whatever it is called", () => {
    const other = snapshotOf({
      ...SHOP,
      "tests.spx": SHOP["tests.spx"]!.replace("line(2, 15)", "line(2, 15) + line(0, 1)"),
    });
    expect(differsInNamesOnly(shop, other)).toBe(false);
    const renamed = snapshotOf({ ...SHOP, "tests.spx": SHOP["tests.spx"]!.replaceAll("helper", "helped") });
    expect(differsInNamesOnly(shop, renamed)).toBe(false);
    // The build of a candidate for the other project, compared with this one.
    const candidate = deriveCandidate(shop, request("shop.line", "line", "row"));
    if (!candidate.ok) throw new Error(refusal(candidate));
    const mixed = { ...shop, graph: other.graph };
    expect(refusal(buildPlan(mixed, candidate.value))).toBe("SPX-J109 candidate is another program");
  });

  test("renaming back gives the base again (N75)", () => {
    const { candidateBytes } = planned(shop, request("shop.line", "line", "row"));
    const there = snapshotOf({ ...SHOP, "lib/totals.spx": decoder.decode(candidateBytes) });
    const back = planned(there, request("shop.line", "row", "line"));
    expect(textOf(back)).toBe(SHOP["lib/totals.spx"]!);
    expect(sameFacts(back.candidate, factsOf(shop))).toBe(true);
    expect(sameFacts(back.candidate, factsOf(there))).toBe(false);
  });
});

describe("the patch (N9, A9)", () => {
  const plan = planned(calculator, request("calculator.add", "add", "sum"));
  const source = { path: "src/core.spx", bytes: calculator.program.files[1]!.source.bytes };

  test("is two lines, 106 bytes for the worked example", () => {
    expect(decoder.decode(plan.patch)).toBe(
      "base sha256:0dd9966b407c727742661a8e398eb0a01601d20ec0bc6b36b0e82f3ecdd06c36\nrename calculator.add to sum\n",
    );
    expect(plan.patch.length).toBe(106);
  });

  test("gives the candidate again from the bytes alone", () => {
    const again = applyPatch(plan.patch, source);
    expect(again.ok && decoder.decode(again.value)).toBe(textOf(plan));
  });

  test.each<[string, Uint8Array, Uint8Array]>([
    ["other bytes", plan.patch, utf8(`${decoder.decode(source.bytes)}\n`)],
    ["no patch", utf8(""), source.bytes],
    ["a third line", utf8(`${decoder.decode(plan.patch)}\n`), source.bytes],
    ["no last LF", plan.patch.subarray(0, -1), source.bytes],
    ["another target", utf8(decoder.decode(plan.patch).replace(".add", ".nope")), source.bytes],
  ])("is refused with %s", (_, patch, bytes) => {
    const outcome = applyPatch(patch, { ...source, bytes });
    expect(outcome.ok ? "" : outcome.failure[0].code).toBe("SPX-J109");
  });
});

describe("the preview and the receipt (N16 to N19)", () => {
  const lines = readFileSync(join(FIXTURES, "sessions", "calculator-v3-rename.jsonl"), "utf8").split("\n");
  const plan = planned(calculator, request("calculator.add", "add", "sum"));

  test("the worked example, byte for byte", () => {
    expect(`{"jsonrpc":"2.0","id":6,"result":{"preview":${decoder.decode(plan.preview)}}}`).toBe(lines[11]!);
    expect(`{"jsonrpc":"2.0","id":9,"result":${decoder.decode(renderReceipt(plan))}}`).toBe(lines[17]!);
  });

  test("the digest covers the artifact without its member (N18)", () => {
    const text = decoder.decode(plan.preview);
    const member = `,"preview_digest":"${plan.previewDigest}"`;
    expect(text.endsWith(`${member}}`)).toBe(true);
    expect(domainDigest("semaprax.project-rename-preview.payload.v1", text.replace(member, ""))).toBe(
      plan.previewDigest,
    );
  });

  test("the same names give the same bytes, other names others (N19)", () => {
    const again = planned(fixtureSnapshot("calculator"), plan.request);
    expect(again.preview).toEqual(plan.preview);
    const other = planned(calculator, request("calculator.add", "add", "total"));
    expect(other.previewDigest).not.toBe(plan.previewDigest);
  });

  test("65536 bytes pass, one more is J109 (row 13)", () => {
    // No admitted path is that long; the build does not mind one.
    const previewOf = (path: string, to: string): Outcome<RenamePlan> => {
      const sources = calculator.program.files.map(({ source }, at) =>
        at === 1 ? { ...source, path } : source,
      );
      const base = buildSnapshot(calculator.manifest, calculator.manifestBytes, sources);
      if (!base.ok) throw new Error(refusal(base));
      return planRename(base.value, request("calculator.add", "add", to));
    };
    // The path stands in the artifact three times, the name once.
    const overhead = plan.preview.length - 3 * "src/core.spx".length - "sum".length;
    const room = 65_536 - overhead;
    const path = `s${"x".repeat(Math.floor((room - 3) / 3) - 1)}`;
    const name = "n".repeat(room - 3 * path.length);
    const fits = previewOf(path, name);
    expect(fits.ok && fits.value.preview.length).toBe(65_536);
    expect(refusal(previewOf(path, `${name}n`))).toBe("SPX-J109 preview is too long");
  });
});
