/**
 * The one digest recipe of the daemon side (P30): SHA-256 over a domain, a NUL and length-prefixed parts.
 * This is the kernel's only use of the runtime: Bun's SHA-256 is synchronous and native.
 */

declare const digestBrand: unique symbol;
declare const roleBrand: unique symbol;

/** `sha256:` and 64 lower-case hex digits: 71 ASCII bytes. */
export type Digest = string & { readonly [digestBrand]: true };
export type SourceRevision = Digest & { readonly [roleBrand]: "source" };
export type WorkspaceRevision = Digest & { readonly [roleBrand]: "workspace" };
export type ProjectRevision = Digest & { readonly [roleBrand]: "project" };

/** Byte length of every digest text. */
export const DIGEST_BYTES = 71;

const encoder = new TextEncoder();

/**
 * `D(domain, parts…)` of P30. A text part stands for its UTF-8 bytes. A part given as a list of slices is
 * hashed as their concatenation, so that an artifact can be digested around its own digest member (G25).
 */
export function domainDigest(
  domain: string,
  ...parts: readonly (string | Uint8Array | readonly Uint8Array[])[]
): Digest {
  const hash = new Bun.SHA256();
  hash.update(encoder.encode(`${domain}\0`));
  const prefix = new Uint8Array(8);
  const view = new DataView(prefix.buffer);
  for (const part of parts) {
    const slices =
      typeof part === "string" ? [encoder.encode(part)] : part instanceof Uint8Array ? [part] : part;
    let length = 0;
    for (const slice of slices) length += slice.length;
    view.setBigUint64(0, BigInt(length), true);
    hash.update(prefix);
    for (const slice of slices) hash.update(slice);
  }
  return `sha256:${hash.digest("hex")}` as Digest;
}

/** SHA-256 over the UTF-8 bytes of a text, or over bytes, as 64 lower-case hex digits (R14). */
export function sha256Hex(content: string | Uint8Array): string {
  return Bun.SHA256.hash(content, "hex");
}
