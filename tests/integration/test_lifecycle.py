# SPDX-License-Identifier: Apache-2.0
"""Verbs, states, exit codes and words (cases C01, C02, C15, C16, C17, C39, C40)."""
import json
import os
import pathlib
import socket
import subprocess
import threading
import time

import pytest


def test_c01_exit_status_is_the_programs(rt):
    assert rt.run("exit 77").code == 77


def test_c01_killed_from_outside_is_128_plus_signal(rt):
    bundle = rt.bundle("sleep 100")
    id = rt.new_id()
    process = subprocess.Popen(
        [rt.program, "--root", rt.root, "run", "--bundle", bundle, id], stdin=subprocess.DEVNULL)
    wait_until(lambda: rt.call("state", id).code == 0 and rt.state(id)["status"] == "running")
    rt.ok("kill", id, "KILL")
    assert process.wait(timeout=10) == 137


@pytest.mark.parametrize("program", ["/nope", "/etc"])
def test_c01_failure_to_start_is_1_and_leaves_nothing(rt, program):
    result = rt.run([program])
    assert result.code == 1
    assert program in result.err
    assert rt.ok("list", "-q").out == ""


@pytest.mark.parametrize("args,code,words", [
    (["/bin/sh", "-c", "exit 1"], 1, ""),
    (["/nope"], 255, "no such file or directory"),
    (["nope"], 255, "executable file not found in $PATH"),
    (["/etc/passwd"], 255, "permission denied"),
    (["/bin/sh", "-c", "kill -9 $$"], 137, ""),
])
def test_c02_exec_status(rt, args, code, words):
    id = rt.start()
    result = rt.call("exec", id, *args)
    assert result.code == code, result
    assert words in result.err


def test_c02_exec_refusals(rt):
    id = rt.start()
    assert rt.call("exec", "--cwd", "/nodir", id, "/bin/pwd").code == 255
    rt.ok("pause", id)
    paused = rt.call("exec", id, "/bin/true")
    assert paused.code == 255 and "cannot exec in a paused container" in paused.err
    rt.ok("resume", id)
    rt.ok("kill", id, "9")
    rt.wait_for(id, "stopped")
    assert rt.call("exec", id, "/bin/true").code == 255
    assert rt.call("exec", "nosuch", "/bin/true").code == 255


@pytest.mark.parametrize("id", ["a", "_a", "A.b-c", "a+b", "x" * 200, "x" * 255])
def test_c15_good_ids_work_with_every_verb(compat, id):
    compat.ids.append(id)
    compat.ok("create", "--bundle", compat.bundle("sleep 100"), id)
    compat.ok("start", id)
    assert compat.ok("exec", id, "echo", "in").out == "in\n"
    compat.ok("ps", id)
    compat.ok("delete", "--force", id)


@pytest.mark.parametrize("id", ["", ".", "..", "a/b", "a b", "é", "a:b", "a@b", "a=b", "a,b", ".a", "x" * 256,
                                "x" * 1025])
def test_c15_bad_ids_leave_nothing(compat, id):
    assert compat.call("create", "--bundle", compat.bundle(), id).code != 0
    assert compat.leftovers() == []


def test_c16_state_machine(rt):
    bundle = rt.bundle("echo orig; sleep 100", lambda c: c.update(annotations={"a": "b"}))
    id = rt.new_id()
    rt.ok("create", "--bundle", bundle, id)
    state = rt.state(id)
    assert state["status"] == "created" and state["pid"] > 0
    assert state["bundle"] == str(bundle) and state["annotations"] == {"a": "b"}
    assert state["id"] == id and state["ociVersion"]
    again = rt.call("create", "--bundle", bundle, id)
    assert again.code == 1 and "container with given ID already exists" in again.err
    assert rt.state(id)["pid"] == state["pid"]
    assert rt.ok("exec", id, "echo", "early").out == "early\n"
    rt.ok("start", id)
    assert rt.state(id)["status"] == "running"
    assert rt.call("start", id).code != 0
    assert rt.call("delete", id).code != 0
    assert rt.state(id)["pid"] == state["pid"]
    rt.ok("kill", id, "KILL")
    rt.wait_for(id, "stopped")
    assert rt.state(id)["pid"] == 0
    rt.ok("delete", id)
    assert rt.call("state", id).code == 1


