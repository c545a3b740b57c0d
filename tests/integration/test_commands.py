# SPDX-License-Identifier: Apache-2.0
"""features, update, events, install: the commands that no container is born or ends by."""
import json
import pathlib
import subprocess
import time

import pytest

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"


def group(rt, controller, file):
    """A file of the running container's group, on v1 and v2."""
    own = pathlib.Path("/sys/fs/cgroup") / controller
    base = own if own.is_dir() else pathlib.Path("/sys/fs/cgroup")
    (folder,) = (base / "hardrun-test").glob(f"{rt.tag}-*")
    return folder / file


def is_v1(controller):
    return (pathlib.Path("/sys/fs/cgroup") / controller).is_dir()


def pids_max(rt):
    return group(rt, "pids", "pids.max").read_text().strip()


def memory_limit(rt):
    return group(rt, "memory", "memory.limit_in_bytes" if is_v1("memory") else "memory.max").read_text().strip()


def cpu(rt):
    if not is_v1("cpu"):
        return tuple(group(rt, "cpu", "cpu.max").read_text().split())
    return tuple(group(rt, "cpu", f"cpu.cfs_{name}_us").read_text().strip() for name in ("quota", "period"))


# C40 (b)
def test_features_needs_no_container_and_no_root(compat):
    result = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", compat.program, "features"],
                            capture_output=True, text=True, check=True)
    features = json.loads(result.stdout)
    assert features["ociVersionMin"] == "1.0.0" and features["ociVersionMax"]
    assert len(features["hooks"]) == 6
    assert {"rro", "tmpcopyup", "bind"} <= set(features["mountOptions"])
    assert not {"idmap", "remount"} & set(features["mountOptions"]), "what is refused is no feature"
    linux = features["linux"]
    assert "time" in linux["namespaces"] and len(linux["capabilities"]) == 41
    assert linux["cgroup"]["v1"] and linux["cgroup"]["v2"]
    assert "SCMP_ACT_NOTIFY" in linux["seccomp"]["actions"]
    assert "SECCOMP_FILTER_FLAG_LOG" in linux["seccomp"]["supportedFlags"]
    assert linux["mountExtensions"]["idmap"] == {"enabled": False}


# C30
@pytest.mark.parametrize("verb", ["create", "delete", "events", "exec", "features", "install", "kill", "list", "pause",
                                  "ps", "resume", "run", "spec", "start", "state", "uninstall", "update"])
def test_help_of_every_command(compat, verb):
    for option in ("--help", "-h"):
        result = compat.call(verb, option)
        assert result.code == 0 and result.out.startswith(verb) and result.err == "", result


def test_update_of_the_pids_limit(rt):
    id = rt.start(change=lambda c: c["linux"]["resources"].update(pids={"limit": 20}))
    assert pids_max(rt) == "20"
    for value, expected in (("30", "30"), ("0", "1"), ("-1", "max")):
        rt.ok("update", "--pids-limit", value, id)
        assert pids_max(rt) == expected
    rt.ok("update", id, "--pids-limit", "40")
    rt.ok("update", "--cpu-share", "512", id)
    assert pids_max(rt) == "40", "what was not named stays"


# X2: update of period and quota separately
def test_update_of_period_and_quota_one_by_one(rt):
    id = rt.start()
    rt.ok("update", "--cpu-quota", "50000", id)
    assert cpu(rt) == ("50000", "100000")
    rt.ok("update", "--cpu-period", "200000", id)
    assert cpu(rt) == ("50000", "200000")
    rt.ok("update", "--cpu-quota", "-1", id)
    assert cpu(rt)[0] in ("-1", "max") and cpu(rt)[1] == "200000"


def test_update_by_a_document_of_docker(rt):
    id = rt.start()
    document = (DATA / "captures/update-docker.json").read_bytes()
    rt.ok("update", "--resources", "-", id, input=document)
    assert memory_limit(rt) == str(64 << 20)
    assert cpu(rt) == ("100000", "100000")
    assert pids_max(rt) == "50"
    rt.ok("update", "--resources", "-", id, input=b'{"memory":{"limit":0},"pids":{"limit":0}}')
    assert (memory_limit(rt), pids_max(rt)) == (str(64 << 20), "50"), "zeros mean unchanged"


def test_update_in_every_state(compat):
    id = compat.create()
    compat.ok("update", "--pids-limit", "9", id)
    compat.ok("start", id)
    compat.ok("pause", id)
    compat.ok("update", "--pids-limit", "10", id)
    assert pids_max(compat) == "10"
    compat.ok("resume", id)
    compat.ok("kill", id, "KILL")
    compat.wait_for(id, "stopped")
    result = compat.call("update", "--pids-limit", "11", id)
    assert result.code == 1 and "container not running" in result.err


@pytest.mark.parametrize("args, words", [
    (("--memory", "64x"), "--memory: expected a size"),
    (("--cpu-period", "-1"), "--cpu-period: expected a whole number"),
    (("--l3-cache-schema", "L3:0=f"), "not supported"),
    (("--cpu-share", "1"), "cpu.shares: is 1, must be 2 to 262144"),
    (("--resources", "/nonexistent"), "/nonexistent"),
])
def test_update_refuses(compat, args, words):
    id = compat.start()
    result = compat.call("update", *args, id)
    assert result.code == 1 and words in result.err, result


# C40 (e)
def test_stats_are_one_line(rt):
    id = rt.start(change=lambda c: c["linux"]["resources"].update(memory={"limit": 64 << 20}))
    lines = rt.ok("events", "--stats", id).out.splitlines()
    assert len(lines) == 1
    event = json.loads(lines[0])
    assert (event["type"], event["id"]) == ("stats", id)
    assert event["data"]["cpu"]["usage"]["total"] > 0
    assert event["data"]["memory"]["usage"]["limit"] == 64 << 20
    assert event["data"]["pids"]["current"] >= 1


