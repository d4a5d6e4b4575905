/**
 * The text of a project that was refused, for excerpts and remedies. It is read again after the refusal, so it may
 * differ from what was refused; nothing that is decided depends on it (L9).
 */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "../lang/parser.ts";
import type { Source } from "../lang/source.ts";
import type { SyntaxFile } from "../lang/syntax.ts";
import { errorCode } from "../project/file-system.ts";
import { MANIFEST_BYTES_MAX, SOURCE_BYTES_MAX } from "../project/limits.ts";
import { type Manifest, parseManifest } from "../project/manifest.ts";
import { readNamedFile } from "./named-file.ts";

/** How far the search for unlisted sources goes. */
const FOLDER_ENTRIES_MAX = 4096;
const FOLDER_DEPTH_MAX = 8;
const UNLISTED_MAX = 64;
const UNLISTED_BYTES_MAX = 1_048_576;

export class ProjectText {
  readonly root: string;
  /** Null where it cannot be read or is not accepted. */
  readonly manifest: Manifest | null;
  /** The manifest as it stands there, or null. */
  readonly manifestBytes: Uint8Array | null;
  readonly #sources = new Map<string, Source | null>();
  readonly #parsed = new Map<string, SyntaxFile | null>();

  constructor(readonly manifestPath: string) {
    this.root = dirname(manifestPath);
    const manifest = readNamedFile(manifestPath, MANIFEST_BYTES_MAX);
    this.manifestBytes = manifest.ok ? manifest.value.bytes : null;
    const parsed = this.manifestBytes === null ? null : parseManifest(this.manifestBytes);
    this.manifest = parsed?.ok ? parsed.value : null;
  }

  /** The source of a declared path, or null where it cannot be read. */
  source(path: string): Source | null {
    const known = this.#sources.get(path);
    if (known !== undefined) return known;
    const read = this.manifest?.sources.includes(path)
      ? readNamedFile(join(this.root, path), SOURCE_BYTES_MAX)
      : null;
    const source = read?.ok ? { path, bytes: read.value.bytes } : null;
    this.#sources.set(path, source);
    return source;
  }

  file(path: string): SyntaxFile | null {
    const known = this.#parsed.get(path);
    if (known !== undefined) return known;
    const source = this.source(path);
    const parsed = source === null ? null : parse(source);
    const file = parsed?.ok ? parsed.value : null;
    this.#parsed.set(path, file);
    return file;
  }

  /** Every declared source that can be parsed, in path order. */
  files(): SyntaxFile[] {
    const paths = this.manifest?.sources ?? [];
    return paths.map((path) => this.file(path)).filter((file) => file !== null);
  }

  /** The path of a `.spx` file below the root that is not declared but begins with `module NAME`, or null. */
  unlistedSourceOf(module: string): string | null {
    for (const path of this.unlistedSources()) {
      const read = readNamedFile(join(this.root, path), UNLISTED_BYTES_MAX);
      if (!read.ok) continue;
      const parsed = parse({ path, bytes: read.value.bytes });
      if (parsed.ok && parsed.value.module === module) return path;
    }
    return null;
  }

  /** Paths of the `.spx` files below the root that the manifest does not declare, at most 64. */
  unlistedSources(): string[] {
    const declared = new Set(this.manifest?.sources);
    const found: string[] = [];
    const folders = [{ path: "", depth: 0 }];
    let seen = 0;
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const entry of entriesOf(join(this.root, folder.path))) {
        if (++seen > FOLDER_ENTRIES_MAX || found.length >= UNLISTED_MAX) return found;
        const path = folder.path === "" ? entry.name : `${folder.path}/${entry.name}`;
        if (entry.isFile() && entry.name.endsWith(".spx") && !declared.has(path)) found.push(path);
        const descends = entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules";
        if (descends && folder.depth < FOLDER_DEPTH_MAX) folders.push({ path, depth: folder.depth + 1 });
      }
    }
    return found;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    errorCode(error);
    return [];
  }
}