def test_c16_start_uses_what_create_read(rt):
    bundle = rt.bundle("echo orig >/dev/shm/said; sleep 100")
    id = rt.new_id()
    rt.ok("create", "--bundle", bundle, id)
    config = json.loads((bundle / "config.json").read_text())
    config["process"]["args"] = ["/bin/sh", "-c", "echo changed >/dev/shm/said; sleep 100"]
    (bundle / "config.json").write_text(json.dumps(config))
    rt.ok("start", id)
    wait_until(lambda: rt.call("exec", id, "cat", "/dev/shm/said").out == "orig\n")


def test_c16_created_container_can_be_deleted(rt):
    id = rt.create()
    pid = rt.state(id)["pid"]
    rt.ok("delete", id)
    assert not pathlib.Path(f"/proc/{pid}").exists() or is_zombie(pid)


def test_c16_works_without_its_bundle(rt):
    bundle = rt.bundle("sleep 100")
    id = rt.new_id()
    rt.ok("run", "-d", "--bundle", bundle, id)
    (bundle / "config.json").unlink()
    assert rt.ok("exec", id, "echo", "still").out == "still\n"
    rt.ok("kill", id, "KILL")
    rt.wait_for(id, "stopped")
    rt.ok("delete", id)


@pytest.mark.parametrize("name", ["15", "TERM", "SIGTERM", "term", "sigterm", None])
def test_c17_signal_names(rt, name):
    id = rt.start("trap 'exit 3' TERM; while :; do sleep 0.05; done")
    time.sleep(0.1)
    rt.ok("kill", id, *([name] if name else []))
    rt.wait_for(id, "stopped")


@pytest.mark.parametrize("name", ["99", "FOO", "-1", "SIG", "65"])
def test_c17_unknown_signals_are_errors(rt, name):
    id = rt.start()
    assert rt.call("kill", id, name).code != 0
    assert rt.state(id)["status"] == "running"


def test_c17_realtime_signal(rt):
    id = rt.start("trap 'echo got >/dev/shm/got' 37; echo up >/dev/shm/up; while :; do sleep 0.05; done")
    wait_until(lambda: rt.call("exec", id, "test", "-e", "/dev/shm/up").code == 0)
    rt.ok("kill", id, "SIGRTMIN+3")
    wait_until(lambda: rt.call("exec", id, "cat", "/dev/shm/got").out == "got\n")


def test_c17_words(rt):
    id = rt.start()
    rt.ok("kill", id, "0")
    rt.ok("kill", id, "KILL")
    rt.wait_for(id, "stopped")
    stopped = rt.call("kill", id, "9")
    assert stopped.code == 1 and "container not running" in stopped.err
    rt.ok("kill", "--all", id, "9")
    missing = rt.call("delete", "nosuch")
    assert missing.code == 1 and "does not exist" in missing.err
    forced = rt.ok("delete", "--force", "nosuch")
    assert forced.out == "" and forced.err == ""


def test_kill_of_a_created_container(rt):
    id = rt.create()
    rt.ok("kill", id, "TERM")
    rt.wait_for(id, "stopped")
    rt.ok("delete", id)


def test_delete_force_of_a_paused_container_is_quick(rt):
    id = rt.start("sleep 100 & sleep 100")
    rt.ok("pause", id)
    begin = time.monotonic()
    rt.ok("delete", "--force", id)
    assert time.monotonic() - begin < 5


def test_kill_beside_a_hanging_create(rt):
    """No lock is held while a hook runs."""
    hook = {"path": "/bin/sleep", "args": ["sleep", "100"]}
    bundle = rt.bundle("true", lambda c: c.update(hooks={"createRuntime": [hook]}))
    id = rt.new_id()
    creating = subprocess.Popen([rt.program, "--root", rt.root, "create", "--bundle", bundle, id],
                                stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: rt.call("state", id).code == 0 and rt.state(id)["status"] == "creating"
               and rt.state(id)["pid"] > 0)
    rt.ok("delete", "--force", id, timeout=5)
    assert creating.wait(timeout=5) == 1


