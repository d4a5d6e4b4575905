/** From occurrences of strings to the string table: each distinct string once (G17), numbered in byte order. */
import { ByteWriter } from "../kernel/bytes.ts";
import { writeQuoted } from "../kernel/json-write.ts";
import type { Outline } from "./outline.ts";
import { sortByBytes } from "./sort.ts";
import type { StringTable } from "./storage.ts";

/** The bytes of every symbol: the texts of an outline, then the AST paths of calls, appended one by one. */
export class SymbolArena {
  /** One entry per symbol and one more. */
  readonly start: Uint32Array;
  private readonly writer: ByteWriter;
  private count = 0;

  /** Room for `pathCount` paths of `pathBytes` bytes together. */
  constructor(
    readonly outline: Outline,
    pathCount: number,
    pathBytes: number,
  ) {
    const { texts, utf8Length } = outline;
    this.start = new Uint32Array(texts.length + pathCount + 1);
    this.writer = new ByteWriter(utf8Length.reduce((sum, length) => sum + length, pathBytes));
    for (let at = 0; at < texts.length; at++) {
      this.writer.utf8(texts[at]!, utf8Length[at]!);
      this.end();
    }
  }

  /** Appends to the symbol under construction. */
  ascii(text: string): void {
    this.writer.ascii(text);
  }

  /** Ends the symbol under construction and returns its number. */
  end(): number {
    this.start[this.count + 1] = this.writer.position;
    return this.count++;
  }

  /** The bytes of all symbols, once there are as many as there is room for. */
  finish(): Uint8Array {
    return this.writer.finish();
  }
}

/** Which symbols are equal, and what the table will take, before it is allocated. */
export interface SymbolNumbers {
  /** S of G35: distinct strings. */
  readonly count: number;
  /** Per symbol the number of its string. */
  readonly numberOf: Uint32Array;
  /** Per string one symbol that stands for it. */
  readonly symbolOf: Uint32Array;
  /** B and J of G35. */
  readonly utf8Bytes: number;
  readonly jsonBytes: number;
}

export function numberSymbols(arena: SymbolArena): SymbolNumbers {
  const bytes = arena.finish();
  const { start, outline } = arena;
  const symbolCount = start.length - 1;
  const order = new Uint32Array(symbolCount);
  for (let symbol = 0; symbol < symbolCount; symbol++) order[symbol] = symbol;
  sortByBytes(order, bytes, start);

  const numberOf = new Uint32Array(symbolCount);
  const symbolOf = new Uint32Array(symbolCount);
  let count = 0;
  let utf8Bytes = 0;
  let jsonBytes = 0;
  for (let at = 0; at < symbolCount; at++) {
    const symbol = order[at]!;
    if (at === 0 || !equalSymbols(bytes, start, order[at - 1]!, symbol)) {
      symbolOf[count++] = symbol;
      utf8Bytes += start[symbol + 1]! - start[symbol]!;
      jsonBytes += quotedLengthOf(outline, start, symbol);
    }
    numberOf[symbol] = count - 1;
  }
  return { count, numberOf, symbolOf: symbolOf.slice(0, count), utf8Bytes, jsonBytes };
}

/** Copies each distinct string, plain and quoted. */
export function buildStringTable(arena: SymbolArena, numbers: SymbolNumbers): StringTable {
  const bytes = arena.finish();
  const { start, outline } = arena;
  const utf8 = new ByteWriter(numbers.utf8Bytes);
  const json = new ByteWriter(numbers.jsonBytes);
  const utf8Start = new Uint32Array(numbers.count + 1);
  const jsonStart = new Uint32Array(numbers.count + 1);
  for (let number = 0; number < numbers.count; number++) {
    const symbol = numbers.symbolOf[number]!;
    utf8.range(bytes, start[symbol]!, start[symbol + 1]!);
    if (symbol < outline.texts.length) writeQuoted(json, outline.texts[symbol]!);
    else {
      json.ascii('"');
      json.range(bytes, start[symbol]!, start[symbol + 1]!);
      json.ascii('"');
    }
    utf8Start[number + 1] = utf8.position;
    jsonStart[number + 1] = json.position;
  }
  return { utf8: utf8.finish(), utf8Start, json: json.finish(), jsonStart };
}

/** The paths of calls, which come after the texts, have nothing to escape. */
function quotedLengthOf({ texts, quotedLength }: Outline, start: Uint32Array, symbol: number): number {
  return symbol < texts.length ? quotedLength[symbol]! : start[symbol + 1]! - start[symbol]! + 2;
}

function equalSymbols(bytes: Uint8Array, start: Uint32Array, a: number, b: number): boolean {
  const length = start[a + 1]! - start[a]!;
  if (length !== start[b + 1]! - start[b]!) return false;
  for (let at = 0; at < length; at++) {
    if (bytes[start[a]! + at] !== bytes[start[b]! + at]) return false;
  }
  return true;
}
