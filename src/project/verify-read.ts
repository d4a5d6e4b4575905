/**
 * The verifier's reader: takes exactly the members of X46 in exactly their order, and stops at the first surprise. So
 * its time is bounded by what it expects and not by what a hostile text contains.
 */
import type { Envelope, EnvelopeOutcome, EnvelopeStatus } from "./verify-text.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** No integer that is allowed here has more digits. */
const DIGITS_MAX = 16;

/** X22. */
const NONCLAIMS = [
  "in_process_reference_interpreter_only",
  "no_target_execution",
  "no_filesystem_process_or_backend_authority",
  "no_test_discovery",
  "no_cache_or_persistence",
] as const;

/** An envelope with the members and types of X46, or words about where it departs. The bytes must be one JSON text. */
export function readEnvelope(bytes: Uint8Array): Envelope | string {
  const cursor = new Cursor(bytes);
  const envelope = cursor.object(() => ({
    schema: cursor.string("schema"),
    project_schema: cursor.string("project_schema"),
    project: cursor.string("project"),
    project_revision: cursor.string("project_revision"),
    workspace_revision: cursor.string("workspace_revision"),
    role: cursor.string("role"),
    module: cursor.string("module"),
    stable_id: cursor.string("stable_id"),
    limits: cursor.member("limits", () => readLimits(cursor)),
    fuel: cursor.member("fuel", () => readFuel(cursor)),
    outcome: cursor.member("outcome", () => readOutcome(cursor)),
    nonclaims: cursor.member("nonclaims", () => cursor.strings(NONCLAIMS)),
    payload_digest: cursor.string("payload_digest"),
  }));
  cursor.end();
  return cursor.fault ?? envelope;
}

function readLimits(cursor: Cursor): Envelope["limits"] {
  return cursor.object(() => ({
    max_bytes: cursor.integer("max_bytes"),
    max_steps: cursor.integer("max_steps"),
  }));
}

function readFuel(cursor: Cursor): Envelope["fuel"] {
  return cursor.object(() => ({
    steps_used: cursor.integer("steps_used"),
    max_steps: cursor.integer("max_steps"),
  }));
}

/** The three shapes differ in the member after `kind`. */
function readOutcome(cursor: Cursor): EnvelopeOutcome {
  return cursor.object(() => {
    const kind = cursor.string("kind");
    switch (cursor.nextName()) {
      case "type":
        return { kind, type: cursor.string("type"), value: cursor.string("value") };
      case "status":
        return { kind, status: cursor.member("status", () => readStatus(cursor)) };
      default:
        return { kind };
    }
  });
}

function readStatus(cursor: Cursor): EnvelopeStatus {
  return cursor.object(() => ({
    schema: cursor.string("schema"),
    domain_id: cursor.string("domain_id"),
    code: cursor.integer("code"),
    class: cursor.string("class"),
    retryable: cursor.boolean("retryable"),
  }));
}

/**
 * Reads from front to back. After the first surprise `fault` says what it was, nothing is read any more, and the
 * values returned mean nothing.
 */
class Cursor {
  fault: string | null = null;
  private at = 0;
  /** Whether a comma must come before the next member or element. */
  private needsComma = false;

  constructor(private readonly bytes: Uint8Array) {}

  /** `{`, what `members` reads, `}`. */
  object<T>(members: () => T): T {
    this.expect("{", "an object");
    this.needsComma = false;
    const value = members();
    this.expect("}", "the end of an object");
    this.needsComma = true;
    return value;
  }

  member<T>(name: string, value: () => T): T {
    this.separate(name);
    if (this.text(name) !== name) this.fail(`the next member is not ${name}`);
    this.expect(":", name);
    const result = value();
    this.needsComma = true;
    return result;
  }

  string(name: string): string {
    return this.member(name, () => this.text(name));
  }

  /** X45. */
  integer(name: string): number {
    return this.member(name, () => {
      const word = this.word();
      const value = Number(word);
      if (!/^\d+$/.test(word) || value > Number.MAX_SAFE_INTEGER)
        this.fail(`${name} is not an unsigned integer`);
      return value;
    });
  }

  boolean(name: string): boolean {
    return this.member(name, () => {
      const word = this.word();
      if (word !== "true" && word !== "false") this.fail(`${name} is not true or false`);
      return word === "true";
    });
  }

  /** An array of exactly these strings. */
  strings(values: readonly string[]): readonly string[] {
    this.expect("[", "an array");
    this.needsComma = false;
    for (const value of values) {
      this.separate(value);
      if (this.text(value) !== value) this.fail(`the next element is not ${value}`);
      this.needsComma = true;
    }
    this.expect("]", "the end of an array");
    return values;
  }

  /** The name of the next member of an object that has members already, or null at its end. */
  nextName(): string | null {
    this.skipWhiteSpace();
    if (this.bytes[this.at] !== ",".charCodeAt(0)) return null;
    const { at } = this;
    this.at++;
    const name = this.text("a member");
    this.at = at;
    return name;
  }

  /** Nothing but white space is left. */
  end(): void {
    this.skipWhiteSpace();
    if (this.at < this.bytes.length) this.fail("something follows the envelope");
  }

  private fail(words: string): void {
    this.fault ??= words;
  }

  private separate(what: string): void {
    if (this.needsComma) this.expect(",", what);
  }

  private expect(character: string, what: string): void {
    this.skipWhiteSpace();
    if (this.bytes[this.at] === character.charCodeAt(0)) this.at++;
    else this.fail(`${what} is missing`);
  }

  /** A string; its end is the first quotation mark that no backslash precedes. */
  private text(what: string): string {
    this.skipWhiteSpace();
    const { bytes, at: start } = this;
    if (bytes[start] !== QUOTE) this.fail(`${what} is not a string`);
    if (this.fault !== null) return "";
    let at = start + 1;
    while (bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    this.at = at + 1;
    return decodeString(bytes.subarray(start, this.at));
  }

  /** A number or a word: what stands before white space, comma or bracket, or too much of it to be any of ours. */
  private word(): string {
    this.skipWhiteSpace();
    let word = "";
    while (word.length <= DIGITS_MAX) {
      const character = String.fromCharCode(this.bytes[this.at] ?? 0);
      if (!/[-+.0-9A-Za-z]/.test(character)) break;
      word += character;
      this.at++;
    }
    return word;
  }

  private skipWhiteSpace(): void {
    const { bytes } = this;
    for (;;) {
      const byte = bytes[this.at];
      if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return;
      this.at++;
    }
  }
}

/** A valid JSON string with its quotation marks. */
function decodeString(bytes: Uint8Array): string {
  const value: unknown = JSON.parse(decoder.decode(bytes));
  if (typeof value !== "string") throw new Error("a JSON string is a string");
  return value;
}
