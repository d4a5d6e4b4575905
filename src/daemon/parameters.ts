/** The members of `params`, read in place from the scanned frame; see D26, D50 for what a value may be. */
import { type Outcome, refuse, success } from "../kernel/failure.ts";
import { JsonKind, type JsonScanner, NONE } from "../kernel/json-scan.ts";
import { clip, hasControl } from "../kernel/text.ts";

export class Parameters {
  readonly #scanner: JsonScanner;
  readonly #owner: number;

  /** `owner` is the member `params` of the scanned request, or `NONE` if it has none. */
  constructor(scanner: JsonScanner, owner: number) {
    this.#scanner = scanner;
    this.#owner = owner;
  }

  get isEmpty(): boolean {
    return !this.#isMember(this.#owner + 1);
  }

  /**
   * The values of the parameters that a method knows, by name, in one pass over all that were sent. No key becomes a
   * string: a frame has room for 110,000 of them.
   */
  bind<Name extends string>(names: readonly Name[]): BoundParameters<Name> {
    const scanner = this.#scanner;
    const members: number[] = names.map(() => NONE);
    let unknown = NONE;
    // Objects further inside are not recorded, so the members of `params` are neighbours.
    for (let member = this.#owner + 1; this.#isMember(member); member++) {
      let index = 0;
      while (index < names.length && !scanner.keyIs(member, names[index]!)) index++;
      if (index < names.length) {
        members[index] = member;
        continue;
      }
      if (unknown === NONE || scanner.compareKeys(member, unknown) < 0) unknown = member;
    }
    return new BoundParameters(scanner, names, members, unknown);
  }

  #isMember(member: number): boolean {
    const scanner = this.#scanner;
    return this.#owner !== NONE && member < scanner.memberCount && scanner.parent(member) === this.#owner;
  }
}

/** What a string parameter is worth: its text, or why it is none. */
type TextValue =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly words: string };

/** The parameters of one request to one method. Each reader checks one of them; the method decides on the order (D49). */
export class BoundParameters<Name extends string> {
  readonly #scanner: JsonScanner;
  readonly #names: readonly string[];
  readonly #members: readonly number[];
  /** The unknown one that is first in byte order, or `NONE`. */
  readonly #unknown: number;

  constructor(scanner: JsonScanner, names: readonly Name[], members: readonly number[], unknown: number) {
    this.#scanner = scanner;
    this.#names = names;
    this.#members = members;
    this.#unknown = unknown;
  }

  /** A required string, not empty, without control characters; else words without a code (D44). */
  plainText(name: Name): TextValue {
    const member = this.#member(name);
    if (member === NONE) return { ok: false, words: `${name} is missing` };
    if (this.#scanner.kind(member) !== JsonKind.String) return { ok: false, words: `${name} must be text` };
    const text = this.#scanner.string(member);
    if (text === "") return { ok: false, words: `${name} is empty` };
    if (hasControl(text)) return { ok: false, words: `controls in ${name}` };
    return { ok: true, text };
  }

  /** A required string, not empty, without control characters; else J105 (D50). */
  text(name: Name): Outcome<string> {
    const value = this.plainText(name);
    return value.ok ? success(value.text) : refuse("SPX-J105", value.words);
  }

  /** One of the words of a list; absent, it is `fallback` if there is one. Else J105 (D50). */
  word<const Word extends string>(
    name: Name,
    words: readonly Word[],
    fallback: Word | null = null,
  ): Outcome<Word> {
    if (fallback !== null && this.#member(name) === NONE) return success(fallback);
    const text = this.text(name);
    if (!text.ok) return text;
    const word = words.find((candidate) => candidate === text.value);
    return word === undefined ? refuse("SPX-J105", `${name} is no known word`) : success(word);
  }

  /**
   * An unsigned integer literal (D26); absent, it is `fallback`. 2^53 - 1 stands for everything above it, which every
   * bound refuses alike.
   */
  integer(name: Name, fallback: number): Outcome<number> {
    const member = this.#member(name);
    if (member === NONE) return success(fallback);
    if (!this.#scanner.isUnsigned(member)) return refuse("SPX-J105", `${name} is no integer`);
    return success(this.#scanner.unsigned(member));
  }

  /** J105 if there is a parameter that the method does not know; it names the first in byte order (D50). */
  refuseUnknown(): Outcome<void> {
    if (this.#unknown === NONE) return success(undefined);
    return refuse("SPX-J105", `unknown parameter ${clip(this.#scanner.key(this.#unknown))}`);
  }

  #member(name: Name): number {
    return this.#members[this.#names.indexOf(name)] ?? NONE;
  }
}
