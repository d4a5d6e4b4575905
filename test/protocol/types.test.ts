// What compiles and what does not: the unions narrow, and a mutation needs its command (section 11). The type checker is
// the judge; at run time this file only shows that the same lines work.
import { expect, test } from "bun:test";
import {
  type ApprovalAction,
  Codec,
  type Handler,
  type Item,
  type ParamsOf,
  type RequestMessage,
  type ResultOf,
  type Turn,
} from "../../src/protocol/index.ts";
import { APPROVAL, must, readyClient, STATUS_RESULT } from "../support/protocol.ts";

/** Compiles exactly if both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_ extends true>(): void => {};

test("requests, results and their parts narrow", () => {
  holds<Same<ParamsOf<"project/event.status">, { event_id: string }>>();
  holds<Same<ResultOf<"turn/steer">, { thread_id: string; turn_id: string }>>();
  holds<Same<RequestMessage<"request/cancel">["method"], "request/cancel">>();
  holds<Same<Extract<Item, { kind: "command" }>["command"]["line"], string>>();
  holds<Same<Extract<Turn, { status: "failed" }>["failure"]["reason"], string>>();
  holds<Same<Extract<ApprovalAction, { kind: "command" }>["command"], string>>();
  holds<Same<Extract<ApprovalAction, { kind: "file_change" }>["paths"], string[]>>();
  holds<Same<Extract<RequestMessage, { method: "turn/start" }>["command_id"], string>>();
  // @ts-expect-error: a read has no command
  holds<Same<Extract<RequestMessage, { method: "thread/read" }>["command_id"], string>>();
  const describe = (request: RequestMessage): string => {
    switch (request.method) {
      case "turn/start":
        return request.params.input.map(({ text }) => text).join("");
      case "approval/request":
        return request.params.action.kind === "command" ? request.params.action.command : "";
      default:
        return request.id;
    }
  };
  const made = must(readyClient().request("project/event.status", { event_id: "ev-1" }, { id: "mine" }));
  expect(describe(made.message)).toBe("mine");
});

test("a mutation without a command id does not compile, and neither does a read with one", () => {
  const client = readyClient();
  expect(client.request("approval/request", { ...APPROVAL }, { commandId: "cmd" }).ok).toBe(true);
  // @ts-expect-error: the command id is missing
  expect(client.request("approval/request", { ...APPROVAL }).ok).toBe(false);
  // @ts-expect-error: the command id is missing
  expect(client.request("approval/request", { ...APPROVAL }, {}).ok).toBe(false);
  // @ts-expect-error: a read has no command
  expect(client.request("project/event.status", { event_id: "ev-1" }, { commandId: "cmd" }).ok).toBe(false);
});

test("a checked result has the type that its request asked for", () => {
  const { message } = must(readyClient().request("project/event.status", { event_id: "ev-1" }));
  const { result } = must(Codec.checkResult(message, STATUS_RESULT));
  holds<Same<typeof result, ResultOf<"project/event.status">>>();
  expect(result.deliveries).toBe(1);
});

test("a callback may return nothing, a state, or both by turns", () => {
  class Host implements Handler<number> {
    readonly capabilities = [];
    readonly methods = [];
    handleRequest() {
      return { error: { code: "not_found", message: "m" } } as const;
    }
    handleNotification() {}
    handleResponse(_: RequestMessage, __: unknown, state: number) {
      return state + 1;
    }
  }
  const host: Handler<number> = new Host();
  expect(host.capabilities).toEqual([]);
});
