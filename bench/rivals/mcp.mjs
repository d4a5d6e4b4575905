// A server made with the SDK of the Model Context Protocol; it answers `ping` by itself.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

process.stdin.on("end", () => process.exit());
await new McpServer({ name: "rival", version: "0.0.0" }).connect(new StdioServerTransport());
