# SPDX-License-Identifier: Apache-2.0
"""`podman --runtime hardrun`, with storage of its own."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import pytest
from conftest import call, program, unmount_below, wait_until


class Podman:
    def __init__(self, folder, profile=None):
        self.folder, self.profile = folder, profile

    def __call__(self, *args, **kwargs):
        f = self.folder
        return call("podman", "--root", f / "root", "--runroot", f / "run", "--tmpdir", f / "tmp", "--storage-driver", "vfs",
                    "--cgroup-manager", "cgroupfs", "--events-backend", "none",
                    *(["--runtime", program(self.profile)] if self.profile else []), *args, **kwargs)

    def ok(self, *args, **kwargs):
        result = self(*args, **kwargs)
        assert result.code == 0, result
        return result.out.strip()

    @property
    def limits(self):
        """podman raises limits by itself; compat fails as runc does where CAP_SYS_RESOURCE is missing."""
        return ["--ulimit", "nofile=512:512", "--ulimit", "nproc=512:512"] if self.profile == "compat" else []

    def run(self, *args, options=()):
        return self("run", "--rm", "--network", "none", *self.limits, *options, "hr", *args)

    def start(self, *args, options=()):
        return self.ok("run", "-d", "--network", "none", *self.limits, *options, "hr", *(args or ("sleep", "300")))


@pytest.fixture(scope="module")
def storage(image_tar):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hardrun-podman-"))
    podman = Podman(folder)
    podman.ok("import", image_tar, "hr")
    yield folder
    podman("rm", "-af", "-t", "0")
    unmount_below(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["compat", "guarded", "strict"])
def podman(request, storage):
    return Podman(storage, request.param)


@pytest.fixture
def container(podman):
    id = podman.start()
    yield id
    podman("rm", "-f", "-t", "0", id)


@pytest.mark.parametrize("args,code", [(["true"], 0), (["sh", "-c", "exit 77"], 77), (["/nope"], 127), (["/etc"], 126)])
def test_exit_codes(podman, args, code):
    result = podman.run(*args)
    assert result.code == code, result


def test_output_and_terminal(podman):
    assert podman.run("echo", "hello").out == "hello\n"
    assert "/dev/pts/0" in podman.run("tty", options=["-t"]).out


def test_capabilities_and_root(podman):
    result = podman.run("sh", "-c", "grep CapEff /proc/self/status; touch /x && echo wrote")
    assert ("wrote" in result.out) == (podman.profile != "strict"), result
    assert (int(result.out.split()[1], 16) == 0) == (podman.profile == "strict"), result


def test_exec(podman, container):
    assert podman.ok("exec", container, "echo", "in") == "in"
    assert podman.ok("exec", "-u", "1001:1002", "-w", "/home/bob", "-e", "A=b", container, "sh", "-c",
                     "id -u; pwd; echo $A").split() == ["1001", "/home/bob", "b"]
    assert "/dev/pts" in podman.ok("exec", "-t", container, "tty")
    assert podman("exec", container, "sh", "-c", "exit 5").code == 5


def test_pause_stop_restart_remove(podman, container):
    podman.ok("pause", container)
    podman.ok("unpause", container)
    podman.ok("restart", "-t", "0", container)
    assert podman.ok("exec", container, "echo", "again") == "again"
    podman.ok("stop", "-t", "1", container)
    assert podman.ok("inspect", "-f", "{{.State.ExitCode}}", container) == "137"


def test_logs_and_wait(podman):
    id = podman.start("sh", "-c", "echo said; exit 3")
    assert podman.ok("wait", id) == "3"
    wait_until(lambda: podman("logs", id).out == "said\n")
    podman.ok("rm", id)


def test_options(podman, tmp_path):
    (tmp_path / "a").write_text("A")
    result = podman.run("sh", "-c", "cat /v/a; hostname; ulimit -n; touch /t/x && echo tmpfs",
                        options=["-v", f"{tmp_path}:/v", "--hostname", "hn", "--ulimit", "nofile=123:456", "--tmpfs", "/t"])
    assert result.out == "Ahn\n123\ntmpfs\n", result


def test_top(podman, container):
    assert "sleep" in podman.ok("top", container)


def test_cp(podman, container, tmp_path):
    podman.ok("cp", f"{container}:/etc/passwd", tmp_path / "p")
    assert "bob" in (tmp_path / "p").read_text()


def test_init(podman):
    if not any(os.path.exists(p) for p in ("/usr/libexec/podman/catatonit", "/usr/bin/catatonit")):
        pytest.skip("catatonit is not installed")
    assert podman.run("true", options=["--init"]).code == 0
