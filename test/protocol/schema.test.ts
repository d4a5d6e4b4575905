// The generated schema document: no drift, and what it can and cannot express (R111-R113).
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "zod";
import { buildSchemaDocument, type JsonObject } from "../../src/protocol/index.ts";
import { REQUESTS } from "../../src/protocol/schema/methods.ts";
import { schemaText } from "../../src/protocol/schema/document.ts";

const ROOT = join(import.meta.dir, "..", "..");
const COMMITTED = join(ROOT, "src/protocol/schema/agent-protocol-1.0.schema.json");

// In strict mode the validator also refuses a document with unknown or contradictory keywords.
const ajv = new Ajv2020({ strict: true, strictTypes: "log", allowUnionTypes: false });
const accepts = ajv.compile(buildSchemaDocument());

interface Case {
  readonly name: string;
  readonly requirements: readonly string[];
  readonly message?: JsonObject;
  readonly text?: string;
  readonly request?: { readonly method: string };
  readonly result?: JsonObject;
  readonly expect?: string;
}

function cases(file: string): Case[] {
  return JSON.parse(readFileSync(join(ROOT, "fixtures/protocol", `${file}.json`), "utf8")).cases;
}

describe("the document", () => {
  test("R112: it is the committed file, byte for byte", () => {
    expect(readFileSync(COMMITTED, "utf8")).toBe(schemaText());
  });

  test("R111: the identity, one alternative per kind of message, all results", () => {
    const document = buildSchemaDocument();
    expect(document["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(document["$id"]).toBe("urn:agent-protocol:schema:1.0");
    expect(document["oneOf"]).toBeArrayOfSize(13 + 9 + 2);
    const names = Object.keys(document["$defs"] as object);
    for (const method of Object.keys(REQUESTS)) expect(names).toContain(`Result:${method}`);
    for (const name of [
      "Id",
      "Ref",
      "Timestamp",
      "Event",
      "Thread",
      "Turn",
      "Item",
      "Action",
      "StreamHead",
    ]) {
      expect(names).toContain(name);
    }
  });

  test("R2: it is fresh each time, and zod's global registry knows nothing of it", () => {
    buildSchemaDocument()["oneOf"] = [];
    expect(buildSchemaDocument()["oneOf"]).toBeArrayOfSize(24);
    expect(
      Object.values(REQUESTS).some(
        ({ params, result }) => z.globalRegistry.has(params) || z.globalRegistry.has(result),
      ),
    ).toBe(false);
  });
});

/** R113: what only the running code refuses, by the names of the recorded cases. */
const NOT_EXPRESSIBLE: Readonly<Record<string, readonly string[]>> = {
  bytes: ["reference of 256 characters but more bytes"],
  depth: ["nesting of 33"],
  "number range inside free JSON": ["integer beyond the safe range inside a payload"],
  "calendar days": ["30 February"],
  "distinctness in arrays": ["capability offered twice"],
  "cross-field rules": [
    "cancel of itself",
    "task reference without project reference",
    "event receive whose envelope task differs",
    "task transition without a task reference",
    "stream id without cursor",
    "required capability that was not offered",
    "approval whose digest is of another action",
    "turn scope of an approval without its thread",
  ],
};

describe("R113: what it accepts", () => {
  test.each(cases("messages-accepted").map((one) => [one.name, one] as const))("%s", (_, { message }) => {
    expect([accepts(message), accepts.errors]).toEqual([true, null]);
  });

  test.each(
    cases("messages-rejected")
      .filter(({ message }) => message !== undefined)
      .map((one) => [one.name, one] as const),
  )("refused as far as it can say so: %s", (name, { message }) => {
    const isExpressible = !Object.values(NOT_EXPRESSIBLE).flat().includes(name);
    expect(accepts(message)).toBe(!isExpressible);
  });

  test("every case that it cannot refuse is a recorded one", () => {
    const names = cases("messages-rejected").map(({ name }) => name);
    expect(
      Object.values(NOT_EXPRESSIBLE)
        .flat()
        .filter((name) => !names.includes(name)),
    ).toEqual([]);
  });
});

/** Results that only their request can refuse: another identity, page or selection than was asked for. */
const NEEDS_REQUEST: readonly string[] = [
  "status: other event",
  "report: acceptance of a transition nobody asked for",
  "report: a requested transition cannot be not_requested",
  "initialize: capability that was not offered",
  "initialize: required capability missing",
  "resume: empty page with another cursor",
  "resume: skipped event",
  "resume: other stream",
  "resume: event of another stream inside",
  "approval: decision for another action",
  "turn start: turn of another thread",
  "thread read: turns although not asked",
  "steer: other turn",
  "thread resume: other thread",
  "thread read: a turn of another thread",
  "receive: other delivery attempt",
  "report: other report",
  "cancel: other request",
];

describe("R24, R113: results, as far as they can be judged without their request", () => {
  test.each(cases("results").map((one) => [one.name, one] as const))("%s", (name, one) => {
    const definition = `Result:${one.request?.method}`.replaceAll("/", "~1");
    const validate = ajv.compile({ $ref: `urn:agent-protocol:schema:1.0#/$defs/${definition}` });
    expect(validate(one.result)).toBe(one.expect === "ok" || NEEDS_REQUEST.includes(name));
  });
});
