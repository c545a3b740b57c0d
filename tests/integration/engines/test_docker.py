# SPDX-License-Identifier: Apache-2.0
"""`docker run --runtime=hardrun` and the rest of Docker's command line, in every profile."""
import json
import os
import pathlib
import pty
import select
import subprocess
import threading
import time

import pytest
from conftest import V2, call, wait_until

HARDENED = ("strict", "net")


@pytest.fixture
def container(docker):
    id = docker.start()
    yield id
    docker("rm", "-f", id)


@pytest.mark.parametrize("args,code,out", [
    (["true"], 0, ""), (["false"], 1, ""), (["sh", "-c", "exit 77"], 77, ""), (["echo", "hello"], 0, "hello\n"),
    (["sh", "-c", "sh -c 'kill -9 $$'; exit $?"], 137, ""), (["/nope"], 127, ""), (["nope"], 127, ""), (["/etc"], 126, ""),
    (["/etc/passwd"], 126, "")])
def test_run_exit_codes_and_output(docker, args, code, out):
    result = docker.run(*args)
    assert (result.code, result.out) == (code, out), result


def test_run_with_input(docker):
    assert docker.run("cat", options=["-i"], input=b"typed\n").out == "typed\n"


def test_run_with_a_terminal(docker):
    assert docker.run("sh", "-c", "tty; test -t 0 && echo yes", options=["-t"]).out.split() == ["/dev/pts/0", "yes"]


def test_detached_logs_and_wait(docker):
    id = docker.start("sh", "-c", "echo one; echo two >&2; exit 3")
    assert docker.ok("wait", id) == "3"
    logs = docker("logs", id)
    assert (logs.out, logs.err) == ("one\n", "two\n")
    assert docker.ok("inspect", "-f", "{{.State.ExitCode}} {{.State.Status}}", id) == "3 exited"
    docker.ok("rm", id)


@pytest.mark.parametrize("options,command,expected", [
    ([], ["echo", "in"], "in"), (["-u", "1001:1002"], ["sh", "-c", "id -u; id -g"], "1001\n1002"),
    (["-w", "/home/bob"], ["pwd"], "/home/bob"), (["-e", "A=b"], ["sh", "-c", "echo $A"], "b"),
    (["-t"], ["tty"], "/dev/pts/0"), (["-i"], ["cat"], "")])
def test_exec(docker, container, options, command, expected):
    assert docker.ok("exec", *options, container, *command) == expected


def test_exec_exit_codes(docker, container):
    assert docker("exec", container, "sh", "-c", "exit 5").code == 5
    assert docker("exec", container, "nope").code in (126, 127)
    assert docker.ok("exec", "-d", container, "sleep", "50") == ""


def test_exec_privileged(docker, container):
    result = docker("exec", "--privileged", container, "grep", "CapEff", "/proc/self/status")
    if docker.profile in HARDENED or docker.profile == "guarded":
        assert result.code != 0 and "more than the container has" in result.out + result.err, result
    elif result.code != 0:
        # Without CAP_SYS_RESOURCE nobody can hand it on: compat fails as runc does.
        assert "capset" in result.out + result.err or "capabilities" in result.out + result.err, result


def test_stop_is_quick_for_a_program_that_listens(docker):
    id = docker.start("sh", "-c", "trap 'exit 0' TERM; while :; do sleep 0.1; done")
    begin = time.monotonic()
    docker.ok("stop", "-t", "10", id)
    assert time.monotonic() - begin < 8
    assert docker.ok("inspect", "-f", "{{.State.ExitCode}}", id) == "0"
    docker.ok("rm", id)


def test_stop_kills_who_does_not_listen(docker, container):
    docker.ok("stop", "-t", "1", container)
    assert docker.ok("inspect", "-f", "{{.State.ExitCode}}", container) == "137"


def test_kill_with_a_signal(docker):
    id = docker.start("sh", "-c", "trap 'echo hup; exit 4' HUP; echo up; while :; do sleep 0.1; done")
    wait_until(lambda: "up" in docker("logs", id).out)
    docker.ok("kill", "-s", "HUP", id)
    assert docker.ok("wait", id) == "4"
    docker.ok("rm", id)


def test_pause_and_unpause(docker, container):
    docker.ok("pause", container)
    assert docker.ok("inspect", "-f", "{{.State.Status}}", container) == "paused"
    docker.ok("unpause", container)
    assert docker.ok("exec", container, "echo", "back") == "back"


def test_top_and_stats(docker, container):
    assert "sleep 300" in docker.ok("top", container)
    assert container[:12] in docker.ok("stats", "--no-stream", "--no-trunc", container)


def test_restart(docker, container):
    before = docker.ok("inspect", "-f", "{{.State.Pid}}", container)
    docker.ok("restart", "-t", "0", container)
    assert docker.ok("inspect", "-f", "{{.State.Pid}}", container) != before
    assert docker.ok("exec", container, "echo", "again") == "again"


