/**
 * One pass over a JSON text: grammar, depth, duplicate keys, and where the members of the outer objects are (D22, D23,
 * D65, D76). Nothing is materialised; strings and numbers are read later, by whoever wants them, from the ranges noted
 * here. There is no recursion, and time is linear apart from the sorting of keys.
 */
import { KeyComparison } from "./json-keys.ts";
import { isUnsigned64, readUnsigned, scanNumber } from "./json-number.ts";
import { compareStrings, readString, saysAscii, scanString } from "./json-string.ts";

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

/** The layout of a member: a record of numbers in one array, which a hostile text can make long. */
const enum Field {
  /** After the opening quotation mark. */
  KeyStart,
  /** Twice the place of the closing quotation mark, plus 1 if the key contains an escape. */
  KeyEnd,
  ValueStart,
  ValueEnd,
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
  /** 1 if its members are kept: it is an object within kept objects, and not too deep. */
  IsRecorded,
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

const LOWER_T = 0x74;
const LOWER_F = 0x66;
const LOWER_N = 0x6e;

const TRUE = [LOWER_T, 0x72, 0x75, 0x65];
const FALSE = [LOWER_F, 0x61, 0x6c, 0x73, 0x65];
const NULL = [LOWER_N, 0x75, 0x6c, 0x6c];

/**
 * A scanner can be used for any number of texts; what it notes of one is gone with the next `scan`. Members are
 * numbers below `memberCount`, in the order of the text. Left out are those of objects nested deeper than `recordedDepth`
 * (the outermost object has depth 1) or inside an array.
 */
export class JsonScanner {
  memberCount = 0;
  private members = new Int32Array(MEMBERS_KEPT * Field.Size);
  private bytes: Uint8Array = new Uint8Array(0);
  private readonly levels: Int32Array;
  private readonly keys = new KeyComparison();
  /** The depth at the moment. */
  private depth = 0;
  private duplicate = false;
  private rootStart = 0;

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

  /** The kind of the outermost value. */
  rootKind(): JsonKind {
    return kindOf(this.bytes[this.rootStart]!);
  }

  kind(member: number): JsonKind {
    return kindOf(this.bytes[this.field(member, Field.ValueStart)]!);
  }

  /** Whether a key, unescaped, is `name`, which is ASCII without a backslash. Nothing is materialised (D76). */
  keyIs(member: number, name: string): boolean {
    const end = this.field(member, Field.KeyEnd);
    return saysAscii(this.bytes, this.field(member, Field.KeyStart), end >> 1, name);
  }

  /** Negative, zero or positive as the UTF-8 bytes of one key, unescaped, sort before, with or after those of another. */
  compareKeys(a: number, b: number): number {
    return compareStrings(
      this.bytes,
      this.field(a, Field.KeyStart),
      this.field(a, Field.KeyEnd) >> 1,
      this.field(b, Field.KeyStart),
      this.field(b, Field.KeyEnd) >> 1,
    );
  }

  /** A key, unescaped. */
  key(member: number): string {
    return readString(this.bytes, this.field(member, Field.KeyStart), this.field(member, Field.KeyEnd) >> 1);
  }

  /** A value as it is written, quotation marks and escapes included, as a view. */
  rawValue(member: number): Uint8Array {
    return this.bytes.subarray(this.field(member, Field.ValueStart), this.field(member, Field.ValueEnd));
  }

  /** How many bytes a value takes as it is written. */
  rawLength(member: number): number {
    return this.field(member, Field.ValueEnd) - this.field(member, Field.ValueStart);
  }

  /** Whether a value is the string `text`, which is ASCII without a backslash. Nothing is materialised (D76). */
  stringIs(member: number, text: string): boolean {
    const [start, end] = [this.field(member, Field.ValueStart), this.field(member, Field.ValueEnd)];
    return this.bytes[start] === QUOTE && saysAscii(this.bytes, start + 1, end - 1, text);
  }

  /** The value of a member whose kind is String, unescaped. */
  string(member: number): string {
    return readString(
      this.bytes,
      this.field(member, Field.ValueStart) + 1,
      this.field(member, Field.ValueEnd) - 1,
    );
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
    if (this.depth === this.depthMax) return false;
    const { levels } = this;
    this.note(at, at);
    const outer = this.depth * Level.Size;
    const isWithinRecorded = this.depth === 0 || levels[outer + Level.IsRecorded] === 1;
    this.depth++;
    const level = outer + Level.Size;
    levels[level + Level.IsObject] = isObject ? 1 : 0;
    levels[level + Level.IsRecorded] =
      isObject && isWithinRecorded && this.depth <= this.recordedDepth ? 1 : 0;
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
    if (count > 1 && !this.duplicate) this.findDuplicate(levels[level + Level.Last]!, count);
    if (levels[level + Level.IsRecorded] === 0) this.memberCount = levels[level + Level.Base]!;
    this.depth--;
    if (this.depth === 0) return Expect.Nothing;
    if (this.inObject()) {
      this.members[this.levels[this.depth * Level.Size + Level.Last]! * Field.Size + Field.ValueEnd] = end;
    }
    return Expect.CommaOrEnd;
  }

  private findDuplicate(last: number, count: number): void {
    this.keys.begin(count);
    for (let member = last; member !== NONE; member = this.previous(member)) {
      const end = this.field(member, Field.KeyEnd);
      this.keys.add(this.field(member, Field.KeyStart), end >> 1, (end & 1) === 1);
    }
    this.duplicate = this.keys.hasDuplicate(this.bytes);
  }

  /** Notes the member whose key starts at `start`. Returns the place after its colon, or -1. */
  private member(start: number): number {
    const scanned = scanString(this.bytes, start);
    if (scanned < 0) return -1;
    const colon = skipWhiteSpace(this.bytes, (scanned >> 1) + 1);
    if (colon === this.bytes.length || this.bytes[colon] !== COLON) return -1;
    const { levels } = this;
    const level = this.depth * Level.Size;
    const at = this.memberCount * Field.Size;
    if (at === this.members.length) this.members = grown(this.members);
    const { members } = this;
    members[at + Field.KeyStart] = start;
    members[at + Field.KeyEnd] = scanned;
    members[at + Field.Parent] = this.depth === 1 ? NONE : levels[level - Level.Size + Level.Last]!;
    members[at + Field.Previous] = levels[level + Level.Last]!;
    levels[level + Level.Last] = this.memberCount;
    levels[level + Level.Count]!++;
    this.memberCount++;
    return colon + 1;
  }

  /** Checks the string, number or word at `at`. Returns the place after it, or -1. */
  private scalar(at: number, byte: number): number {
    const end = scalarEnd(this.bytes, at, byte);
    this.note(at, end);
    return end;
  }

  /** Notes the range of a value: that of the whole text, of a member, or (not noted) of an element. */
  private note(start: number, end: number): void {
    if (this.depth === 0) {
      this.rootStart = start;
    } else if (this.inObject()) {
      const at = this.levels[this.depth * Level.Size + Level.Last]! * Field.Size;
      this.members[at + Field.ValueStart] = start;
      this.members[at + Field.ValueEnd] = end;
    }
  }
}

function scalarEnd(bytes: Uint8Array, at: number, byte: number): number {
  switch (byte) {
    case QUOTE:
      return stringEnd(bytes, at + 1);
    case LOWER_T:
      return wordEnd(bytes, at, TRUE);
    case LOWER_F:
      return wordEnd(bytes, at, FALSE);
    case LOWER_N:
      return wordEnd(bytes, at, NULL);
    default:
      return scanNumber(bytes, at);
  }
}

function stringEnd(bytes: Uint8Array, start: number): number {
  const scanned = scanString(bytes, start);
  return scanned < 0 ? -1 : (scanned >> 1) + 1;
}

/** A valid value's kind shows in its first byte. */
function kindOf(first: number): JsonKind {
  switch (first) {
    case OPEN_BRACE:
      return JsonKind.Object;
    case OPEN_BRACKET:
      return JsonKind.Array;
    case QUOTE:
      return JsonKind.String;
    case LOWER_T:
    case LOWER_F:
      return JsonKind.Boolean;
    case LOWER_N:
      return JsonKind.Null;
    default:
      return JsonKind.Number;
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

/** By fours: pages touched for the first time cost more than what is copied into them. */
function grown(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 4);
  larger.set(array);
  return larger;
}
