# SPDX-License-Identifier: Apache-2.0
"""What the program finds: identity, environment, folders, limits, terminal (C04, C06, C07, C09, C33, S1)."""
import array
import json
import os
import pathlib
import pty
import select
import socket
import subprocess
import threading
import time

import pytest


def user(**fields):
    return lambda c: c["process"].update(user=fields)


def test_c09_unknown_uid_and_groups(rt):
    result = rt.run("id; echo HOME=$HOME; grep -E 'Groups|CapEff' /proc/self/status",
                    user(uid=12345, gid=54321, additionalGids=[5, 6, 5]))
    assert result.code == 0, result
    assert "uid=12345 gid=54321" in result.out and "HOME=/\n" in result.out
    assert set(result.out.split("Groups:")[1].splitlines()[0].split()) == {"5", "6"}
    assert "CapEff:\t0000000000000000" in result.out


def test_c09_home_comes_from_the_containers_passwd(rt):
    assert rt.run("echo $HOME", user(uid=1001, gid=1002)).out == "/home/bob\n"


def test_exec_options_as_runc_has_them(compat):
    id = compat.start(change=lambda c: c["process"].update(noNewPrivileges=True))
    for entry in ("WORD", "=x"):
        refused = compat.call("exec", "--env", entry, id, "true")
        assert refused.code == 255 and "--env" in refused.err, refused
    assert compat.ok("exec", "--cwd", "", id, "pwd").out == "/\n"
    assert compat.ok("exec", "--no-new-privs=false", id, "grep", "NoNewPrivs", "/proc/self/status").out.split()[1] == "0"
    unknown = compat.ok("exec", "--cap", "CAP_FUTURE", id, "echo", "ran")
    assert unknown.out == "ran\n" and "CAP_FUTURE" in unknown.err and "warning" in unknown.err, unknown


@pytest.mark.parametrize("cwd", ["/tmp", "/var/tmp", "/proc"])
def test_c09_home_does_not_depend_on_the_cwd(compat, cwd):
    """A passwd file below the working directory is not the container's."""
    def change(c):
        user(uid=1001, gid=1002)(c)
        c["process"]["cwd"] = cwd
    assert compat.run("echo $HOME", change).out == "/home/bob\n"
    id = compat.start()
    assert compat.ok("exec", "--user", "1001", "--cwd", cwd, id, "sh", "-c", "echo $HOME").out == "/home/bob\n"


def test_groups_of_the_caller_are_not_inherited(rt):
    assert rt.run("grep Groups /proc/self/status").out.split() in (["Groups:"], ["Groups:", "0"])


def test_umask(rt):
    assert rt.run("umask", user(uid=0, gid=0, umask=0o27)).out == "0027\n"
    assert rt.run("umask").out == "0022\n"


def test_environment_is_only_config_json(rt):
    result = rt.run(["/bin/env"], env={**os.environ, "SECRET": "1"})
    assert "SECRET" not in result.out
    assert result.out.startswith("PATH=")


@pytest.mark.parametrize("cwd,expected", [("/no/such/dir", "/no/such/dir"), ("/home/bob", "/home/bob")])
def test_c07_cwd(rt, cwd, expected):
    result = rt.run("pwd; stat -c %a .", lambda c: c["process"].update(cwd=cwd))
    assert result.code == 0, result
    assert result.out.splitlines() == [expected, "755"]


def test_c07_cwd_for_the_user_only(rt):
    bundle = rt.bundle("pwd", lambda c: (user(uid=1001, gid=1002)(c), c["process"].update(cwd="/d")))
    (bundle / "rootfs/d").mkdir(mode=0o700)
    os.chown(bundle / "rootfs/d", 1001, 1002)
    assert rt.ok("run", "--bundle", bundle, rt.new_id()).out == "/d\n"


@pytest.mark.parametrize("cwd", ["tmp", None])
def test_c07_bad_cwd(rt, cwd):
    def change(c):
        c["process"].pop("cwd")
        if cwd:
            c["process"]["cwd"] = cwd
    result = rt.run(change=change)
    assert result.code == 1 and "process.cwd" in result.err


