/** Why an attempt to connect failed (RW19). */

import type { Client, ErrorCode } from "../index.ts";
import type { EndReason } from "./ending.ts";

const INSPECT = Symbol.for("nodejs.util.inspect.custom");

export interface ConnectErrorStatus {
  readonly name: "ConnectError";
  readonly reason: EndReason;
  readonly code?: ErrorCode;
  readonly status?: number;
}

export class ConnectError extends Error {
  override readonly name = "ConnectError";
  readonly #status: ConnectErrorStatus;
  readonly #client: Client;

  constructor(reason: EndReason, client: Client, told: { code?: ErrorCode; status?: number } = {}) {
    super(`the connection could not be made: ${reason}`);
    this.#client = client;
    this.#status = Object.freeze({ name: this.name, reason, ...told });
  }

  get reason(): EndReason {
    return this.#status.reason;
  }

  /** Of the host's error answer, or of its message that was refused. */
  get code(): ErrorCode | undefined {
    return this.#status.code;
  }

  /** Of an HTTP answer that was no upgrade, where the runtime tells it. */
  get status(): number | undefined {
    return this.#status.status;
  }

  /** Disconnected. */
  get client(): Client {
    return this.#client;
  }

  toJSON(): ConnectErrorStatus {
    return this.#status;
  }

  [INSPECT](): ConnectErrorStatus {
    return this.#status;
  }
}
