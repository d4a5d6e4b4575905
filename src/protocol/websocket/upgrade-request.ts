/** The checks of a request that do not need its owner (RW6, RW7, RW12), and the answers to it. */

import { PATH, SUBPROTOCOL } from "./address.ts";

export type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 426 | 500 | 503;

const EXTRA: Partial<Record<RefusalStatus, Readonly<Record<string, string>>>> = Object.freeze({
  401: { "WWW-Authenticate": "Bearer" },
  405: { Allow: "GET" },
  426: { Upgrade: "websocket" },
});

/** What the answer of an upgrade says: chosen by us, never the first that was offered. */
export const UPGRADE_HEADERS = Object.freeze({ "Sec-WebSocket-Protocol": SUBPROTOCOL });

/** An empty answer that ends the connection and is kept by nobody. */
export function refusal(status: RefusalStatus): Response {
  const headers = { Connection: "close", "Cache-Control": "no-store", ...EXTRA[status] };
  return new Response(null, { status, headers });
}

/** What is asked before there is a place for the request. Null if nothing is wrong. */
export function targetError(request: Request, allowedOrigins: ReadonlySet<string>): RefusalStatus | null {
  const url = URL.parse(request.url);
  if (url?.pathname !== PATH) return 404;
  if (request.method !== "GET") return 405;
  if (url.search !== "") return 400;
  const origin = request.headers.get("origin");
  return origin !== null && !allowedOrigins.has(origin) ? 403 : null;
}

/** What is asked of a request that was authenticated. Null if nothing is wrong. */
export function upgradeError({ headers }: Request): RefusalStatus | null {
  if (!lists(headers, "connection", "upgrade") || !lists(headers, "upgrade", "websocket")) return 426;
  const offered = (headers.get("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());
  return offered.includes(SUBPROTOCOL) ? null : 400;
}

function lists(headers: Headers, name: string, token: string): boolean {
  const values = (headers.get(name) ?? "").split(",");
  return values.some((value) => value.trim().toLowerCase() === token);
}