@pytest.mark.parametrize("cwd", [f"/proc/self/fd/{n}" for n in range(3, 40)] + ["/proc/1/cwd", "/proc/thread-self/fd/7"])
def test_a2_cwd_through_a_descriptor(compat, cwd):
    """CVE-2024-21626."""
    assert compat.run("true", lambda c: c["process"].update(cwd=cwd)).code != 0


def test_c06_rlimits(rt):
    result = rt.run("ulimit -n; ulimit -Hn", lambda c: c["process"].update(
        rlimits=[{"type": "RLIMIT_NOFILE", "soft": 500, "hard": 600}]))
    assert result.out.split() == ["500", "600"]


@pytest.mark.parametrize("limits", [
    [("RLIMIT_NOFILE", 512, 1024), ("RLIMIT_NOFILE", 400, 500)], [("RLIMIT_NOFILE", 1024, 512)],
    [("RLIMIT_FOO", 1, 1)]])
def test_c06_bad_rlimits(rt, limits):
    result = rt.run(change=lambda c: c["process"].update(
        rlimits=[{"type": t, "soft": s, "hard": h} for t, s, h in limits]))
    assert result.code == 1 and "process.rlimits[" in result.err


def test_a1_the_runtime_cannot_be_executed_from_inside(rt):
    """CVE-2019-5736: what /proc/self/exe leads to is a sealed copy, and no program is one."""
    assert rt.run(["/proc/self/exe", "x"]).code == 1
    bundle = rt.bundle(["/s"])
    (bundle / "rootfs/s").write_text("#!/proc/self/exe\n")
    (bundle / "rootfs/s").chmod(0o755)
    assert rt.call("run", "--bundle", bundle, rt.new_id()).code != 0


@pytest.mark.parametrize("text,expected", [("1", "uid=1 gid=0"), ("1:2", "uid=1 gid=2")])
def test_s1_exec_user(rt, text, expected):
    id = rt.start()
    assert rt.ok("exec", "--user", text, id, "id").out.startswith(expected)


@pytest.mark.parametrize("text", ["abc", "1:", ":1", "4294967295", "4294967296", "-1", "+1", " 1", "1 ", "0x0", "1e3",
                                  "1:2:3"])
def test_s1_bad_exec_user(compat, text):
    id = compat.start()
    assert compat.call("exec", f"--user={text}", id, "id").code == 255


def test_exec_options(rt):
    id = rt.start()
    assert rt.ok("exec", "--cwd", "/home/bob", "--env", "A=b", id, "sh", "-c", "pwd; echo $A").out == "/home/bob\nb\n"
    assert rt.ok("exec", "--additional-gids", "7", id, "grep", "Groups", "/proc/self/status").out.split()[-1] == "7"


def test_exec_from_a_process_file(rt):
    id = rt.start()
    process = {"user": {"uid": 1001, "gid": 1002}, "args": ["/bin/sh", "-c", "id -u; echo $X"],
               "env": ["X=y", "PATH=/bin"], "cwd": "/"}
    file = rt.folder / "process.json"
    file.write_text(json.dumps(process))
    assert rt.ok("exec", "--process", file, id).out == "1001\ny\n"
    file.write_text('{"args": []}')
    bad = rt.call("exec", "--process", file, id)
    assert bad.code == 255 and "process.args" in bad.err or "process.cwd" in bad.err


def test_exec_is_confined_like_the_container(rt):
    id = rt.start()
    status = rt.ok("exec", id, "cat", "/proc/self/status").out
    first = rt.ok("exec", id, "cat", "/proc/1/status").out
    for line in ("CapBnd", "CapEff", "CapPrm", "NoNewPrivs", "Seccomp:"):
        assert field(status, line) == field(first, line), line
    for kind in ("mnt", "uts", "ipc", "net", "pid"):
        links = [rt.ok("exec", id, "readlink", f"/proc/{pid}/ns/{kind}").out for pid in ("self", "1")]
        assert links[0] == links[1] != ""


