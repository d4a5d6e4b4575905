/** The connections of the fake agent, and what it may send on each of them. */

import { groupOfNotification } from "../capability.ts";
import type {
  ApprovalAction,
  Capability,
  NotificationMessage,
  ParamsOf,
  Server,
  ServerStep,
} from "../index.ts";

/** A connection as its runner holds it; a `HostConnection` is one. */
export interface FakePeer {
  readonly connectionId: string;
  readonly server: Server<null>;
  update<T>(step: (server: Server<null>) => ServerStep<null, T>): ServerStep<null, T>;
}

export class Peers {
  readonly #peers = new Map<string, FakePeer>();

  add(peer: FakePeer): void {
    for (const [id, { server }] of this.#peers) {
      if (server.phase === "closed") this.#peers.delete(id);
    }
    this.#peers.set(peer.connectionId, peer);
  }

  /** Without `streaming.v1` or `sessions.v1` the numbers of a mixed log would have holes (R87). */
  takesNumbers(connectionId: string): boolean {
    return this.#has(connectionId, "sessions.v1") && this.#has(connectionId, "streaming.v1");
  }

  /** Sends an event of a log, as far as the connection negotiated it. False where the connection is gone. */
  deliver(connectionId: string, event: NotificationMessage): boolean {
    const peer = this.#peers.get(connectionId);
    if (peer === undefined || peer.server.phase === "closed") return false;
    if (this.takesNumbers(connectionId)) return peer.update((server) => server.notify(event)).ok;
    if (!this.#has(connectionId, groupOfNotification(event.method))) return true;
    return peer.update((server) => server.notify(withoutNumber(event))).ok;
  }

  /** Asks the first of the connections that can be asked. False where nobody was. */
  ask(
    connectionIds: Iterable<string>,
    params: ParamsOf<"approval/request"> & { readonly action: ApprovalAction },
    commandId: string,
  ): boolean {
    for (const connectionId of connectionIds) {
      const peer = this.#peers.get(connectionId);
      if (peer === undefined || !this.#has(connectionId, "approvals.v1")) continue;
      if (peer.update((server) => server.request("approval/request", params, { commandId })).ok) return true;
    }
    return false;
  }

  /** Answers a deferred request, if its connection is still there. */
  complete(connectionId: string, id: string, outcome: Parameters<Server<null>["complete"]>[1]): void {
    this.#peers.get(connectionId)?.update((server) => server.complete(id, outcome));
  }

  #has(connectionId: string, group: Capability): boolean {
    return this.#peers.get(connectionId)?.server.negotiated.includes(group) === true;
  }
}

function withoutNumber(event: NotificationMessage): NotificationMessage {
  const { stream_id: _, cursor: __, ...rest } = event;
  return rest;
}
