/**
 * One pass over a JSON text: grammar, depth, duplicate keys, and where the members of the outer objects are (D22, D23,
 * D65, D76). Nothing is materialised; strings and numbers are read later, by whoever wants them, from the ranges noted
 * here. There is no recursion, and time is linear apart from the sorting of keys.
 */
import { KeyComparison } from "./json-keys.ts";
import { isUnsigned64, readUnsigned, scanNumber } from "./json-number.ts";
import { readString, scanString } from "./json-string.ts";

/** The most arrays and objects that may be open at once (D22, D65). */
export const JSON_DEPTH_MAX = 127;

/** Members for which the scanner has room from the start; a larger list is not kept between two texts. */
const MEMBERS_KEPT = 256;

export type JsonFault = "syntax" | "duplicate";

export const enum JsonKind {
  Object,
  Array,
  String,
  Number,
  Boolean,
  Null,
}

/** The layout of a member: a record of numbers in one array. Ranges of strings exclude the quotation marks. */
const enum Field {
  KeyStart,
  KeyEnd,
  KeyEscaped,
  ValueStart,
  ValueEnd,
  Kind,
  /** The member whose value contains this one, or `NONE`. */
  Parent,
  /** The member before this one in the same object, or `NONE`. */
  Previous,
  Size,
}

/** The layout of an open array or object. */
const enum Level {
  IsObject,
  /** How many members there were when it was opened. */
  Base,
  /** Its last member so far, or `NONE`. */
  Last,
  /** How many members it has so far. */
  Count,
  /** The member whose value contains it, or `NONE`. */
  Parent,
  Size,
}

/** What may come next, white space aside. */
const enum Expect {
  Value,
  ElementOrEnd,
  Key,
  KeyOrEnd,
  CommaOrEnd,
  Nothing,
}

/** In place of a member: there is none. The parent of the members of the outermost object. */
export const NONE = -1;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const TRUE = [0x74, 0x72, 0x75, 0x65];
const FALSE = [0x66, 0x61, 0x6c, 0x73, 0x65];
const NULL = [0x6e, 0x75, 0x6c, 0x6c];

/**
 * A scanner can be used for any number of texts; what it notes of one is gone with the next `scan`. Members are
 * numbers below `memberCount`, in the order of the text, those of objects nested deeper than `recordedDepth` left out
 * (the outermost object has depth 1).
 */
export class JsonScanner {
  memberCount = 0;
  /** The kind of the outermost value. */
  rootKind = JsonKind.Null;
  private members = new Int32Array(MEMBERS_KEPT * Field.Size);
  private bytes: Uint8Array = new Uint8Array(0);
  private readonly levels: Int32Array;
  private readonly keys = new KeyComparison();
  /** The depth at the moment. */
  private depth = 0;
  private duplicate = false;

  constructor(
    private readonly recordedDepth: number,
    private readonly depthMax: number = JSON_DEPTH_MAX,
  ) {
    this.levels = new Int32Array((depthMax + 1) * Level.Size);
  }

  /**
   * Scans `bytes`, which must be valid UTF-8. Null if they are one JSON text without duplicate keys. A syntax error
   * anywhere wins over a duplicate anywhere (D23); after either nothing may be asked about members.
   */
  scan(bytes: Uint8Array): JsonFault | null {
    this.bytes = bytes;
    this.memberCount = 0;
    this.depth = 0;
    this.duplicate = false;
    if (this.members.length > MEMBERS_KEPT * Field.Size) {
      this.members = new Int32Array(MEMBERS_KEPT * Field.Size);
    }
    if (!this.walk()) return "syntax";
    return this.duplicate ? "duplicate" : null;
  }

  /** The member before `member` in the same object, or {@link NONE}. */
  previous(member: number): number {
    return this.field(member, Field.Previous);
  }

  /** The member whose value contains `member`; {@link NONE} for the members of the outermost object. */
  parent(member: number): number {
    return this.field(member, Field.Parent);
  }

  kind(member: number): JsonKind {
    return this.field(member, Field.Kind);
  }