def field(status, name):
    return next(line for line in status.splitlines() if line.startswith(name))


def receive_console(path, got):
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen(1)

    def serve():
        connection, _ = server.accept()
        data, ancillary, _, _ = connection.recvmsg(4096, socket.CMSG_SPACE(16))
        fds = array.array("i")
        for level, kind, content in ancillary:
            assert (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS)
            fds.frombytes(content)
        got.extend(fds)
        connection.close()
        server.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return thread


def read_terminal(fd, seconds=5):
    out = b""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not select.select([fd], [], [], 0.2)[0]:
            continue
        try:
            chunk = os.read(fd, 4096)
        except OSError:
            break
        if not chunk:
            break
        out += chunk
    return out.decode()


def terminal(c):
    c["process"].update(terminal=True, consoleSize={"height": 33, "width": 77})


def test_c04_console_socket(rt):
    got = []
    path = rt.folder / "cs"
    thread = receive_console(path, got)
    id = rt.new_id()
    bundle = rt.bundle("tty; ls -ln /dev/console; stty size; exit 7", terminal)
    rt.ok("run", "-d", "--console-socket", path, "--bundle", bundle, id)
    thread.join(5)
    assert len(got) == 1 and os.isatty(got[0])
    out = read_terminal(got[0])
    os.close(got[0])
    assert "/dev/pts/0" in out and "33 77" in out and "136,   0" in out


def test_c04_terminal_and_socket_belong_together(rt):
    assert rt.run("true", terminal, extra=["-d"]).code == 1
    path = rt.folder / "cs"
    receive_console(path, [])
    assert rt.run("true", extra=["-d", "--console-socket", path]).code == 1
    assert rt.leftovers() == []


def test_c04_foreground_terminal(rt):
    pid, fd = pty.fork()
    id = rt.new_id()
    bundle = rt.bundle("tty; stty size; exit 7", terminal)
    if pid == 0:
        os.execv(rt.program, [str(rt.program), "--root", str(rt.root), "run", "--bundle", str(bundle), id])
    out = read_terminal(fd)
    _, status = os.waitpid(pid, 0)
    os.close(fd)
    assert "/dev/pts/0" in out, out
    assert os.waitstatus_to_exitcode(status) == 7


def test_c04_terminal_without_a_tty_does_not_crash(rt):
    result = rt.run("echo here", terminal, start_new_session=True)
    assert result.code == 0 and "here" in result.out


def hook(path, **fields):
    return {"path": str(path), **fields}


def test_c33_hook_input(rt, tmp_path):
    script = tmp_path / "hook"
    script.write_text(f'#!/bin/sh\ncat >{tmp_path}/$1.json\n/usr/bin/env >{tmp_path}/$1.env\npwd >{tmp_path}/$1.cwd\n'
                      f'readlink /proc/self/ns/mnt >{tmp_path}/$1.mnt\n')
    script.chmod(0o755)
    phases = ["prestart", "createRuntime", "createContainer", "poststart", "poststop"]

    def change(c):
        c["hooks"] = {p: [hook(script, args=["hook", p], env=["X=1"])] for p in phases}
        c["annotations"] = {"k": "v"}
        c["hooks"]["createRuntime"].append(hook(script, args=["hook", "noenv"]))
    result = rt.run("true", change, env={**os.environ, "SECRET_TOKEN": "abc"})
    assert result.code == 0, result
    status = {"prestart": "creating", "createRuntime": "creating", "createContainer": "creating",
              "poststart": "running", "poststop": "stopped"}
    for phase in phases:
        state = json.loads((tmp_path / f"{phase}.json").read_text())
        assert state["status"] == status[phase] and state["annotations"] == {"k": "v"}
        assert set(state) >= {"ociVersion", "id", "pid", "bundle"}
        assert "X=1" in (tmp_path / f"{phase}.env").read_text().splitlines()
        if phase in ("prestart", "createRuntime", "createContainer"):
            assert state["pid"] > 0
    for file in tmp_path.glob("*.env"):
        assert "SECRET_TOKEN" not in file.read_text()
    own = os.readlink("/proc/self/ns/mnt")
    assert (tmp_path / "createRuntime.mnt").read_text().strip() == own
    assert (tmp_path / "createContainer.mnt").read_text().strip() != own