def test_rm_force(docker):
    id = docker.start()
    docker.ok("rm", "-f", id)
    assert docker("inspect", id).code != 0


def test_init(docker):
    result = docker.run("sh", "-c", "cat /proc/1/cmdline", options=["--init"])
    assert "docker-init" in result.out or "tini" in result.out, result


def test_user_workdir_env_hostname(docker):
    result = docker.run("sh", "-c", "id -u; pwd; echo $A; hostname",
                        options=["-u", "1001", "-w", "/home/bob", "-e", "A=b", "--hostname", "hn"])
    assert result.out.split() == ["1001", "/home/bob", "b", "hn"], result


def test_home_of_the_user(docker):
    assert docker.run("sh", "-c", "echo $HOME", options=["-u", "1001"]).out == "/home/bob\n"


def test_volumes(docker, tmp_path):
    (tmp_path / "a").write_text("A")
    result = docker.run("sh", "-c", "cat /v/a; echo new >/v/b; touch /r/x",
                        options=["-v", f"{tmp_path}:/v", "-v", f"{tmp_path}:/r:ro"])
    assert result.out == "A" and "Read-only" in result.err, result
    assert (tmp_path / "b").read_text() == "new\n"


def test_named_volume(docker):
    name = f"vol-{os.getpid()}-{docker.profile}"
    assert docker.run("sh", "-c", "echo x >/v/f", options=["-v", f"{name}:/v"]).code == 0
    assert docker.run("cat", "/v/f", options=["-v", f"{name}:/v"]).out == "x\n"
    docker.ok("volume", "rm", name)


def test_tmpfs_and_read_only(docker):
    result = docker.run("sh", "-c", "touch /t/x && echo ok; touch /x", options=["--read-only", "--tmpfs", "/t:size=1m"])
    assert result.out == "ok\n" and "Read-only" in result.err, result


def test_root_file_system(every):
    result = every.run("sh", "-c", "touch /x && echo wrote; touch /tmp/x && echo tmp")
    assert result.out.split() == (["tmp"] if every.profile in HARDENED else ["wrote", "tmp"]), result


def test_capabilities(every):
    out = every.run("sh", "-c", "grep -E 'CapBnd|NoNewPrivs|Seccomp:' /proc/self/status").out
    values = dict(line.split(":") for line in out.split("\n") if line)
    caps = int(values["CapBnd"], 16)
    fourteen = 0xa80425fb
    assert caps == {"compat": fourteen, "guarded": 0x4fb & fourteen & ~(1 << 8), "net": 0, "strict": 0}[every.profile], hex(caps)
    assert values["NoNewPrivs"].strip() == ("0" if every.profile == "compat" else "1")
    assert values["Seccomp"].strip() == "2"


def test_cap_drop_and_add(every):
    out = every.run("grep", "CapEff", "/proc/self/status", options=["--cap-drop", "ALL", "--cap-add", "CHOWN"]).out
    assert int(out.split()[1], 16) == 1
    out = every.run("grep", "CapEff", "/proc/self/status", options=["--cap-add", "CHOWN"]).out
    assert int(out.split()[1], 16) & 1 == 1
    beyond = every.run("true", options=["--cap-add", "SYS_ADMIN"])
    assert beyond.code == (125 if every.profile in HARDENED else 0), beyond


def test_limits(docker):
    files = ("pids.max memory.max cpu.max" if V2 else
             "pids/pids.max memory/memory.limit_in_bytes cpu/cpu.cfs_quota_us cpu/cpu.cfs_period_us")
    result = docker.run("sh", "-c", f"ulimit -n; cd /sys/fs/cgroup; cat {files}",
                        options=["--ulimit", "nofile=123:456", "--memory", "64m", "--pids-limit", "55", "--cpus", "0.5"])
    assert result.out.split() == ["123", "55", str(64 << 20), "50000", "100000"], result


def test_update(docker, container):
    docker.ok("update", "--pids-limit", "66", "--memory", "64m", "--memory-swap", "64m", container)
    files = ("pids.max memory.max" if V2 else "pids/pids.max memory/memory.limit_in_bytes")
    result = docker("exec", container, "sh", "-c", f"cd /sys/fs/cgroup; cat {files}")
    assert result.out.split() == ["66", str(64 << 20)], result


def test_the_systemd_driver_is_used_where_systemd_is(docker, container):
    driver = docker.ok("info", "-f", "{{.CgroupDriver}}")
    if not os.path.isdir("/run/systemd/system"):
        assert driver == "cgroupfs"
        pytest.skip("systemd is not running here")
    assert driver == "systemd"
    pid = docker.ok("inspect", "-f", "{{.State.Pid}}", container)
    assert f"/system.slice/docker-{container}.scope\n" in pathlib.Path(f"/proc/{pid}/cgroup").read_text()


