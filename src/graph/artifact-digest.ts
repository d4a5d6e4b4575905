/** An artifact contains a digest of itself without the digest member (P32): how long that member is, and filling it in. */
import { type ByteWriter, utf8 } from "../kernel/bytes.ts";
import { DIGEST_BYTES, type Digest, domainDigest } from "../kernel/digest.ts";

const PLACEHOLDER = "0".repeat(DIGEST_BYTES);

/** Bytes of `,"NAME":"sha256:…"`. */
export function digestMemberLength(name: string): number {
  return 6 + name.length + DIGEST_BYTES;
}

/** Writes the member with a digest that is still to be filled in. */
export function writeDigestMember(writer: ByteWriter, name: string): void {
  writer.ascii(`,"${name}":"`);
  writer.ascii(PLACEHOLDER);
  writer.ascii('"');
}

/**
 * Digests `artifact` around the member that starts at `memberStart` (G25) and puts the digest into it. The array must
 * begin and end with the artifact.
 */
export function fillDigest(artifact: Uint8Array, memberStart: number, name: string, domain: string): Digest {
  const memberEnd = memberStart + digestMemberLength(name);
  const digest = domainDigest(domain, [artifact.subarray(0, memberStart), artifact.subarray(memberEnd)]);
  artifact.set(utf8(digest), memberEnd - 1 - DIGEST_BYTES);
  return digest;
}