  /** The bytes between a key's quotation marks, escapes and all, as a view. */
  rawKey(member: number): Uint8Array {
    return this.bytes.subarray(this.field(member, Field.KeyStart), this.field(member, Field.KeyEnd));
  }

  /** A key, unescaped. */
  key(member: number): string {
    return readString(this.bytes, this.field(member, Field.KeyStart), this.field(member, Field.KeyEnd));
  }

  /** A value as it is written, as a view; of a string the bytes between the quotation marks. */
  rawValue(member: number): Uint8Array {
    return this.bytes.subarray(this.field(member, Field.ValueStart), this.field(member, Field.ValueEnd));
  }

  /** The value of a member whose kind is String, unescaped. */
  string(member: number): string {
    return readString(this.bytes, this.field(member, Field.ValueStart), this.field(member, Field.ValueEnd));
  }

  /** Whether a value is an unsigned integer literal of at most 64 bits (D24, D26). */
  isUnsigned(member: number): boolean {
    if (this.kind(member) !== JsonKind.Number) return false;
    return isUnsigned64(this.bytes, this.field(member, Field.ValueStart), this.field(member, Field.ValueEnd));
  }

  /** The value of a member for which {@link isUnsigned} holds; 2^53 - 1 stands for everything above it. */
  unsigned(member: number): number {
    return readUnsigned(this.bytes, this.field(member, Field.ValueStart), this.field(member, Field.ValueEnd));
  }

  private field(member: number, field: Field): number {
    return this.members[member * Field.Size + field]!;
  }

