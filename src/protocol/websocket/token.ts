/** Bearer tokens (RW9). A host keeps their hashes; a client makes the header of one attempt. */

import { randomBytes, timingSafeEqual } from "node:crypto";
import { sha256Hex } from "../../kernel/digest.ts";
import { fail } from "../error.ts";
import type { Authenticator } from "./authenticate.ts";
import { TOKEN_BYTES } from "./limits.ts";

const TOKEN = /^[A-Za-z0-9._~+/-]{32,512}={0,2}$/;
const SCHEME = "Bearer ";
const HASH = /^[0-9a-f]{64}$/;

export interface TokenEntry {
  /** The principal that the token stands for. */
  readonly id: string;
  /** As {@link hashToken} makes it: 64 lower-case hex digits. */
  readonly sha256: string;
}

export function isToken(value: unknown): value is string {
  return typeof value === "string" && TOKEN.test(value);
}

/** 32 random bytes in base64url: 43 characters. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** What a host stores. Throws `ProtocolError` `invalid_argument` for a text that no listener would take. */
export function hashToken(token: string): string {
  if (!isToken(token)) throw fail("invalid_argument", "the token has not the form of one").error;
  return sha256Hex(token);
}

export function bearerHeader(token: string): string {
  return SCHEME + token;
}

/**
 * An authenticator for a fixed list. It compares with every entry, and takes as long for a wrong token as for any.
 * Throws `ProtocolError` `invalid_argument` for an entry that is none.
 */
export function bearerTokens(entries: readonly TokenEntry[]): Authenticator {
  const known = entries.map(({ id, sha256 }) => {
    if (typeof id !== "string" || id === "" || !HASH.test(sha256)) {
      throw fail("invalid_argument", "an entry needs an id and the SHA-256 of a token in hex").error;
    }
    return { id, hash: Buffer.from(sha256, "hex") };
  });
  return ({ headers }) => {
    const token = tokenOf(headers.get("authorization"));
    if (token === null) return null;
    const hash = Buffer.from(sha256Hex(token), "hex");
    let id: string | null = null;
    for (const entry of known) {
      const isSame = timingSafeEqual(entry.hash, hash);
      if (isSame) id = entry.id;
    }
    return id === null ? null : { id };
  };
}

/** Two headers arrive joined by a comma, which is in no token. */
function tokenOf(header: string | null): string | null {
  if (header === null || !header.startsWith(SCHEME)) return null;
  const token = header.slice(SCHEME.length);
  return isToken(token) ? token : null;
}