def test_apparmor_profile_of_docker(every):
    enabled = pathlib.Path("/sys/module/apparmor/parameters/enabled")
    if not enabled.exists() or enabled.read_text().strip() != "Y":
        pytest.skip("AppArmor is not enabled on this host")
    id = every.start()
    try:
        for extra in ((), ("-u", "1001")):
            assert every.ok("exec", *extra, id, "cat", "/proc/self/attr/current") == "docker-default (enforce)"
        assert every.ok("exec", id, "cat", "/proc/1/attr/current") == "docker-default (enforce)"
    finally:
        every("rm", "-f", id)


def test_device_and_sysctl(docker):
    if not os.path.exists("/dev/fuse"):
        pytest.skip("no /dev/fuse on this host")
    result = docker.run("sh", "-c", "ls -l /dev/fuse; cat /proc/sys/net/ipv4/ip_default_ttl",
                        options=["--device", "/dev/fuse", "--sysctl", "net.ipv4.ip_default_ttl=77"])
    if docker.profile in HARDENED:
        assert result.code == 125 and "/dev/fuse" in result.err and "leave out --device" in result.err, result
    else:
        assert "10, 229" in result.out and "77" in result.out, result


def test_seccomp_file_and_no_new_privileges(docker, tmp_path):
    profile = tmp_path / "seccomp.json"
    profile.write_text(json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
        {"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_ERRNO", "errnoRet": 33}]}))
    result = docker.run("sh", "-c", "mkdir /tmp/q; grep NoNewPrivs /proc/self/status",
                        options=["--security-opt", f"seccomp={profile}", "--security-opt", "no-new-privileges"])
    assert "Numerical argument" in result.err and result.out.split() == ["NoNewPrivs:", "1"], result


@pytest.mark.parametrize("network", ["none", "bridge"])
def test_network(every, network):
    result = every.run("sh", "-c", "ls /sys/class/net; ip -o addr | grep -c 10.213.", options=["--network", network])
    sees_it = network == "bridge" and every.profile != "strict"
    assert ("eth0" in result.out) == sees_it, result
    assert "lo" in result.out.split()


def test_network_of_another_container(docker):
    id = docker.start("sh", "-c", "while :; do echo hello | nc -l -p 4321; done")
    result = docker.run("sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do nc 127.0.0.1 4321 </dev/null && break; sleep 0.2; done",
                        options=["--network", f"container:{id}"])
    docker("rm", "-f", id)
    assert "hello" in result.out, result


def test_published_port(every):
    id = every.start("sh", "-c", "while :; do echo served | nc -l -p 80; done", options=["-p", "127.0.0.1::80"])
    port = every.ok("port", id, "80").split(":")[-1]
    time.sleep(0.3)
    answer = call("timeout", "3", "bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{port}; timeout 2 cat <&3")
    every("rm", "-f", id)
    assert ("served" in answer.out) == (every.profile != "strict"), answer


def test_cp_and_commit(docker, tmp_path):
    id = docker.start("sleep", "300")
    (tmp_path / "f").write_text("copied")
    docker.ok("cp", tmp_path / "f", f"{id}:/f")
    assert docker.ok("exec", id, "cat", "/f") == "copied"
    docker.ok("cp", f"{id}:/etc/passwd", tmp_path / "passwd")
    assert "bob" in (tmp_path / "passwd").read_text()
    name = f"hr-commit-{os.getpid()}-{docker.profile}"
    docker.ok("commit", id, name)
    assert docker("run", "--rm", "--runtime", docker.runtime, name, "cat", "/f").out == "copied"
    docker.ok("rm", "-f", id)
    docker.ok("rmi", name)


def test_events(docker):
    begin = str(int(time.time()) - 1)
    docker.run("true")
    events = docker.ok("events", "--since", begin, "--until", str(int(time.time()) + 1), "--format", "{{.Action}}")
    assert {"create", "start", "die"} <= set(events.split())


def test_twenty_at_once(docker):
    results = []
    threads = [threading.Thread(target=lambda n=n: results.append(docker.run("echo", str(n)))) for n in range(20)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(r.out.strip() for r in results) == sorted(map(str, range(20))), [r for r in results if r.code]


def test_privileged(every):
    result = every.run("true", options=["--privileged"])
    if every.profile in HARDENED:
        assert result.code == 125 and "the container is privileged" in result.err, result
    elif every.profile == "guarded":
        assert result.code == 0, result


def test_out_of_memory_is_reported(docker):
    id = docker.start("sh", "-c", "head -c 500m /dev/zero | tail", options=["--memory", "32m"])
    docker.ok("wait", id)
    assert docker.ok("inspect", "-f", "{{.State.OOMKilled}}", id) == "true"
    docker.ok("rm", id)
