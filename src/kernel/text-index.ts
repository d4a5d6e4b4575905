/**
 * Numbers distinct texts in the order of their first use. Texts come from sources and the engine's string hash is not
 * secret, so every key carries a prefix drawn at random: no file can be made whose names all collide (D65).
 */
export class TextIndex {
  private readonly indices = new Map<string, number>();
  private readonly prefix = Math.random().toString(36);

  constructor(texts: readonly string[] = []) {
    for (const text of texts) this.intern(text);
  }

  get size(): number {
    return this.indices.size;
  }

  has(text: string): boolean {
    return this.indices.has(this.prefix + text);
  }

  find(text: string): number | undefined {
    return this.indices.get(this.prefix + text);
  }

  intern(text: string): number {
    const key = this.prefix + text;
    const known = this.indices.get(key);
    if (known !== undefined) return known;
    const index = this.indices.size;
    this.indices.set(key, index);
    return index;
  }

  /** Whether the text is new. */
  add(text: string): boolean {
    const before = this.indices.size;
    return this.intern(text) === before;
  }
}
