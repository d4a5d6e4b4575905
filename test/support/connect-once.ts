// Connects once to CONNECT_URL with CONNECT_TOKEN, closes, and says how it went. It ends by itself.
import { ConnectError, connect } from "../../src/protocol/websocket/index.ts";

try {
  const connection = await connect({
    url: process.env["CONNECT_URL"] ?? "",
    token: () => process.env["CONNECT_TOKEN"] ?? "",
    capabilities: ["sessions.v1"],
    onEffects: () => undefined,
    onEnd: () => undefined,
  });
  console.log(connection.client.phase);
  await connection.close();
} catch (error) {
  console.log(error instanceof ConnectError ? error.reason : "another error");
}
