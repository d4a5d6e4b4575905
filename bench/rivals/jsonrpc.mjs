// A server made with vscode-jsonrpc, as language servers are, that answers `ping`.
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";

const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
connection.onRequest("ping", () => ({ pong: true, state: "configured" }));
connection.onClose(() => process.exit());
connection.listen();
