# SPDX-License-Identifier: Apache-2.0
"""`hardrun install docker` as a user does it: the file that it writes is the one that dockerd reads."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import pytest
from conftest import Docker, call, program, stop, unmount_below

NAMES = {"hardrun": "strict", "hardrun-net": "net", "hardrun-guarded": "guarded", "hardrun-compat": "compat"}


class Daemon:
    """A dockerd that has its runtimes from a daemon.json alone."""

    def __init__(self, folder):
        self.folder, self.file = folder, folder / "etc/daemon.json"
        self.docker = Docker(folder, "strict")
        self.process = self.log = None

    def start(self):
        command = ["dockerd", "--config-file", self.file, "--data-root", self.folder / "data", "--exec-root",
                   self.folder / "exec", "--pidfile", self.folder / "pid", "--host", f"unix://{self.folder}/sock",
                   "--bridge", "none", "--iptables=false", "--ip6tables=false"]
        self.log = open(self.folder / "log", "a")
        self.process = subprocess.Popen([str(c) for c in command], stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while self.docker("info").code != 0:
            assert self.process.poll() is None and time.monotonic() < deadline, self.text_of_log()
            time.sleep(0.2)

    def text_of_log(self):
        return (self.folder / "log").read_text()[-2000:]

    def stop(self):
        if self.process is not None:
            stop(self.process)
            self.log.close()
            self.process = None

    def hardrun(self, *args):
        result = call(program("strict"), *args, "docker", "--config", self.file)
        assert result.code == 0, result
        return result.out

    def runtimes(self):
        return json.loads(self.docker.ok("info", "-f", "{{json .Runtimes}}"))


@pytest.fixture
def daemon():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hardrun-install-"))
    daemon = Daemon(folder)
    daemon.file.parent.mkdir()
    try:
        yield daemon
    finally:
        daemon.stop()
        unmount_below(folder)
        shutil.rmtree(folder, ignore_errors=True)


def test_install_run_and_uninstall(daemon, image_tar):
    before = json.dumps({"storage-driver": "vfs", "log-level": "warn"}) + "\n"
    daemon.file.write_text(before)
    daemon.hardrun("install", "--compat")
    daemon.start()
    docker = daemon.docker
    assert {name: r["path"] for name, r in daemon.runtimes().items() if name in NAMES} == {
        name: os.path.realpath(program("strict").parent) + "/" + name for name in NAMES}
    assert docker.ok("info", "-f", "{{.DefaultRuntime}}") == "runc"
    docker.ok("import", image_tar, "hr")
    for name, profile in NAMES.items():
        mine = docker.with_profile(profile)
        mine_out = mine.run("sh", "-c", "touch /x 2>/dev/null && echo wrote || echo read-only", options=["--network", "none"])
        expected = "read-only\n" if profile in ("strict", "net") else "wrote\n"
        assert (mine_out.code, mine_out.out) == (0, expected), (name, mine_out)

    daemon.hardrun("uninstall")
    assert daemon.file.read_text() == before
    assert [p.name for p in daemon.file.parent.iterdir()] == ["daemon.json"]
    daemon.stop()
    daemon.start()
    assert NAMES.keys() & daemon.runtimes().keys() == set()
    refused = docker.run("true")
    assert refused.code == 125 and "hardrun" in refused.err, refused


def test_a_running_dockerd_reads_it_on_reload(daemon, image_tar):
    """What `install` tells the user to do next: `systemctl reload docker` sends SIGHUP."""
    daemon.file.write_text('{"storage-driver": "vfs"}\n')
    daemon.start()
    daemon.docker.ok("import", image_tar, "hr")
    assert daemon.docker.run("true", options=["--network", "none"]).code == 125
    assert "reload docker" in daemon.hardrun("install")
    daemon.process.send_signal(1)
    deadline = time.monotonic() + 20
    while "hardrun" not in daemon.runtimes():
        assert time.monotonic() < deadline, daemon.text_of_log()
        time.sleep(0.1)
    assert daemon.docker.run("echo", "in", options=["--network", "none"]).out == "in\n"