def test_c33_start_container_runs_inside(rt):
    def change(c):
        c["hooks"] = {"startContainer": [hook("/bin/sh", args=["sh", "-c", "cat >/dev/shm/s; env >/dev/shm/e; id >/dev/shm/i"])]}
        c["process"]["env"].append("FROM=process")
    result = rt.run("cat /dev/shm/s /dev/shm/e /dev/shm/i", change)
    assert result.code == 0, result
    assert '"status": "created"' in result.out and "FROM=process" in result.out and "uid=0" in result.out


@pytest.mark.parametrize("fields", [{"timeout": 1, "path": "/bin/sleep", "args": ["sleep", "10"]},
                                    {"path": "/bin/false"}, {"path": "/nonexistent"}])
def test_c33_failing_hook_fails_create_and_leaves_nothing(rt, fields):
    begin = time.monotonic()
    result = rt.run("true", lambda c: c.update(hooks={"createRuntime": [fields]}))
    assert result.code == 1 and "hooks.createRuntime[0]" in result.err
    assert time.monotonic() - begin < 5
    assert rt.leftovers() == []


@pytest.mark.parametrize("fields", [{"timeout": 0, "path": "/bin/true"}, {"path": "bin/true"}])
def test_c33_bad_hooks(rt, fields):
    result = rt.run("true", lambda c: c.update(hooks={"createRuntime": [fields]}))
    assert result.code == 1 and "hooks.createRuntime[0]" in result.err


@pytest.mark.parametrize("phase", ["prestart", "createRuntime", "createContainer", "program"])
def test_c33_poststop_runs_once_when_create_fails(rt, tmp_path, phase):
    """What the first hooks made outside (an engine's network) is taken down by the last (runtime.md, "Lifecycle")."""
    def change(c):
        def say(name, code=0):
            return {"path": "/bin/sh", "args": ["sh", "-c", f"echo {name} >>{tmp_path}/said; exit {code}"]}
        c["hooks"] = {"createRuntime": [say("first")], "poststop": [say("last")]}
        if phase == "program":
            c["process"]["args"] = ["/nope"]
        else:
            c["hooks"].setdefault(phase, []).append(say("failing", 3))
    assert rt.run("true", change).code == 1
    said = (tmp_path / "said").read_text().split()
    assert said[-1] == "last" and said.count("last") == 1, said


