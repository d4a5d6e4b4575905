/** A TCP proxy between a client and a listener that passes whole frames on, and cuts the connection at one of them. */
import { Opcode, readFrames } from "./raw-websocket.ts";

export interface CuttingProxy {
  readonly url: string;
  /** Text frames that were passed on, in both directions. */
  passed(): number;
  /** Whether the connection was cut. */
  hasCut(): boolean;
  stop(): void;
}

interface Side {
  other: Bun.Socket<Side> | null;
  /** Passed on as soon as the other side is there. */
  early: Buffer[];
  isUpgraded: boolean;
  rest: Buffer;
}

/** `cutAt` counts text frames from 1, in both directions together; that one is not delivered. It cuts only once. */
export function cuttingProxy(port: number, cutAt: number): CuttingProxy {
  let passed = 0;
  let isCut = false;

  function take(socket: Bun.Socket<Side>, data: Buffer): void {
    const side = socket.data;
    side.rest = Buffer.concat([side.rest, data]);
    if (!side.isUpgraded) {
      const end = side.rest.indexOf("\r\n\r\n");
      if (end < 0) return;
      side.isUpgraded = true;
      give(side, side.rest.subarray(0, end + 4));
      side.rest = side.rest.subarray(end + 4);
    }
    const { frames, rest } = readFrames(side.rest);
    side.rest = rest;
    for (const { opcode, bytes } of frames) {
      if (opcode === Opcode.Text) {
        if (!isCut && passed + 1 === cutAt) {
          isCut = true;
          side.other?.terminate();
          socket.terminate();
          return;
        }
        passed++;
      }
      give(side, bytes);
    }
  }

  function give(side: Side, bytes: Buffer): void {
    if (side.other === null) side.early.push(Buffer.from(bytes));
    else side.other.write(bytes);
  }

  const handler: Bun.SocketHandler<Side> = {
    data: take,
    close: (socket) => void socket.data.other?.terminate(),
    error: (socket) => void socket.terminate(),
  };
  const newSide = (other: Bun.Socket<Side> | null): Side => ({
    other,
    early: [],
    isUpgraded: false,
    rest: Buffer.alloc(0),
  });
  const server = Bun.listen<Side>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      ...handler,
      open(client) {
        client.data = newSide(null);
        void Bun.connect<Side>({ hostname: "127.0.0.1", port, socket: handler, data: newSide(client) }).then(
          (upstream) => {
            client.data.other = upstream;
            for (const bytes of client.data.early) upstream.write(bytes);
          },
        );
      },
    },
  });
  return {
    url: `ws://127.0.0.1:${server.port}/app-server`,
    passed: () => passed,
    hasCut: () => isCut,
    stop: () => server.stop(true),
  };
}