def test_concurrent_starts_win_once(rt):
    id = rt.create("sleep 100")
    results = []
    threads = [threading.Thread(target=lambda: results.append(rt.call("start", id).code)) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(results) == [0, 1, 1, 1]


def test_c39_pid_file(rt):
    id = rt.new_id()
    file = rt.folder / "pid"
    file.write_text("old content that is longer")
    rt.ok("create", "--bundle", rt.bundle("sleep 100"), "--pid-file", file, id)
    assert file.read_text() == str(rt.state(id)["pid"])
    rt.ok("start", id)
    rt.ok("exec", "-d", "--pid-file", rt.folder / "exec-pid", id, "sleep", "50")
    pids = json.loads(rt.ok("ps", "--format", "json", id).out)
    assert int((rt.folder / "exec-pid").read_text()) in pids


def test_c39_unwritable_pid_file_leaves_no_container(rt):
    id = rt.new_id()
    assert rt.call("create", "--bundle", rt.bundle(), "--pid-file", "/nonexistent/x", id).code != 0
    assert rt.leftovers() == []


@pytest.mark.parametrize("verb", ["run", "exec"])
def test_c39_descriptors(rt, verb):
    listing = "ls /proc/self/fd | sort -n | tr '\\n' ' '"
    with open(rt.folder / "a", "w+") as a, open(rt.folder / "b", "w+") as b:
        os.set_inheritable(a.fileno(), True)
        script = (f"exec 3<{rt.folder}/a 4<{rt.folder}/b 9<{rt.folder}/a; exec \"$@\"")
        id = rt.start() if verb == "exec" else rt.new_id()
        bundle = rt.bundle(listing)
        for preserve, expected in (("0", "0 1 2 3 "), ("2", "0 1 2 3 4 5 ")):
            command = ([verb, "--preserve-fds", preserve, id, "sh", "-c", listing] if verb == "exec" else
                       [verb, "--preserve-fds", preserve, "--bundle", bundle, id])
            done = subprocess.run(["bash", "-c", script, "sh", rt.program, "--root", rt.root, *command],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)
            # One more than was handed over: ls opens the folder itself.
            assert done.stdout == expected, done


def test_c39_closed_descriptors_are_an_error(rt):
    result = rt.call("run", "--preserve-fds", "2", "--bundle", rt.bundle(), rt.new_id())
    assert result.code != 0 and "--preserve-fds" in result.err


def test_c40_log_json(rt):
    id = rt.create()
    log = rt.folder / "log.json"
    for command in (["create", "--bundle", rt.bundle(), id], ["create", "--bundle", "/nonexistent", "zz"]):
        assert rt.call("--log", log, "--log-format", "json", *command).code != 0
        last = json.loads(log.read_text().splitlines()[-1])
        assert last["level"] == "error" and last["msg"] and last["time"].endswith("Z")
    assert rt.call("--log-format", "xml", "list").code == 1


@pytest.mark.parametrize("kind", ["fifo", "socket", "folder", "device"])
def test_c13_config_json_is_no_file(compat, kind):
    """A clear error at once: reading a pipe that nobody writes to would hang."""
    bundle = compat.bundle()
    file = bundle / "config.json"
    file.unlink()
    if kind == "fifo":
        os.mkfifo(file)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(str(file))
    elif kind == "folder":
        file.mkdir()
    else:
        file.symlink_to("/dev/zero")
    refused = compat.call("run", "--bundle", bundle, compat.new_id(), timeout=5)
    assert refused.code == 1 and "config.json: expected a regular file" in refused.err, refused


def test_few_descriptors_leave_nothing(compat):
    """Whatever the step that runs out of them: the folder goes without needing one."""
    bundle = compat.bundle()
    for limit in range(3, 40):
        id = compat.new_id()
        command = f"ulimit -n {limit}; exec {compat.program} --root {compat.root} run --bundle {bundle} {id}"
        done = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
        assert done.returncode in (0, 1) and compat.leftovers() == [], (limit, done)


def test_a_folder_without_a_record_is_no_container(compat):
    """What a create leaves that was killed in its first moment, or is seen while it begins or a delete ends."""
    id = compat.new_id()
    compat.ok("list")
    (compat.root / id).mkdir(parents=True)
    for verb in (["state"], ["kill"], ["start"], ["exec"], ["delete"]):
        refused = compat.call(*verb, id, *(["true"] if verb == ["exec"] else []))
        assert refused.code in (1, 255) and "does not exist" in refused.err, refused
    listed = compat.ok("list", "--format", "json")
    assert json.loads(listed.out) == [] and listed.err == ""
    assert compat.ok("delete", "--force", id).err == "" and not (compat.root / id).exists()


def test_c40_owner_is_a_name(rt):
    id = rt.start()
    assert json.loads(rt.ok("list", "--format", "json").out)[0]["owner"] == "root"
    assert rt.ok("list").out.splitlines()[1].split()[-1] == "root" and id in rt.ok("list").out


def test_c40_list(rt):
    assert rt.ok("list", "-f", "json").out.strip() in ("[]", "null")
    assert rt.ok("list", "-q").out == ""
    ids = sorted([rt.create(), rt.start()])
    assert rt.ok("list", "-q").out.split() == ids
    listed = json.loads(rt.ok("list", "--format", "json").out)
    for entry in listed:
        assert set(entry) >= {"ociVersion", "id", "pid", "status", "bundle", "rootfs", "created", "owner"}
    assert sorted(e["status"] for e in listed) == ["created", "running"]
    (rt.root / "broken").mkdir()
    (rt.root / "broken/record.json").write_text("{")
    assert rt.ok("list", "-q").out.split() == ids
    rt.ids.append("broken")


def test_c40_list_without_a_root(compat):
    compat.root = pathlib.Path("/nonexistent/root")
    compat.ok("list")
    compat.root = compat.folder / "state"


def test_c40_ps(rt):
    id = rt.start("sleep 100 & sleep 100")
    pid = rt.state(id)["pid"]
    wait_until(lambda: len(json.loads(rt.ok("ps", "-f", "json", id).out)) >= 2)
    assert pid in json.loads(rt.ok("ps", "-f", "json", id).out)
    table = rt.ok("ps", id, "-o", "pid,comm").out
    assert table.splitlines()[0].split() == ["PID", "COMMAND"] and str(pid) in table
    rt.ok("kill", "--all", id, "KILL")
    rt.wait_for(id, "stopped")
    assert rt.ok("ps", "-f", "json", id).out.strip() == "[]"


def test_c40_version(compat):
    lines = compat.ok("--version").out.splitlines()
    assert lines[0].startswith("hardrun version ") and lines[1].startswith("spec: ")


def test_pause_and_resume(rt):
    id = rt.start("while :; do date +%N >/dev/shm/now; sleep 0.01; done")
    wait_until(lambda: rt.call("exec", id, "test", "-s", "/dev/shm/now").code == 0)
    rt.ok("pause", id)
    assert rt.state(id)["status"] == "paused"
    read = lambda: rt.ok("exec", "--ignore-paused", id, "cat", "/dev/shm/now", timeout=5).out
    assert rt.call("start", id).code != 0
    rt.ok("resume", id)
    assert rt.state(id)["status"] == "running"
    first = read()
    wait_until(lambda: read() != first)


def test_two_runs_of_one_id_after_another(rt):
    bundle = rt.bundle("true")
    id = rt.new_id()
    for _ in range(2):
        rt.ok("run", "--bundle", bundle, id)


def test_kept_container(rt):
    id = rt.new_id()
    rt.ok("run", "--keep", "--bundle", rt.bundle(), id)
    assert rt.state(id)["status"] == "stopped"
    rt.ok("delete", id)


def is_zombie(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[0] == "Z"


def wait_until(condition, seconds=10):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
