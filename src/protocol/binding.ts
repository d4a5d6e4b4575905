/**
 * A result must repeat the identities of its request (R25). What has to be repeated is taken from the request when
 * it is made or arrives, as plain text and numbers: nobody who later changes the request changes the check.
 */

import { type ErrorCode, fail, type ProtocolError, type Result } from "./error.ts";
import type { JsonObject } from "./json/value.ts";
import type { ParamsOf, RequestMessage, RequestMethod, ResultOf } from "./message.ts";
import { SCHEMA_VERSION } from "./schema/connection.ts";
import { describe } from "./schema/issue.ts";
import { REQUESTS } from "./schema/methods.ts";

/** Checks a result of one request; on success it returns a copy that has exactly the defined fields. */
export type ResultCheck = (result: JsonObject) => Result<{ result: JsonObject }>;

type Verdict = ProtocolError | null;
type Bindings = { [M in RequestMethod]: (params: ParamsOf<M>) => (result: ResultOf<M>) => Verdict };

export function resultCheck(request: RequestMessage): ResultCheck {
  return checkOf(request.method, request.params);
}

function checkOf<M extends RequestMethod>(method: M, params: ParamsOf<M>): ResultCheck {
  const verdictOf = BINDINGS[method](params);
  return (result) => {
    if (method === "connection/initialize" && hasOtherVersion(result)) {
      return fail("unsupported_version", `only version ${SCHEMA_VERSION} can be selected`);
    }
    const parsed = REQUESTS[method].result.safeParse(result);
    if (!parsed.success) return fail("invalid_message", describe(parsed.error, "the result"));
    // TypeScript does not follow that `parsed` belongs to the same method as `verdictOf`.
    const error = verdictOf(parsed.data as ResultOf<M>);
    return error === null ? { ok: true, result: parsed.data as JsonObject } : { ok: false, error };
  };
}

/** Judged before the rest, which in another version may look different (R22, R40). */
function hasOtherVersion(result: JsonObject): boolean {
  return typeof result["version"] === "string" && result["version"] !== SCHEMA_VERSION;
}

const BINDINGS: Bindings = {
  "connection/initialize": ({ versions, capabilities, required_capabilities }) => {
    const offered = new Set(capabilities);
    const required = [...(required_capabilities ?? [])];
    const isOffered = versions.includes(SCHEMA_VERSION);
    return (result) => {
      if (!isOffered) return error("unsupported_version", "the selected version was not offered");
      const selected = new Set<string>(result.capabilities);
      if (
        result.capabilities.every((group) => offered.has(group)) &&
        required.every((group) => selected.has(group))
      ) {
        return null;
      }
      return error(
        "unsupported_capability",
        "the selection is not within the offer or lacks a required group",
      );
    };
  },
  "project/event.receive": ({ event: { event_id, delivery_attempt_id } }) => {
    return (result) =>
      same(result.event_id === event_id && result.delivery_attempt_id === delivery_attempt_id);
  },
  "project/event.status": ({ event_id }) => {
    return (result) => same(result.event_id === event_id);
  },
  "project/event.report": ({ event_id, report_id, management_request }) => {
    const isAsked = management_request !== undefined;
    return (result) => {
      if (result.event_id !== event_id || result.report_id !== report_id) return same(false);
      if (isAsked !== (result.management_acceptance === "not_requested")) return null;
      return error("invalid_message", "management_acceptance contradicts what was asked for");
    };
  },
  "thread/start": () => () => null,
  "thread/read": ({ thread_id, include_turns }) => {
    return ({ thread, turns, turns_truncated }) => {
      const hasTurns = turns !== undefined || turns_truncated !== undefined;
      if (hasTurns && include_turns !== true) {
        return error("invalid_message", "the result has turns that nobody asked for");
      }
      const isSame =
        thread.thread_id === thread_id && (turns ?? []).every((turn) => turn.thread_id === thread_id);
      return same(isSame);
    };
  },
  "thread/resume": ({ thread_id }) => {
    return (result) => same(result.thread.thread_id === thread_id);
  },
  "turn/start": ({ thread_id }) => {
    return (result) => same(result.turn.thread_id === thread_id);
  },
  "turn/steer": ({ thread_id, turn_id }) => {
    return (result) => same(result.thread_id === thread_id && result.turn_id === turn_id);
  },
  "turn/interrupt": ({ thread_id, turn_id }) => {
    return (result) => same(result.thread_id === thread_id && result.turn_id === turn_id);
  },
  "stream/resume": ({ stream_id, cursor }) => {
    return (result) => pageVerdict(result, stream_id, cursor);
  },
  "approval/request": ({ approval_id, action_digest }) => {
    return (result) => same(result.approval_id === approval_id && result.action_digest === action_digest);
  },
  "request/cancel": ({ request_id }) => {
    return (result) => same(result.request_id === request_id);
  },
};

/** R85, R86: one stream, and no gap from the requested cursor to that of the page. */
function pageVerdict(page: ResultOf<"stream/resume">, streamId: string, cursor: number): Verdict {
  if (page.stream_id !== streamId || page.events.some((event) => event.stream_id !== streamId)) {
    return error("foreign_stream", "the page or an event in it is of another stream");
  }
  const isWhole = page.events.every((event, index) => event.cursor === cursor + 1 + index);
  if (isWhole && page.cursor === cursor + page.events.length) return null;
  return error("cursor_gap", "the page does not run from the requested cursor to its own");
}

function same(isSame: boolean): Verdict {
  return isSame ? null : error("invalid_message", "the result names another identity than its request");
}

function error(code: ErrorCode, words: string): ProtocolError {
  return fail(code, words).error;
}
