#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes start_order.txt: the functions that run, create, start, exec and delete execute, in the order of
their first instruction, for the linker to lay them side by side (contrib/design/0004). A name that is gone
is ignored there; a new one stays where it was. Single-steps build/release/hardrun, which takes a minute
or two; needs root."""
import bisect
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = PROJECT / "build/release/hardrun-compat"
OUTPUT = PROJECT / "contrib/cmake/start_order.txt"
TRACEME, PEEKUSER, SINGLESTEP = 0, 3, 9
RIP = 16 * 8  # offset of rip in struct user (x86_64)

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.restype = ctypes.c_long
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


class Symbols:
    def __init__(self, program):
        lines = subprocess.run(["nm", "--defined-only", program], capture_output=True, text=True, check=True).stdout
        rows = [line.split() for line in lines.splitlines()]
        rows = sorted((int(a, 16), name) for a, kind, name in rows if kind in "tTwWiu")
        self.starts, self.names = [a for a, _ in rows], [n for _, n in rows]

    def at(self, address):
        i = bisect.bisect_right(self.starts, address) - 1
        return self.names[i] if i >= 0 else None


def base_of(pid):
    for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
        if line.endswith(str(PROGRAM.resolve())):
            return int(line.split("-")[0], 16)
    raise SystemExit(f"{PROGRAM} is not mapped in {pid}")


def step_through(arguments, symbols, seen):
    pid = os.fork()
    if pid == 0:
        libc.ptrace(TRACEME, 0, None, None)
        os.execv(PROGRAM, [str(PROGRAM), *arguments])
    os.waitpid(pid, 0)
    base = base_of(pid)
    signal = 0
    while True:
        if libc.ptrace(SINGLESTEP, pid, None, signal) != 0:
            raise OSError(ctypes.get_errno(), "PTRACE_SINGLESTEP")
        _, status = os.waitpid(pid, 0)
        if not os.WIFSTOPPED(status):
            break
        stopped = os.WSTOPSIG(status)
        signal = 0 if stopped == 5 else stopped
        name = symbols.at((libc.ptrace(PEEKUSER, pid, RIP, None) & (2**64 - 1)) - base)
        if name is not None:
            seen.setdefault(name)
    if status != 0:
        raise SystemExit(f"{' '.join(arguments)}: status {status}")


def main():
    if os.geteuid() != 0:
        sys.exit("needs root")
    symbols, seen = Symbols(PROGRAM), {}
    with tempfile.TemporaryDirectory() as work:
        script = f". {PROJECT}/tests/support/packages.sh; make_rootfs {work}/rootfs"
        subprocess.run(["bash", "-euc", script], check=True)
        subprocess.run([PROGRAM, "spec", "--bundle", work], check=True)
        config = json.loads(pathlib.Path(work, "config.json").read_text())
        config["root"]["path"] = f"{work}/rootfs"
        for name, args in (("true", ["/bin/true"]), ("sleep", ["/bin/sleep", "1000"])):
            config["process"].update(terminal=False, args=args)
            pathlib.Path(work, name).mkdir()
            pathlib.Path(work, name, "config.json").write_text(json.dumps(config))
        id = f"order-{os.getpid()}"
        root = ["--root", f"{work}/state"]
        try:
            for verb in (["run", "--bundle", f"{work}/true", id + "-run"],
                         ["create", "--bundle", f"{work}/sleep", id], ["start", id],
                         ["exec", id, "/bin/true"], ["delete", "--force", id]):
                print("stepping through", verb[0], flush=True)
                step_through(root + verb, symbols, seen)
        finally:
            subprocess.run([PROGRAM, *root, "delete", "--force", id], check=True)
    OUTPUT.write_text("\n".join(seen) + "\n")
    print(f"{len(seen)} functions in {OUTPUT.relative_to(PROJECT)}")


main()
