import { describe, expect, test } from "bun:test";
import { editDistance, nearestName } from "../../src/cli/nearest-name.ts";

describe("nearest name (L9)", () => {
  const distances: readonly [string, string, number][] = [
    ["", "", 0],
    ["", "abc", 3],
    ["abc", "", 3],
    ["left", "left", 0],
    ["left", "lef", 1],
    ["left", "lefts", 1],
    ["left", "lift", 1],
    ["right", "rihgt", 1],
    ["kitten", "sitting", 3],
  ];
  test.each(distances)("from %p to %p is %d", (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance);
    expect(editDistance(to, from)).toBe(distance);
  });

  const nearest: readonly [string, readonly string[], string | null][] = [
    ["rihgt", ["left", "right"], "right"],
    ["lef", ["right", "left"], "left"],
    ["Left", ["lefts", "left"], "left"],
    ["x", ["y", "X"], "X"],
    ["x", ["y", "z"], null],
    ["ab", ["ac"], null],
    ["abc", ["abd"], "abd"],
    ["abc", ["ade"], null],
    ["abcdef", ["abcdxy"], "abcdxy"],
    ["abcdef", ["abcxyz"], null],
    ["cat", ["car", "cot"], "car"],
    ["calculator.ad", ["calculator.add"], "calculator.add"],
    ["calculator.app", ["calculator.add"], null],
    ["calculator.app", ["calculatr.app"], "calculatr.app"],
    ["src/cor.spx", ["src/app.spx", "src/core.spx"], "src/core.spx"],
    ["name", ["name"], null],
    ["name", [], null],
    ["a".repeat(64), ["a".repeat(63)], "a".repeat(63)],
    ["a".repeat(65), ["a".repeat(64)], null],
    ["a".repeat(64), ["a".repeat(65)], null],
  ];
  test.each(nearest)("to %p among %j is %p", (name, candidates, expected) => {
    expect(nearestName(name, candidates)).toBe(expected);
  });
});
