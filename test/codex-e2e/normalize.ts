/** Makes recordings comparable (RC45): what differs from run to run becomes a constant, everything else stays. */

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const PLACEHOLDER = "00000000-0000-7000-8000-";
const SECONDS = 1_700_000_000;
const SECOND_FIELDS = new Set(["createdAt", "updatedAt", "recencyAt", "startedAt", "completedAt"]);
const ROOT = "/codex-test";

/** Constants are given in the order of first appearance, so that the same course of events looks the same. */
export class Normalizer {
  readonly #root: string;
  readonly #port: number;
  readonly #placeholders = new Map<string, string>();
  readonly #originals = new Map<string, string>();
  #times = 0;

  constructor(root: string, port: number) {
    this.#root = root;
    this.#port = port;
  }

  /** A recorded value. */
  normalize(value: unknown, name = ""): unknown {
    if (Array.isArray(value)) return value.map((one) => this.normalize(one));
    if (typeof value === "string") return this.#text(value, name);
    if (typeof value === "number") return this.#number(value, name);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, this.normalize(member, key)]),
    );
  }

  /** The other way: a recorded value with the ids and paths of this run. An id that was never seen is a new one. */
  restore(value: unknown): unknown {
    const text = JSON.stringify(value)
      .replaceAll(UUID, (id) => (id.startsWith(PLACEHOLDER) ? this.#original(id) : id))
      .replaceAll(ROOT, this.#root);
    return JSON.parse(text);
  }

  #original(placeholder: string): string {
    const known = this.#originals.get(placeholder);
    if (known !== undefined) return known;
    const id = crypto.randomUUID();
    this.#placeholders.set(id, placeholder);
    this.#originals.set(placeholder, id);
    return id;
  }

  #placeholder(id: string): string {
    const known = this.#placeholders.get(id);
    if (known !== undefined) return known;
    const placeholder = `${PLACEHOLDER}${String(this.#placeholders.size + 1).padStart(12, "0")}`;
    this.#placeholders.set(id, placeholder);
    this.#originals.set(placeholder, id);
    return placeholder;
  }

  #number(value: number, name: string): number {
    if (SECOND_FIELDS.has(name)) return SECONDS;
    if (name === "durationMs") return 1;
    return name.endsWith("AtMs") ? SECONDS * 1000 + this.#times++ : value;
  }

  #text(value: string, name: string): string {
    if (name === "userAgent") return value.replace(/ \(.*?; (\S+)\) \S+/, " (Test OS; $1) unknown");
    if (name === "serverName") return "host";
    if (name === "processId") return "1";
    return value
      .replaceAll(this.#root, ROOT)
      .replaceAll(`127.0.0.1:${this.#port}`, "127.0.0.1:0")
      .replace(
        /\/sessions\/\d{4}\/\d\d\/\d\d\/rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-/,
        "/sessions/2000/01/01/rollout-2000-01-01T00-00-00-",
      )
      .replace(/Chunk ID: [0-9a-f]+/, "Chunk ID: 000000")
      .replace(/Wall time: [\d.]+ seconds/, "Wall time: 0.0 seconds")
      .replaceAll(UUID, (id) => this.#placeholder(id));
  }
}
