/** Where a connection may go (RW11, RW16). */

import { hasControl } from "../../kernel/text.ts";
import { fail, type Result } from "../error.ts";

/** The only path of the transport. */
export const PATH = "/app-server";
/** The name that both sides agree on in the upgrade (RW4). */
export const SUBPROTOCOL = "samgita.agent.v1";

const BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const LOOPBACK_V4 = new RegExp(`^127(\\.${BYTE}){3}$`);
/** Scheme, authority and path as they are given; what a parser would drop or rewrite is not looked at but refused. */
const FORM = /^wss?:\/\/[^/@?#\\\s]+\/app-server$/i;

/** `localhost`, `::1` or 127.0.0.0/8, written out; any other name may lead anywhere. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "::1" || LOOPBACK_V4.test(hostname);
}

/** The URL to open. Errors do not repeat it: it may hold what its author took for a password. */
export function addressOf(
  given: unknown,
  allowInsecureRemote: boolean,
): Result<{ url: string; isSecure: boolean; isRemote: boolean }> {
  if (typeof given !== "string" || !FORM.test(given) || hasControl(given)) {
    return fail("invalid_argument", `the URL must be ws:// or wss://, a host, and exactly ${PATH}`);
  }
  const url = URL.parse(given);
  if (url === null || url.pathname !== PATH || url.username !== "" || url.password !== "") {
    return fail("invalid_argument", "the URL names no host that can be connected to");
  }
  const isSecure = url.protocol === "wss:";
  const isRemote = !isLoopback(url.hostname.replace(/^\[(.*)\]$/, "$1"));
  if (!isSecure && isRemote && !allowInsecureRemote) {
    return fail("invalid_argument", "ws: is for loopback addresses; anywhere else the URL must be wss:");
  }
  return { ok: true, url: url.href, isSecure, isRemote };
}

/** The URL of a listener, without anything that is not its own. */
export function urlOf(hostname: string, port: number, isSecure: boolean): string {
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return `${isSecure ? "wss" : "ws"}://${host}:${port}${PATH}`;
}