def test_events_tell_of_an_oom_and_end_with_the_container(compat, tmp_path):
    id = compat.start(change=lambda c: c["linux"]["resources"].update(memory={"limit": 32 << 20, "swap": 32 << 20}))
    out = tmp_path / "events"
    with out.open("w") as file:
        watcher = subprocess.Popen([compat.program, "--root", compat.root, "events", "--interval", "100ms", id],
                                   stdout=file)
    deadline = time.monotonic() + 10
    while not out.read_text():
        assert time.monotonic() < deadline and watcher.poll() is None
        time.sleep(0.02)
    compat.call("exec", id, "/bin/sh", "-c", "x=a; while :; do x=$x$x; done")
    time.sleep(0.3)
    compat.call("kill", id, "KILL")
    assert watcher.wait(timeout=10) == 0
    events = [json.loads(line) for line in out.read_text().splitlines()]
    assert {"type": "oom", "id": id} in events
    assert sum(e["type"] == "stats" for e in events) >= 2


def test_events_of_what_does_not_run(compat):
    id = compat.start("true")
    compat.wait_for(id, "stopped")
    result = compat.call("events", id)
    assert result.code == 1 and f"container with id {id} is not running" in result.err
    assert compat.call("events", "--interval", "0s", id).code == 1


def test_a_time_namespace(rt):
    result = rt.run("readlink /proc/self/ns/time", lambda c: c["linux"]["namespaces"].append({"type": "time"}))
    assert result.code == 0 and result.out.startswith("time:[")
    assert result.out.strip() != str(pathlib.Path("/proc/self/ns/time").readlink())
    refused = rt.run("true", lambda c: c["linux"].update(timeOffsets={"monotonic": {"secs": 1}}))
    assert refused.code != 0 and "linux.timeOffsets" in refused.err


@pytest.mark.parametrize("engine", ["docker", "containerd", "podman", "cri-o"])
def test_install_and_uninstall_leave_what_was_there(compat, tmp_path, engine):
    file = tmp_path / "etc" / "config"
    program = compat.program.parent / "hardrun"

    def call(*args):
        return subprocess.run([program, *args, "--config", file], capture_output=True, text=True)

    assert "dry run" in call("install", engine, "--dry-run").stdout
    assert not file.exists()
    assert call("install", engine).returncode == 0
    installed = file.read_text()
    assert str(program) in installed and "hardrun-guarded" in installed and "hardrun-compat" not in installed
    assert "nothing to change" in call("install", engine).stdout
    assert "hardrun-compat" in call("install", "--compat", engine).stdout
    assert call("uninstall", engine).returncode == 0
    assert list(file.parent.iterdir()) == [], "made by us, so it goes"

    before = '{"log-level":   "warn"}' if engine == "docker" else "# mine\nversion = 2\n\n[debug]\n  level = 'x'"
    file.write_text(before)
    file.chmod(0o640)
    assert call("install", engine).returncode == 0
    backup = file.with_name("config.hardrun-backup")
    assert backup.read_text() == before and file.stat().st_mode & 0o777 == 0o640
    assert call("install", engine, "--compat").returncode == 0
    assert backup.read_text() == before, "the second run keeps the first one's"
    assert call("uninstall", engine).returncode == 0
    assert file.read_text() == before and not backup.exists()


def test_install_writes_nothing_into_a_broken_file(compat, tmp_path):
    for engine, text in (("docker", "{"), ("containerd", "version = 2\n[x\n"), ("podman", "a = \n")):
        file = tmp_path / engine
        file.write_text(text)
        result = subprocess.run([compat.program, "install", engine, "--config", file], capture_output=True, text=True)
        assert result.returncode == 1 and str(file) in result.stderr
        assert file.read_text() == text
    assert sorted(p.name for p in tmp_path.iterdir() if "backup" in p.name) == []


# ---- explain ------------------------------------------------------------------------------------

def explained(rt, *args):
    result = rt.call("explain", "--format", "json", *args)
    controls = {c["rule"]: c for c in json.loads(result.out)["controls"]}
    return result.code, controls


def test_explain_says_what_create_does(strict):
    bundle = strict.bundle("cat /proc/self/limits", lambda c: c["process"].update(
        env=["PATH=/bin", "NPM_TOKEN=0123456789"], capabilities={"bounding": ["CAP_CHOWN"]}))
    code, controls = explained(strict, "--bundle", bundle)
    assert code == 0 and controls["pids"]["outcome"] == "changed", controls
    assert "NPM_TOKEN" in controls["environment"]["changes"][0]
    assert strict.run(["/bin/sh", "-c", "echo $NPM_TOKEN"], lambda c: c["process"].update(
        env=["PATH=/bin", "NPM_TOKEN=0123456789"])).out == "REMOVED-BY-HARDRUN\n"
    id = strict.start()
    assert explained(strict, id)[0] == 0
    table = strict.call("explain", id)
    assert table.code == 0 and table.out.startswith("profile strict") and "\033" not in table.out, table


def test_explain_of_a_refusal(strict):
    bundle = strict.bundle("true", lambda c: c["linux"].update(devices=[
        {"path": "/dev/kmsg", "type": "c", "major": 1, "minor": 11}]))
    code, controls = explained(strict, "--bundle", bundle)
    refusal = controls["devices"]["refusals"][0]
    assert code == 1 and controls["devices"]["outcome"] == "refused"
    created = strict.call("create", "--bundle", bundle, strict.new_id())
    assert created.code == 1 and refusal["where"] + ": " + refusal["what"] in created.err, created
    assert explained(strict, "--profile", "compat", "--bundle", bundle)[0] == 0
