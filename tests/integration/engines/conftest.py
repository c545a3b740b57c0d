# SPDX-License-Identifier: Apache-2.0
"""A dockerd of the tests' own: its own folders, socket, bridge and pid file; stopped by pid, nothing left."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import uuid

import pytest

PROJECT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("HARDRUN_BUILD", PROJECT / "build/release"))
# An emulated machine is slower by this factor: nothing waits less than on a real one.
SLOWNESS = int(os.environ.get("HARDRUN_TEST_SLOWNESS", "1"))
V2 = pathlib.Path("/sys/fs/cgroup/cgroup.controllers").exists()
PROFILES = ["compat", "guarded", "net", "strict"]


def program(profile):
    return BUILD / ("hardrun" if profile == "strict" else f"hardrun-{profile}")


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit {self.code}\nstdout: {self.out}\nstderr: {self.err}"


def call(*command, input=None, timeout=60, env=None):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        done = subprocess.run([str(c) for c in command], stdout=out, stderr=err, timeout=timeout * SLOWNESS, env=env,
                              input=input, stdin=None if input is not None else subprocess.DEVNULL)
        out.seek(0)
        err.seek(0)
        return Outcome(done.returncode, out.read().decode(errors="replace"), err.read().decode(errors="replace"))


def stop(process, seconds=20):
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def unmount_below(folder):
    """Mounts that an engine leaves behind, deepest first."""
    lines = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
    for point in sorted((line.split()[4] for line in lines), reverse=True):
        if point.startswith(str(folder)):
            subprocess.run(["umount", "-l", point], check=False)


@pytest.fixture(scope="session")
def image_tar():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hardrun-image-"))
    subprocess.run(["bash", "-euc", f". {PROJECT}/tests/support/packages.sh; make_rootfs {folder}/rootfs"], check=True)
    subprocess.run(["tar", "-C", folder / "rootfs", "-cf", folder / "image.tar", "."], check=True)
    yield folder / "image.tar"
    shutil.rmtree(folder)


class Docker:
    def __init__(self, folder, profile=None):
        self.folder, self.profile = folder, profile
        self.env = {**os.environ, "DOCKER_HOST": f"unix://{folder}/sock"}

    def with_profile(self, profile):
        return Docker(self.folder, profile)

    @property
    def runtime(self):
        return "hardrun" if self.profile == "strict" else f"hardrun-{self.profile}"

    def __call__(self, *args, **kwargs):
        return call("docker", *args, env=self.env, **kwargs)

    def ok(self, *args, **kwargs):
        result = self(*args, **kwargs)
        assert result.code == 0, result
        return result.out.strip()

    def run(self, *args, options=(), **kwargs):
        return self("run", "--rm", "--runtime", self.runtime, *options, "hr", *args, **kwargs)

    def start(self, *args, options=()):
        return self.ok("run", "-d", "--runtime", self.runtime, *options, "hr", *(args or ("sleep", "300")))


def start_bridge(tag):
    name = f"hr{tag[:6]}"
    octet = int(tag[:2], 16)
    subprocess.run(["ip", "link", "add", name, "type", "bridge"], check=True)
    subprocess.run(["ip", "addr", "add", f"10.213.{octet}.1/24", "dev", name], check=True)
    subprocess.run(["ip", "link", "set", name, "up"], check=True)
    return name


@pytest.fixture(scope="session")
def dockerd(image_tar):
    tag = uuid.uuid4().hex
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hardrun-docker-"))
    bridge = start_bridge(tag)
    command = ["dockerd", "--data-root", folder / "data", "--exec-root", folder / "exec", "--pidfile", folder / "pid",
               "--host", f"unix://{folder}/sock", "--bridge", bridge, "--iptables=false", "--ip6tables=false",
               "--storage-driver", os.environ.get("HARDRUN_TEST_STORAGE_DRIVER", "vfs")]
    for profile in PROFILES:
        name = "hardrun" if profile == "strict" else f"hardrun-{profile}"
        command += ["--add-runtime", f"{name}={program(profile)}"]
    log = open(folder / "log", "w")
    process = subprocess.Popen([str(c) for c in command], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    docker = Docker(folder)
    try:
        deadline = time.monotonic() + 60 * SLOWNESS
        while docker("info").code != 0:
            assert process.poll() is None and time.monotonic() < deadline, (folder / "log").read_text()[-2000:]
            time.sleep(0.2)
        docker.ok("import", image_tar, "hr")
        yield docker
        ids = docker.ok("ps", "-aq").split()
        if ids:
            docker.ok("rm", "-f", *ids)
    finally:
        stop(process)
        unmount_below(folder)
        subprocess.run(["ip", "link", "del", bridge], check=False)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["compat", "strict"])
def docker(request, dockerd):
    return dockerd.with_profile(request.param)


@pytest.fixture(params=PROFILES)
def every(request, dockerd):
    """For what the profiles differ in."""
    return dockerd.with_profile(request.param)


def wait_until(condition, seconds=15):
    deadline = time.monotonic() + seconds * SLOWNESS
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)
