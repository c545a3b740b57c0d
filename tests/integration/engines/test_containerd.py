# SPDX-License-Identifier: Apache-2.0
"""`ctr run --runc-binary hardrun` through containerd's own runc shim, with a containerd of the tests' own."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import uuid

import pytest
from conftest import V2, call, program, stop, unmount_below, wait_until


class Containerd:
    def __init__(self, folder, profile=None):
        self.folder, self.profile = folder, profile

    def __call__(self, *args, **kwargs):
        return call("ctr", "--address", self.folder / "sock", "-n", "hr", *args, **kwargs)

    def ok(self, *args, **kwargs):
        result = self(*args, **kwargs)
        assert result.code == 0, result
        return result.out.strip()

    def new_id(self):
        return f"c{uuid.uuid4().hex[:10]}"

    def run(self, *args, options=(), rootfs=None):
        id = self.new_id()
        return self("run", "--rm", "--runc-binary", program(self.profile), "--env", "PATH=/bin", *options, "--rootfs", rootfs or self.folder / "rootfs",
                    id, *args)


@pytest.fixture(scope="module")
def daemon(image_tar):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hardrun-ctr-"))
    (folder / "rootfs").mkdir()
    subprocess.run(["tar", "-C", folder / "rootfs", "-xf", image_tar], check=True)
    (folder / "config.toml").write_text(
        f'version = 2\nroot = "{folder}/root"\nstate = "{folder}/state"\n'
        f'disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.snapshotter.v1.btrfs", '
        f'"io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs"]\n[grpc]\naddress = "{folder}/sock"\n')
    log = open(folder / "log", "w")
    process = subprocess.Popen(["containerd", "--config", folder / "config.toml"], stdout=log, stderr=log,
                               stdin=subprocess.DEVNULL)
    ctr = Containerd(folder)
    try:
        wait_until(lambda: ctr("version").code == 0, 30)
        yield ctr
    finally:
        stop(process)
        unmount_below(folder)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["compat", "guarded", "strict"])
def ctr(request, daemon):
    return Containerd(daemon.folder, request.param)


@pytest.mark.parametrize("args,code", [(["true"], 0), (["sh", "-c", "exit 77"], 77)])
def test_exit_codes(ctr, args, code):
    result = ctr.run(*args)
    assert result.code == code, result


def test_output(ctr):
    assert ctr.run("echo", "hello").out == "hello\n"


def test_missing_program(ctr):
    result = ctr.run("nope")
    assert result.code != 0 and "executable file not found in $PATH" in result.err, result


def test_capabilities_and_root(ctr):
    result = ctr.run("sh", "-c", "grep CapEff /proc/self/status; touch /tmp/x && echo tmp; touch /x && echo wrote")
    assert "tmp" in result.out and ("wrote" in result.out) == (ctr.profile != "strict"), result
    assert (int(result.out.split()[1], 16) == 0) == (ctr.profile == "strict"), result


def test_detached_exec_kill(ctr):
    id = ctr.new_id()
    ctr.ok("run", "-d", "--runc-binary", program(ctr.profile), "--env", "PATH=/bin", "--rootfs", ctr.folder / "rootfs", id, "sleep", "300")
    try:
        assert ctr.ok("task", "exec", "--exec-id", "e1", id, "echo", "in") == "in"
        assert ctr("task", "exec", "--exec-id", "e2", id, "sh", "-c", "exit 5").code == 5
        ctr.ok("task", "pause", id)
        assert "PAUSED" in ctr.ok("task", "ls")
        ctr.ok("task", "resume", id)
        assert id in ctr.ok("task", "metrics", id)
        assert ctr.ok("task", "ps", id)
        ctr.ok("task", "kill", "-s", "SIGKILL", id)
        wait_until(lambda: "STOPPED" in ctr.ok("task", "ls"))
    finally:
        ctr("task", "delete", "-f", id)
        ctr("container", "delete", id)


def test_limits(ctr):
    base = pathlib.Path("/sys/fs/cgroup") / ("" if V2 else "memory")
    id = ctr.new_id()
    ctr.ok("run", "-d", "--memory-limit", str(64 << 20), "--runc-binary", program(ctr.profile), "--env", "PATH=/bin",
           "--rootfs", ctr.folder / "rootfs", id, "sleep", "300")
    try:
        pid = next(line.split()[1] for line in ctr.ok("task", "ls").splitlines() if line.startswith(id))
        group = next(line.split(":")[2] for line in pathlib.Path(f"/proc/{pid}/cgroup").read_text().splitlines()
                     if line.split(":")[1] == ("" if V2 else "memory"))
        file = "memory.max" if V2 else "memory.limit_in_bytes"
        assert (base / group.lstrip("/") / file).read_text().strip() == str(64 << 20)
    finally:
        ctr("task", "delete", "-f", id)
        ctr("container", "delete", id)


def test_ten_in_a_row(ctr):
    for n in range(10):
        assert ctr.run("echo", str(n)).out == f"{n}\n"
