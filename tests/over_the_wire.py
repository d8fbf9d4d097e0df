"""Bytes over a socket to a server on this machine, as a program sends them that keeps no rule of HTTP."""

from __future__ import annotations

import contextlib
import socket
import time
from typing import NamedTuple


class Heard(NamedTuple):
    """What came back: every byte, and whether the server ended the talk itself."""

    data: bytes
    ended: bool

    @property
    def status(self) -> int:
        """The status of the first answer; 0 where none came."""
        first = self.data.partition(b"\r\n")[0].split(b" ")
        if len(first) < 2 or not first[0].startswith(b"HTTP/1.") or not first[1].isdigit():
            return 0
        return int(first[1])

    @property
    def body(self) -> bytes:
        return self.data.partition(b"\r\n\r\n")[2]

    def header(self, name: str) -> list[str]:
        """The values of a header of the first answer, in their order."""
        lines = self.data.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")[1:]
        pairs = [line.partition(":") for line in lines]
        return [value.strip() for key, _, value in pairs if key.lower() == name.lower()]


def exchange(port: int, data: bytes, seconds: float = 10.0, *, host: str = "127.0.0.1") -> Heard:
    """Sends all bytes and hears what comes, at most so long; one end closed early is no error."""
    end = time.monotonic() + seconds
    with socket.create_connection((host, port), timeout=seconds) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        heard = bytearray()
        with contextlib.suppress(OSError):
            line.sendall(data)
        while (left := end - time.monotonic()) > 0:
            line.settimeout(left)
            try:
                part = line.recv(1 << 16)
            except TimeoutError:
                return Heard(bytes(heard), ended=False)
            except OSError:
                part = b""
            if not part:
                return Heard(bytes(heard), ended=True)
            heard += part
        return Heard(bytes(heard), ended=False)