  /** Whether the bytes are one JSON text. */
  private walk(): boolean {
    const { bytes } = this;
    let expect = Expect.Value;
    let at = 0;
    for (;;) {
      at = skipWhiteSpace(bytes, at);
      if (at === bytes.length) return expect === Expect.Nothing;
      const byte = bytes[at]!;
      switch (expect) {
        case Expect.ElementOrEnd:
        case Expect.Value:
          if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
            if (!this.open(at, byte === OPEN_BRACE)) return false;
            expect = byte === OPEN_BRACE ? Expect.KeyOrEnd : Expect.ElementOrEnd;
            at++;
          } else if (byte === CLOSE_BRACKET && expect === Expect.ElementOrEnd) {
            expect = this.close(++at);
          } else {
            at = this.scalar(at, byte);
            expect = this.depth === 0 ? Expect.Nothing : Expect.CommaOrEnd;
          }
          break;
        case Expect.KeyOrEnd:
        case Expect.Key:
          if (byte === QUOTE) {
            at = this.member(at + 1);
            expect = Expect.Value;
          } else if (byte === CLOSE_BRACE && expect === Expect.KeyOrEnd) {
            expect = this.close(++at);
          } else {
            return false;
          }
          break;
        case Expect.CommaOrEnd:
          if (byte === COMMA) expect = this.inObject() ? Expect.Key : Expect.Value;
          else if (byte === (this.inObject() ? CLOSE_BRACE : CLOSE_BRACKET)) expect = this.close(at + 1);
          else return false;
          at++;
          break;
        case Expect.Nothing:
          return false;
      }
      if (at < 0) return false;
    }
  }

  private inObject(): boolean {
    return this.levels[this.depth * Level.Size + Level.IsObject] === 1;
  }

  /** Goes one level deeper, unless that is too deep. */
  private open(at: number, isObject: boolean): boolean {
    const { levels } = this;
    this.note(at, at, isObject ? JsonKind.Object : JsonKind.Array);
    const outer = this.depth * Level.Size;
    if (this.depth === this.depthMax) return false;
    this.depth++;
    const level = this.depth * Level.Size;
    const isInMember = levels[outer + Level.IsObject] === 1;
    levels[level + Level.Parent] =
      this.depth === 1 ? NONE : levels[outer + (isInMember ? Level.Last : Level.Parent)]!;
    levels[level + Level.IsObject] = isObject ? 1 : 0;
    levels[level + Level.Base] = this.memberCount;
    levels[level + Level.Last] = NONE;
    levels[level + Level.Count] = 0;
    return true;
  }

  /** Leaves a level; `end` is the place after its bracket. */
  private close(end: number): Expect {
    const { levels } = this;
    const level = this.depth * Level.Size;
    const count = levels[level + Level.Count]!;
    if (count > 1 && !this.duplicate) this.compareKeys(levels[level + Level.Last]!, count);
    if (this.depth > this.recordedDepth) this.memberCount = levels[level + Level.Base]!;
    this.depth--;
    if (this.depth === 0) return Expect.Nothing;
    if (this.inObject()) {
      this.members[this.levels[this.depth * Level.Size + Level.Last]! * Field.Size + Field.ValueEnd] = end;
    }
    return Expect.CommaOrEnd;
  }

  private compareKeys(last: number, count: number): void {
    this.keys.begin(count);
    for (let member = last; member !== NONE; member = this.previous(member)) {
      const escaped = this.field(member, Field.KeyEscaped) === 1;
      this.keys.add(this.field(member, Field.KeyStart), this.field(member, Field.KeyEnd), escaped);
    }
    this.duplicate = this.keys.hasDuplicate(this.bytes);
  }

  /** Notes the member whose key starts at `start`. Returns the place after its colon, or -1. */
  private member(start: number): number {
    const scanned = scanString(this.bytes, start);
    if (scanned < 0) return -1;
    const end = scanned >> 1;
    const colon = skipWhiteSpace(this.bytes, end + 1);
    if (colon === this.bytes.length || this.bytes[colon] !== COLON) return -1;
    const { levels } = this;
    const level = this.depth * Level.Size;
    const at = this.memberCount * Field.Size;
    if (at === this.members.length) this.members = grown(this.members);
    const { members } = this;
    members[at + Field.KeyStart] = start;
    members[at + Field.KeyEnd] = end;
    members[at + Field.KeyEscaped] = scanned & 1;
    members[at + Field.Parent] = levels[level + Level.Parent]!;
    members[at + Field.Previous] = levels[level + Level.Last]!;
    levels[level + Level.Last] = this.memberCount;
    levels[level + Level.Count]!++;
    this.memberCount++;
    return colon + 1;
  }

  /** Checks the string, number or word at `at`. Returns the place after it, or -1. */
  private scalar(at: number, byte: number): number {
    if (byte === QUOTE) {
      const scanned = scanString(this.bytes, at + 1);
      if (scanned < 0) return -1;
      this.note(at + 1, scanned >> 1, JsonKind.String);
      return (scanned >> 1) + 1;
    }
    let kind = JsonKind.Boolean;
    let end = -1;
    if (byte === TRUE[0]) {
      end = wordEnd(this.bytes, at, TRUE);
    } else if (byte === FALSE[0]) {
      end = wordEnd(this.bytes, at, FALSE);
    } else if (byte === NULL[0]) {
      end = wordEnd(this.bytes, at, NULL);
      kind = JsonKind.Null;
    } else {
      end = scanNumber(this.bytes, at);
      kind = JsonKind.Number;
    }
    this.note(at, end, kind);
    return end;
  }

  /** Notes a value as that of the member it belongs to, if it belongs to one. */
  private note(start: number, end: number, kind: JsonKind): void {
    if (this.depth === 0) {
      this.rootKind = kind;
      return;
    }
    if (!this.inObject()) return;
    const at = this.levels[this.depth * Level.Size + Level.Last]! * Field.Size;
    this.members[at + Field.ValueStart] = start;
    this.members[at + Field.ValueEnd] = end;
    this.members[at + Field.Kind] = kind;
  }
}

function skipWhiteSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) break;
    at++;
  }
  return at;
}

function wordEnd(bytes: Uint8Array, start: number, word: readonly number[]): number {
  if (start + word.length > bytes.length) return -1;
  for (let at = 0; at < word.length; at++) {
    if (bytes[start + at] !== word[at]) return -1;
  }
  return start + word.length;
}

function grown(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
