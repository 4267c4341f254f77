"""Runs another player's program and sees to it that nothing of it is left behind: a script of its own.

    python -I -S supervise.py LIFELINE BYTES COMMAND [ARGUMENT …]

The program gets this script's standard input, output and error, a session of its own, and may take BYTES of data (0:
no limit). All of its descendants are killed as soon as

- the program ends: then this script ends with its exit status, 128 + n after signal n;
- LIFELINE, a descriptor of a pipe, is at its end, or the parent of this script is gone: so even if that was killed
  with -9, nothing plays on.

On Linux also those descendants are found that have left the session or lost their parents (PR_SET_CHILD_SUBREAPER),
and the program dies with this script (PR_SET_PDEATHSIG). Nothing but the standard library is imported: it starts in
some 20 ms and takes next to no time while it waits.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import select
import signal
import sys
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
LOOKS_EVERY = 0.5  # seconds between looks at whether the parent is still there
KILLS_FOR = 5.0  # seconds after which killing is given up
PROC = "/proc"
NOT_STARTED = 127


def prctl(option: int, value: int) -> None:
    """Ask the Linux kernel for something about this process; elsewhere do nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def start(command: list[str], data: int) -> int:
    """Start the program; its process id."""
    me = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != me:
        os._exit(NOT_STARTED)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if data:
            # Not RLIMIT_AS: Node and Java reserve far more addresses than they use.
            resource.setrlimit(resource.RLIMIT_DATA, (data, data))
        os.execvp(command[0], command)
    except (OSError, ValueError) as error:
        os.write(2, f"{command[0]}: {error}\n".encode(errors="replace"))
    os._exit(NOT_STARTED)


def reap(pid: int) -> int | None:
    """Bury the dead; the exit status of the program, if it is among them."""
    found = None
    with contextlib.suppress(ChildProcessError):
        while True:
            dead, status = os.waitpid(-1, os.WNOHANG)
            if not dead:
                break
            if dead == pid:
                code = os.waitstatus_to_exitcode(status)
                found = code if code >= 0 else 128 - code
    return found


def descendants() -> list[int]:
    """All processes below this one."""
    parents = {}
    for entry in os.listdir(PROC):  # noqa: PTH208 - importing pathlib takes longer than all of this
        if entry.isdigit():
            with contextlib.suppress(OSError, IndexError), open(f"{PROC}/{entry}/stat", "rb") as file:  # noqa: PTH123
                parents[int(entry)] = int(file.read().rpartition(b")")[2].split()[1])
    below: list[int] = []
    level = {os.getpid()}
    while level:
        level = {pid for pid, parent in parents.items() if parent in level and pid != parent}
        below += level
    return below


def kill_all(pid: int) -> int | None:
    """Kill everything below this process, and again what was started meanwhile; the program's status if it is new."""
    found = None
    until = time.monotonic() + KILLS_FOR
    while time.monotonic() < until:
        # Without /proc the program's own process group has to do.
        for target in descendants() if os.path.exists(f"{PROC}/self/stat") else [-pid]:  # noqa: PTH110
            with contextlib.suppress(OSError):
                os.kill(target, signal.SIGKILL)
        status = reap(pid)
        found = found if status is None else status
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            break
        time.sleep(0.001)
    return found


def main() -> int:
    lifeline, data, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    parent = os.getppid()
    os.set_inheritable(lifeline, False)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    wake, waker = os.pipe()
    os.set_blocking(waker, False)
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    told_to_end = False

    def end(number: int, frame: object) -> None:
        nonlocal told_to_end
        told_to_end = True

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, end)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)  # so that it wakes
    pid = start(command, data)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):  # else the program's own end of them would not be seen
        os.dup2(nowhere, stream)
    status = None
    while status is None and not told_to_end and os.getppid() == parent:
        ready, _, _ = select.select([lifeline, wake], [], [], LOOKS_EVERY)
        if lifeline in ready:
            break
        if wake in ready:
            os.read(wake, 4096)
        status = reap(pid)
    late = kill_all(pid)
    return next((code for code in (status, late) if code is not None), 128 + signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
