"""A program that breaks the protocol of agents/PROTOCOL.md in the way that it is told to: `hostile.py WAY MARK`.

MARK stands in the command line of every process that it starts, so that a test finds those that are left.
"""

import json
import os
import signal
import subprocess
import sys
import time

WAY = sys.argv[1]
OUT = sys.stdout.buffer
SELF = [sys.executable, "-I", "-S", __file__]


def write(data: bytes) -> None:
    OUT.write(data)
    OUT.flush()


def say(message: object) -> None:
    write(json.dumps(message).encode() + b"\n")


def hang() -> None:
    while True:
        time.sleep(60)


def spawn(way: str, **options: object) -> None:
    """Another process that plays no part, and hangs."""
    subprocess.Popen([*SELF, way, *sys.argv[2:]], **options)  # type: ignore[call-overload]


def on_hello(way: str) -> None:
    if way == "hello: hangs":
        hang()
    elif way == "hello: no name":
        say({"protocol": 1})
    elif way == "hello: other version":
        say({"name": "x", "protocol": 2})
    elif way == "hello: not JSON":
        write(b"uciok\n")
    elif way == "hello: ends":
        sys.exit(0)
    elif way == "hello: fails":
        sys.exit(3)
    elif way == "says more than asked":
        write(b'{"name": "x", "protocol": 1}\n{"action": "discard a"}\n')
    else:
        say({"name": "hostile 敌", "protocol": 1})
    if way == "never reads":
        hang()
    if way.startswith("children"):
        spawn("sleeps", start_new_session="session" in way)
        if "orphans" in way:
            spawn("forks and ends", start_new_session=True)


def on_move(way: str, legal: list[str]) -> None:
    answer = {"action": legal[0]}
    if way in ("hangs", "ignores SIGTERM", "children: hangs in a session of their own"):
        hang()
    elif way == "busy":
        while True:
            pass
    elif way == "half a line":
        write(b'{"action": "dis')
        hang()
    elif way == "blank lines":
        while True:
            write(b"\r\n \n")
            time.sleep(0.001)
    elif way == "closes its input":
        os.close(0)
        hang()
    elif way == "stops itself":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif way == "slow":
        time.sleep(0.5)
        say(answer)
    elif way == "fails":
        raise ValueError("no idea 不知道")
    elif way == "status 3":
        sys.exit(3)
    elif way == "killed":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif way == "kills its supervisor":
        os.kill(os.getppid(), signal.SIGKILL)
        hang()
    elif way == "takes memory":
        hoard = [bytearray(1 << 20) for _ in range(10_000)]
        say({"action": legal[len(hoard) % len(legal)]})
    elif way == "ends":
        sys.exit(0)
    elif way == "closes its output":
        os.close(1)
        hang()
    elif way == "ends, a child holds the output":
        spawn("sleeps")
        sys.exit(0)
    elif way.startswith("action "):
        say({"action": json.loads(way.removeprefix("action "))})
    elif way.startswith("bytes "):
        write(json.loads(way.removeprefix("bytes ")).encode("latin-1") + b"\n")
    elif way == "nested":
        write(b"[" * 10_000 + b"\n")
    elif way == "two answers":
        write((json.dumps(answer) + "\n").encode() * 2)
    elif way == "floods after its answer":
        say(answer)
        while True:
            write(b"y\n")
    elif way == "endless line":
        while True:
            write(b"x" * 4096)
    elif way == "10 MB line":
        write(b'{"action": "' + b"x" * 10_000_000 + b'"}\n')
    elif way == "floods standard error":
        while True:
            os.write(2, b"panic! " * 1000)
    elif way == "talks":
        os.write(2, b"thinking\n" * 100_000)
        say(answer)
    elif way == "in pieces":
        for byte in json.dumps(answer).encode() + b"\r\n":
            write(bytes([byte]))
    elif way == "in Chinese":
        verb, _, tiles = legal[0].partition(" ")
        glyphs = dict(zip("abcdefghijABCDEFGHIJ", "一二三四五六七八九十壹贰叁肆伍陆柒捌玖拾", strict=True))
        write(json.dumps({"action": f"{verb} {tiles.translate(str.maketrans(glyphs))}"}, ensure_ascii=False).encode())
        write(b"\n")
    else:
        say(answer)


def main() -> None:
    if WAY in ("sleeps", "forks and ends"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if WAY == "forks and ends" and os.fork():
            os._exit(0)
        hang()
    if WAY in ("ignores SIGTERM", "does not end"):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "move" in message and WAY == "ASCII only":
            line.decode("ascii")
        if "hello" in message:
            on_hello(WAY)
        elif "move" in message:
            on_move(WAY, message["move"]["legal"])
        elif "end" in message and WAY == "answers notices":
            say({"action": "thanks"})
        elif "quit" in message and WAY != "does not end":
            break
    if WAY == "does not end":
        hang()


if __name__ == "__main__":
    main()
