# A client written with another WebSocket library: one session, printed line by line. Arguments: URL and token.
import asyncio
import json
import sys

import websockets

URL, TOKEN = sys.argv[1:]


def connect(token):
    return websockets.connect(
        URL,
        subprotocols=["other", "samgita.agent.v1"],
        extra_headers={"Authorization": "Bearer " + token},
    )


def request(number, method, params, command_id=None):
    message = {
        "schema_version": "1.0",
        "type": "request",
        "id": f"p-{number}",
        "correlation_id": f"p-{number}",
        "method": method,
        "params": params,
    }
    if command_id is not None:
        message["command_id"] = command_id
    return json.dumps(message)


async def main():
    async with connect(TOKEN) as socket:
        print(socket.subprotocol, socket.extensions)
        try:
            async with connect(TOKEN[::-1]):
                print("accepted")
        except websockets.InvalidStatusCode as error:
            print("refused", error.status_code)
        groups = ["sessions.v1", "streaming.v1"]
        await socket.send(request(1, "connection/initialize", {"versions": ["1.0"], "capabilities": groups}))
        assert json.loads(await socket.recv())["result"]["capabilities"] == groups
        # In fragments, which are one message.
        text = request(2, "thread/start", {}, "k-1")
        await socket.send([text[:10], text[10:20], text[20:]])
        started = json.loads(await socket.recv())["result"]
        thread, stream = started["thread"]["thread_id"], started["stream"]["stream_id"]
        print("thread", thread)
        turn = {"thread_id": thread, "input": [{"type": "text", "text": "hé🎉"}]}
        await socket.send(request(3, "turn/start", turn, "k-2"))
        method = ""
        while method != "turn/completed":
            message = json.loads(await socket.recv())
            if message["type"] == "response":
                assert message["id"] == "p-3" and "result" in message
                continue
            method = message["method"]
            print(" ".join([str(message["cursor"]), method, message["params"].get("delta", "")]).rstrip())
        await socket.send(request(4, "stream/resume", {"stream_id": stream, "cursor": 0}))
        print("resumed", len(json.loads(await socket.recv())["result"]["events"]))
        await (await socket.ping())
        print("pong")
        await socket.send(b"binary")
        try:
            await socket.recv()
        except websockets.ConnectionClosed as error:
            print("closed", error.code)


asyncio.run(main())
