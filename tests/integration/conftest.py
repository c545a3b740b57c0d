# SPDX-License-Identifier: Apache-2.0
"""Real containers from a busybox bundle. Every test has a folder, a state root and an id prefix of its own,
so that two runs at once do not meet; what a test leaves is removed by id."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import uuid

import pytest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("HARDRUN_BUILD", PROJECT / "build/release"))
# An emulated machine is slower by this factor: nothing waits less than on a real one.
SLOWNESS = int(os.environ.get("HARDRUN_TEST_SLOWNESS", "1"))
TIMEOUT = 30 * SLOWNESS
# Cgroup v2 is one tree; of v1 every controller has its own.
ROOT = pathlib.Path("/sys/fs/cgroup")
V2 = (ROOT / "cgroup.controllers").exists()
GROUPS = [ROOT] if V2 else [p for p in ROOT.iterdir() if p.is_dir()]


def pytest_collection_modifyitems(items):
    if os.geteuid() != 0:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="needs root"))


@pytest.fixture(scope="session")
def rootfs_template():
    folder = tempfile.mkdtemp(prefix="hardrun-rootfs-")
    script = f". {PROJECT}/tests/support/packages.sh; make_rootfs {folder}/rootfs"
    subprocess.run(["bash", "-euc", script], check=True)
    yield pathlib.Path(folder) / "rootfs"
    shutil.rmtree(folder)


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit {self.code}\nstdout: {self.out}\nstderr: {self.err}"


class Runtime:
    """One hardrun (or another runtime) with a state root and bundles below one folder."""

    def __init__(self, folder, profile, rootfs):
        self.folder, self.profile, self.rootfs = folder, profile, rootfs
        self.program = BUILD / ("hardrun" if profile == "strict" else f"hardrun-{profile}")
        self.root = folder / "state"
        self.tag = uuid.uuid4().hex[:8]
        self.ids = []

    def call(self, *args, input=None, timeout=TIMEOUT, env=None, **kwargs):
        # Files, not pipes: a container's process keeps them open after the runtime has gone.
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            done = subprocess.run(
                [str(self.program), "--root", str(self.root), *map(str, args)], stdout=out, stderr=err,
                input=input, stdin=None if input else subprocess.DEVNULL, timeout=timeout, env=env, **kwargs)
            out.seek(0)
            err.seek(0)
            return Result(done.returncode, out.read().decode(errors="replace"), err.read().decode(errors="replace"))

    def ok(self, *args, **kwargs):
        result = self.call(*args, **kwargs)
        assert result.code == 0, result
        return result

    def new_id(self, name="c"):
        self.ids.append(f"{name}-{self.tag}-{len(self.ids)}")
        return self.ids[-1]

    def bundle(self, args=("/bin/true",), change=None):
        """A bundle with a root file system of its own; `change` edits config.json."""
        folder = self.folder / f"bundle-{uuid.uuid4().hex[:8]}"
        shutil.copytree(self.rootfs, folder / "rootfs", symlinks=True)
        self.ok("spec", "--bundle", folder)
        config = json.loads((folder / "config.json").read_text())
        config["process"]["terminal"] = False
        config["process"]["args"] = ["/bin/sh", "-c", args] if isinstance(args, str) else list(args)
        config["linux"]["cgroupsPath"] = f"/hardrun-test/{self.tag}-{folder.name}"
        if change:
            change(config)
        (folder / "config.json").write_text(json.dumps(config))
        return folder

    def run(self, args=("/bin/true",), change=None, extra=(), **kwargs):
        """`run` in the foreground, to its end."""
        return self.call("run", "--bundle", self.bundle(args, change), *extra, self.new_id(), **kwargs)

    def start(self, args="sleep 100", change=None, extra=()):
        """A running container's id."""
        id = self.new_id()
        self.ok("run", "--detach", "--bundle", self.bundle(args, change), *extra, id)
        return id

    def create(self, args="sleep 100", change=None, extra=()):
        id = self.new_id()
        self.ok("create", "--bundle", self.bundle(args, change), *extra, id)
        return id

    def state(self, id):
        return json.loads(self.ok("state", id).out)

    def wait_for(self, id, status, seconds=10):
        deadline = time.monotonic() + seconds * SLOWNESS
        while self.state(id)["status"] != status:
            assert time.monotonic() < deadline, f"{id} is {self.state(id)}, not {status}"
            time.sleep(0.01)

    def leftovers(self):
        """What a failed or finished container must not leave."""
        folders = [p.name for p in self.root.iterdir()] if self.root.exists() else []
        groups = [str(p) for base in GROUPS for p in (base / "hardrun-test").glob(f"{self.tag}-*")]
        mounts = [line for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
                  if str(self.folder) in line]
        return folders + groups + mounts

    def clean_up(self):
        for id in self.ids:
            self.call("delete", "--force", id)


@pytest.fixture(params=["compat", "strict"])
def rt(request, tmp_path, rootfs_template):
    runtime = Runtime(tmp_path, request.param, rootfs_template)
    yield runtime
    runtime.clean_up()
    assert runtime.leftovers() == []


@pytest.fixture
def compat(tmp_path, rootfs_template):
    runtime = Runtime(tmp_path, "compat", rootfs_template)
    yield runtime
    runtime.clean_up()
    assert runtime.leftovers() == []


@pytest.fixture
def strict(tmp_path, rootfs_template):
    runtime = Runtime(tmp_path, "strict", rootfs_template)
    yield runtime
    runtime.clean_up()
    assert runtime.leftovers() == []