def test_c33_poststop_runs_once_when_deleted_beside_a_hook(rt, tmp_path):
    def change(c):
        c["hooks"] = {"createRuntime": [{"path": "/bin/sh", "args": ["sh", "-c", f"echo >{tmp_path}/up; exec sleep 50"]}],
                      "poststop": [{"path": "/bin/sh", "args": ["sh", "-c", f"echo last >>{tmp_path}/said"]}]}
    id = rt.new_id()
    bundle = rt.bundle("true", change)
    with subprocess.Popen([rt.program, "--root", rt.root, "create", "--bundle", bundle, id], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as creator:
        while not (tmp_path / "up").exists():
            assert creator.poll() is None
            time.sleep(0.01)
        rt.ok("delete", "--force", id)
        assert creator.wait(timeout=10) == 1
    assert (tmp_path / "said").read_text().split() == ["last"]


def test_hook_that_ignores_its_input(rt):
    assert rt.run("true", lambda c: c.update(hooks={"prestart": [{"path": "/bin/true"}]})).code == 0


def test_ambient_needs_inheritable(compat):
    """Engines leave the inheritable set empty (CVE-2022-24769); the kernel then takes no ambient one. runc goes on."""
    def change(c):
        c["process"]["capabilities"] = {k: ["CAP_CHOWN"] for k in ("bounding", "effective", "permitted", "ambient")}
    result = compat.run("grep CapAmb /proc/self/status", change)
    assert result.code == 0 and result.out.split()[1] == "0" * 16, result
    assert "process.capabilities.ambient" in result.err and "CAP_CHOWN" in result.err


@pytest.mark.parametrize("extra", [(), ("--preserve-fds", "1")])
def test_c39_listen_fds(rt, tmp_path, extra):
    """Socket activation as systemd does it: the caller's 3 is the container's, then what --preserve-fds asks for."""
    (tmp_path / "a").write_text("first\n")
    (tmp_path / "b").write_text("second\n")
    read = "cat <&3; echo $LISTEN_FDS $LISTEN_PID $LISTEN_FDNAMES; cat <&4" if extra else \
           "cat <&3; echo $LISTEN_FDS $LISTEN_PID $LISTEN_FDNAMES; test -e /proc/self/fd/4 || echo second"
    bundle = rt.bundle(read)

    def run(pid):
        command = f"exec 3<{tmp_path}/a 4<{tmp_path}/b; LISTEN_FDS=1 LISTEN_PID={pid} LISTEN_FDNAMES=web exec " \
                  f"{rt.program} --root {rt.root} run {' '.join(extra)} --bundle {bundle} {rt.new_id()}"
        return subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=30).stdout
    assert run("$$") == "first\n1 1 web\nsecond\n"
    assert "web" not in run("1")


def test_capabilities_exactly_as_listed(compat):
    caps = ["CAP_CHOWN", "CAP_KILL"]
    result = compat.run("grep Cap /proc/self/status", lambda c: c["process"].update(capabilities={
        "bounding": caps, "effective": caps, "permitted": caps, "inheritable": ["CAP_KILL"], "ambient": ["CAP_KILL"]}))
    values = {line.split(":")[0]: int(line.split()[1], 16) for line in result.out.splitlines()}
    assert values["CapBnd"] == 0x21 and values["CapInh"] == 0x20 and values["CapAmb"] == 0x20


def test_capabilities_in_strict(strict):
    def caps(*names):
        names = [f"CAP_{n}" for n in names]
        return lambda c: c["process"].update(capabilities={s: names for s in ("bounding", "effective", "permitted")})
    status = "grep -E 'Cap(Prm|Eff|Bnd)' /proc/self/status"
    assert set(strict.run(status).out.split()[1::2]) == {"0" * 16}
    assert set(strict.run(status, caps("CHOWN")).out.split()[1::2]) == {f"{1:016x}"}
    refused = strict.run(status, caps("SYS_ADMIN"))
    assert refused.code == 1 and "process.capabilities.bounding: CAP_SYS_ADMIN" in refused.err


def test_no_new_privs_in_strict(strict):
    assert strict.run("grep NoNewPrivs /proc/self/status",
                      lambda c: c["process"].update(noNewPrivileges=False)).out.split() == ["NoNewPrivs:", "1"]


def test_oom_score_adj(rt):
    result = rt.run("cat /proc/self/oom_score_adj", lambda c: c["process"].update(oomScoreAdj=300))
    assert result.out == "300\n"


@pytest.mark.parametrize("field,value", [("apparmorProfile", "foo"), ("selinuxLabel", "a:b:c:d")])
def test_s3_absent_security_module_is_an_error(rt, field, value):
    module = {"apparmorProfile": "/sys/module/apparmor/parameters/enabled", "selinuxLabel": "/sys/fs/selinux/enforce"}
    if pathlib.Path(module[field]).exists():
        pytest.skip(f"this kernel has what {field} needs")
    result = rt.run("true", lambda c: c["process"].update({field: value}))
    assert result.code == 1 and f"process.{field}" in result.err


def test_config_without_a_process(rt):
    id = rt.create(change=lambda c: c.pop("process"))
    assert rt.state(id)["status"] == "created"
    assert rt.call("start", id).code == 1
    assert rt.state(id)["status"] == "created"
