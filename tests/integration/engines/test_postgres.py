# SPDX-License-Identifier: Apache-2.0
"""Debian's PostgreSQL as a service under hardrun-guarded: the work of a database that wants shared memory,
a user of its own, signals and a volume, and none of the privileges that the profile takes away.

HARDRUN_POSTGRES_TREE names a tree made before (tests/support/debian_tree.sh DIR postgresql), to save the minutes."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import uuid

import pytest
from conftest import PROJECT, wait_until

IMAGE = "hr-postgres"
DATA = "/var/lib/postgresql/data"
# What a service's entry point does: make the data where there is none, then become the server.
ENTRY = f"""set -e
cd /usr/lib/postgresql/*/bin
[ -s {DATA}/PG_VERSION ] || ./initdb --pgdata={DATA} --auth=trust --locale=C.UTF-8 --no-sync
exec ./postgres -D {DATA} -c listen_addresses= -c unix_socket_directories=/tmp
"""


def make_tree(folder):
    script = PROJECT / "tests/support/debian_tree.sh"
    with tempfile.TemporaryFile() as log:
        done = subprocess.run([script, folder, "postgresql"], stdin=subprocess.DEVNULL, stdout=log,
                              stderr=subprocess.STDOUT, check=False, timeout=900)
        log.seek(0)
        lines = log.read().decode(errors="replace").splitlines()
    if done.returncode != 0:
        pytest.skip("no Debian tree with PostgreSQL: " + " / ".join(lines[-3:]))


@pytest.fixture(scope="session")
def tree():
    made = os.environ.get("HARDRUN_POSTGRES_TREE")
    if made:
        yield pathlib.Path(made)
        return
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hardrun-postgres-"))
    try:
        make_tree(folder / "root")
        yield folder / "root"
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def image(dockerd, tree):
    with tempfile.TemporaryDirectory(prefix="hardrun-postgres-") as folder:
        # The package's own cluster is not wanted: initdb is a part of the test.
        tar = pathlib.Path(folder) / "image.tar"
        subprocess.run(["tar", "-C", tree, "--exclude=./var/lib/postgresql/*", "--exclude=./var/cache/apt/*", "-cf", tar,
                        "."], check=True)
        dockerd.ok("import", tar, IMAGE, timeout=300)
    yield IMAGE
    dockerd.ok("rmi", IMAGE)


class Server:
    def __init__(self, docker, volume):
        self.docker, self.volume = docker.with_profile("guarded"), volume
        self.id = None

    def start(self):
        self.id = self.docker.ok("run", "-d", "--runtime", self.docker.runtime, "--network", "none", "--user", "postgres",
                                 "--stop-signal", "INT", "-v", f"{self.volume}:/var/lib/postgresql", IMAGE,
                                 "/bin/sh", "-c", ENTRY, timeout=180)
        self.wait()

    def wait(self):
        try:
            wait_until(lambda: self.psql("select 1").code == 0, 60)
        except AssertionError:
            raise AssertionError(self.docker("logs", self.id)) from None

    def psql(self, query):
        return self.docker("exec", self.id, "psql", "-h", "/tmp", "-v", "ON_ERROR_STOP=1", "-Atqc", query, "postgres")

    def ask(self, query):
        result = self.psql(query)
        assert result.code == 0, result
        return result.out.strip()

    def remove(self):
        self.docker.ok("stop", "-t", "30", self.id)
        self.docker.ok("rm", self.id)


@pytest.fixture(scope="module")
def server(dockerd, image):
    server = Server(dockerd, f"pg-{uuid.uuid4().hex[:8]}")
    dockerd.ok("volume", "create", server.volume)
    try:
        server.start()
        yield server
    finally:
        dockerd("rm", "-f", server.id or "")
        dockerd("volume", "rm", server.volume)


def test_a_table_is_made_and_read(server):
    server.ask("create table words (id serial primary key, word text unique not null)")
    server.ask("insert into words (word) select 'word ' || n from generate_series(1, 10000) n")
    assert server.ask("select count(*), min(id), max(id) from words") == "10000|1|10000"
    assert server.ask("select word from words where id = 77") == "word 77"
    assert "duplicate key" in server.psql("insert into words (word) values ('word 1')").err


def test_parallel_workers_share_memory(server):
    query = ("set min_parallel_table_scan_size = 0; set parallel_setup_cost = 0; set parallel_tuple_cost = 0; "
             "explain (analyze, costs off, timing off) select sum(length(word)) from words")
    assert "Workers Launched: 2" in server.ask(query)


def test_it_runs_as_its_user_with_what_guarded_leaves(server):
    status = server.docker.ok("exec", server.id, "grep", "-E", "^(Uid|CapEff|NoNewPrivs|Seccomp):", "/proc/1/status")
    values = dict(line.split(":") for line in status.splitlines())
    assert int(values["Uid"].split()[0]) != 0
    assert (int(values["CapEff"], 16), values["NoNewPrivs"].strip(), values["Seccomp"].strip()) == (0, "1", "2"), status


def test_data_survives_a_restart(server):
    server.ask("insert into words (word) values ('before the restart')")
    server.docker.ok("restart", "-t", "30", server.id)
    server.wait()
    assert server.ask("select id from words where word = 'before the restart'") != ""
    assert "database system was shut down" in server.docker("logs", server.id).err


def test_data_survives_the_container(server):
    server.remove()
    server.start()
    assert server.ask("select count(*) from words") == "10001"


def test_data_survives_a_kill(server):
    server.ask("insert into words (word) values ('before the kill')")
    server.docker.ok("kill", server.id)
    server.docker.ok("start", server.id)
    server.wait()
    assert server.ask("select count(*) from words") == "10002"
