// Every recorded message against our own definitions (RC3, RC4).
import { describe, expect, test } from "bun:test";
import { CALLS, type CallMethod } from "../../../src/protocol/codex/schema/calls.ts";
import {
  APPROVALS,
  isApprovalMethod,
  isEventMethod,
  NOTIFICATIONS,
} from "../../../src/protocol/codex/schema/events.ts";
import { ITEMS, readItem } from "../../../src/protocol/codex/schema/item.ts";
import { DROPPED, OPTED_OUT, REFUSED } from "../../../src/protocol/codex/schema/known.ts";
import type { CodexMessage } from "./support.ts";
import { transcripts } from "./transcripts.ts";

interface Recorded {
  readonly name: string;
  readonly message: CodexMessage;
  /** Of a response: the method that was asked for. */
  readonly asked: string | undefined;
}

/** What the server said, with the method of the request that each response answers. */
function recorded(): Recorded[] {
  return transcripts().flatMap(({ name, lines }) => {
    const asked = new Map<string, string>();
    return lines.flatMap((line) => {
      if (line.dir !== "c2s" && line.dir !== "s2c") return [];
      const { id, method } = line.msg;
      if (line.dir === "c2s" && method !== undefined) asked.set(`${line.process} ${id}`, method);
      return line.dir === "s2c"
        ? [{ name, message: line.msg, asked: asked.get(`${line.process} ${id}`) }]
        : [];
    });
  });
}

function isCall(method: string | undefined): method is CallMethod {
  return method !== undefined && Object.hasOwn(CALLS, method);
}

const ALL = recorded();

describe("messages of the program", () => {
  test("RC4: every notification is known; what is translated is as defined", () => {
    const notifications = ALL.filter(
      ({ message }) => message.method !== undefined && message.id === undefined,
    );
    expect(notifications.length).toBeGreaterThan(700);
    for (const { name, message } of notifications) {
      const method = message.method ?? "";
      if (!isEventMethod(method))
        expect({ name, method, known: DROPPED.has(method) }).toEqual({ name, method, known: true });
      else
        expect({ name, method, ok: NOTIFICATIONS[method].safeParse(message.params).success }).toEqual({
          name,
          method,
          ok: true,
        });
    }
  });

  test("RC4: every result of a request that we send is as defined", () => {
    const results = ALL.filter(({ message, asked }) => message.result !== undefined && isCall(asked));
    expect(results.length).toBeGreaterThan(150);
    for (const { name, message, asked } of results) {
      if (!isCall(asked)) continue;
      const read = CALLS[asked].result.safeParse(message.result);
      expect({ name, asked, ok: read.success }).toEqual({ name, asked, ok: true });
    }
  });

  test("RC4: every approval is as defined", () => {
    const requests = ALL.filter(({ message }) => message.method !== undefined && message.id !== undefined);
    expect(requests.length).toBe(14);
    for (const { message } of requests) {
      const method = message.method ?? "";
      expect(isApprovalMethod(method) && APPROVALS[method].safeParse(message.params).success).toBe(true);
    }
  });

  test("RC4: every item is as defined, and of a type that has a kind of its own", () => {
    const items = ALL.flatMap(({ message }) =>
      message.params?.["item"] === undefined ? [] : [message.params["item"]],
    );
    expect(items.length).toBeGreaterThan(180);
    for (const item of items) expect(readItem(item)?.type).not.toBe("other");
    expect(items.every((item) => readItem(item) !== null)).toBe(true);
  });
});

describe("definitions", () => {
  test("RC3: open to fields that are not read, strict in those that are", () => {
    const turn = { id: "t", items: [], status: "completed", somethingNew: { deep: [1] } };
    const read = NOTIFICATIONS["turn/started"].safeParse({ threadId: "th", turn, more: 1 });
    expect(read.data).toEqual({ threadId: "th", turn: { id: "t", items: [], status: "completed" } });
    for (const wrong of [
      { ...turn, status: "paused" },
      { ...turn, id: 7 },
      { ...turn, id: "not an id" },
      { ...turn, items: {} },
    ]) {
      expect(NOTIFICATIONS["turn/started"].safeParse({ threadId: "th", turn: wrong }).success).toBe(false);
    }
  });

  test("RC3: an item of an unknown type is any other; one of a known type must be as defined", () => {
    expect(readItem({ type: "constructor", id: "i" })).toEqual({
      type: "other",
      id: "i",
      label: "constructor",
    });
    expect(readItem({ type: "plan", id: "i", text: "p", more: 1 })).toEqual({
      type: "plan",
      id: "i",
      text: "p",
    });
    for (const wrong of [
      null,
      1,
      [],
      {},
      { type: "plan" },
      { id: "i" },
      { type: "plan", id: "i", text: 1 },
    ]) {
      expect(readItem(wrong)).toBeNull();
    }
    expect(Object.keys(ITEMS)).toHaveLength(8);
  });

  test("RC7: what is opted out is dropped if it comes all the same, and no name is on two lists", () => {
    expect(OPTED_OUT).toHaveLength(7);
    expect(OPTED_OUT.every((method) => DROPPED.has(method))).toBe(true);
    expect([...DROPPED].filter(isEventMethod)).toEqual([]);
    expect([...REFUSED].filter(isApprovalMethod)).toEqual([]);
  });
});
