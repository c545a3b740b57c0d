# SPDX-License-Identifier: Apache-2.0
"""Namespaces, network cell, sysctls, seccomp, cgroups (C28, C30, C35, C37)."""
import json
import os
import pathlib
import subprocess
import time

import pytest
from conftest import GROUPS, ROOT, V2


def namespaces(**paths):
    def change(c):
        for ns in c["linux"]["namespaces"]:
            if ns["type"] in paths:
                ns["path"] = str(paths[ns["type"]])
    return change


def test_namespaces_are_new(rt):
    for kind in ("mnt", "uts", "ipc", "net", "pid"):
        assert rt.run(["/bin/readlink", f"/proc/self/ns/{kind}"]).out.strip() != os.readlink(f"/proc/self/ns/{kind}")


@pytest.mark.parametrize("kind,file", [("uts", "uts"), ("ipc", "ipc"), ("network", "net"), ("pid", "pid")])
def test_joining_another_containers_namespace(rt, kind, file):
    first = rt.start()
    path = f"/proc/{rt.state(first)['pid']}/ns/{file}"
    expected = os.readlink(path)
    assert rt.run(["/bin/readlink", f"/proc/self/ns/{file}"],
                  lambda c: (namespaces(**{kind: path})(c), kind == "uts" and c.pop("hostname"))).out.strip() == expected


def test_joining_a_pid_namespace_shows_its_processes(rt):
    first = rt.start("sleep 987")
    path = f"/proc/{rt.state(first)['pid']}/ns/pid"
    result = rt.run("ps | grep 'sleep 987' | grep -v grep | wc -l", namespaces(pid=path))
    assert result.out.strip() == "1", result


@pytest.mark.parametrize("path", ["/etc/passwd", "/nonexistent", "/proc/self/ns/uts"])
def test_bad_namespace_path(rt, path):
    result = rt.run("true", namespaces(ipc=path))
    assert result.code == 1 and "linux.namespaces[" in result.err


@pytest.mark.parametrize("kind", ["cgroup", "time"])
def test_further_namespaces(rt, kind):
    result = rt.run(["/bin/readlink", f"/proc/self/ns/{kind}"], lambda c: c["linux"]["namespaces"].append({"type": kind}))
    assert result.code == 0 and result.out.strip() != os.readlink(f"/proc/self/ns/{kind}"), result


def test_cgroup_namespace_hides_the_hosts_path(rt):
    result = rt.run("cat /proc/self/cgroup", lambda c: c["linux"]["namespaces"].append({"type": "cgroup"}))
    assert "hardrun-test" not in result.out, result


def test_user_namespace(rt):
    maps = [{"containerID": 0, "hostID": 100000, "size": 65536}]

    def change(c):
        c["linux"]["namespaces"].append({"type": "user"})
        c["linux"].update(uidMappings=maps, gidMappings=maps)
    bundle = rt.bundle("id -u; cat /proc/self/uid_map; echo x >/dev/null; ls -ln /dev/zero", change)
    for parent in [rt.folder, *rt.folder.parents]:
        if str(parent).startswith("/tmp/"):
            parent.chmod(0o755)
    id = rt.new_id()
    result = rt.call("run", "--bundle", bundle, id)
    assert result.code == 0 and result.out.split()[:4] == ["0", "0", "100000", "65536"], result


def test_user_namespace_by_path(compat):
    """Without maps of its own: the joined namespace has them. Devices come from the host."""
    maps = [{"containerID": 0, "hostID": 100000, "size": 65536}]

    def change(c):
        c["linux"]["namespaces"].append({"type": "user"})
        c["linux"].update(uidMappings=maps, gidMappings=maps)
    bundle = compat.bundle("sleep 100", change)
    donor = compat.new_id()
    compat.ok("run", "--detach", "--bundle", bundle, donor)
    pid = compat.state(donor)["pid"]

    def join(c):
        for kind in ("pid", "ipc", "uts", "network"):
            own = next(n for n in c["linux"]["namespaces"] if n["type"] == kind)
            own["path"] = f"/proc/{pid}/ns/{'net' if kind == 'network' else kind}"
        c["linux"]["namespaces"].append({"type": "user", "path": f"/proc/{pid}/ns/user"})
        c.pop("hostname")
    result = compat.run("cat /proc/self/uid_map; echo x >/dev/null && readlink /proc/self/ns/user", join)
    assert result.code == 0 and result.out.split() == ["0", "100000", "65536", os.readlink(f"/proc/{pid}/ns/user")], result


def test_hostname_and_domainname(rt):
    result = rt.run("hostname; cat /proc/sys/kernel/domainname", lambda c: c.update(hostname="h1", domainname="d1"))
    assert result.out == "h1\nd1\n", result


# ---- the network cell ---------------------------------------------------------------------------

def plumbing(tmp_path):
    """What an engine's hook does: an interface in the namespace of the pid on its standard input."""
    script = tmp_path / "plumb"
    script.write_text("#!/bin/sh\npid=$(sed -n 's/.*\"pid\": *\\([0-9]*\\).*/\\1/p')\n"
                      "ip link add uplink0 netns $pid type veth peer name peer0 netns $pid\n")
    script.chmod(0o755)
    return lambda c: c.update(hooks={"prestart": [{"path": str(script), "env": ["PATH=/sbin:/bin:/usr/sbin:/usr/bin"]}]})


@pytest.mark.parametrize("verb", ["run", "create"])
def test_strict_sees_only_loopback(strict, tmp_path, verb):
    look = "ls /sys/class/net; ip -o link | wc -l; ping -c 1 -w 1 127.0.0.1 >/dev/null 2>&1; ip addr show lo | grep -c 127.0.0.1"
    if verb == "run":
        result = strict.run(look, plumbing(tmp_path))
    else:
        id = strict.create("sleep 100", plumbing(tmp_path))
        pid = strict.state(id)["pid"]
        outside = subprocess.run(["nsenter", "-t", str(pid), "-n", "ip", "-o", "link"], capture_output=True, text=True)
        assert "uplink0" in outside.stdout, "between create and start the engine sees the uplink"
        early = strict.ok("exec", id, "ip", "-o", "link").out
        assert "uplink0" not in early, "exec joins the cell, also before start"
        strict.ok("start", id)
        result = strict.ok("exec", id, "sh", "-c", look)
    assert result.out.split()[:3] == ["lo", "1", "1"], result


def test_compat_sees_what_the_engine_plumbed(compat, tmp_path):
    assert "uplink0" in compat.run("ip -o link; ls /sys/class/net", plumbing(tmp_path)).out


def test_sysctls_belong_to_the_cell(strict, tmp_path):
    name = "net.ipv4.ip_unprivileged_port_start"  # 1024 where nobody has set it
    result = strict.run("cat /proc/sys/net/ipv4/ip_unprivileged_port_start",
                        lambda c: (plumbing(tmp_path)(c), c["linux"].update(sysctl={name: "0"})))
    assert result.out == "0\n", result


def test_foreign_namespace_by_path_is_an_uplink(strict, tmp_path):
    name = f"hardrun-{strict.tag}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        subprocess.run(["ip", "-n", name, "link", "add", "eth7", "type", "veth", "peer", "name", "eth8"], check=True)
        result = strict.run("ip -o link | wc -l", namespaces(network=f"/run/netns/{name}"))
        assert result.out.strip() == "1", result
        still = subprocess.run(["ip", "-n", name, "-o", "link"], capture_output=True, text=True).stdout
        assert "eth7" in still and "lo: <LOOPBACK>" in still, "a foreign namespace is never changed"
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)


def test_two_containers_of_one_uplink_share_a_cell(strict):
    first = strict.start()
    net = f"/proc/{strict.state(first)['pid']}/ns/net"
    assert strict.run(["/bin/readlink", "/proc/self/ns/net"], namespaces(network=net)).out.strip() == os.readlink(net)


# ---- sysctl -------------------------------------------------------------------------------------

def test_c37_sysctls(compat):
    result = compat.run("cat /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv4/ip_default_ttl /proc/sys/kernel/msgmax",
                    lambda c: c["linux"].update(sysctl={"net.ipv4.ip_forward": "1", "net/ipv4/ip_default_ttl": "78",
                                                        "kernel.msgmax": "65000"}))
    assert result.out.split() == ["1", "78", "65000"], result


def test_strict_sets_no_sysctl_that_an_engine_does_not_set(strict):
    result = strict.run("true", lambda c: c["linux"].update(sysctl={"net.ipv4.ip_forward": "1"}))
    assert result.code == 1 and "linux.sysctl: net/ipv4/ip_forward is set" in result.err, result


@pytest.mark.parametrize("name", ["kernel.hostname", "kernel.pid_max", "vm.swappiness", "net.ipv4/../../vm.swappiness",
                                  "kernel.core_pattern", "net/../kernel/core_pattern"])
def test_c37_refused(rt, name):
    watched = [pathlib.Path(p).read_text() for p in ("/proc/sys/vm/swappiness", "/proc/sys/kernel/core_pattern")]
    result = rt.run("true", lambda c: c["linux"].update(sysctl={name: "1"}))
    assert result.code == 1 and "linux.sysctl" in result.err, result
    assert watched == [pathlib.Path(p).read_text() for p in ("/proc/sys/vm/swappiness", "/proc/sys/kernel/core_pattern")]


# ---- seccomp ------------------------------------------------------------------------------------

def filtering(*rules, **more):
    return lambda c: c["linux"].update(seccomp={
        "defaultAction": "SCMP_ACT_ALLOW", "architectures": ["SCMP_ARCH_X86_64"], "syscalls": list(rules), **more})


def test_c35_errno(rt):
    rule = {"names": ["mkdir", "mkdirat", "no_such_syscall_x"], "action": "SCMP_ACT_ERRNO", "errnoRet": 33}
    result = rt.run("mkdir /dev/shm/q; grep -E '^Seccomp:' /proc/self/status", filtering(rule))
    assert "Numerical argument out of domain" in result.err and result.out.split() == ["Seccomp:", "2"], result


def test_c35_kill_process_is_159(rt):
    rule = {"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_KILL_PROCESS"}
    assert rt.run(["/bin/mkdir", "/dev/shm/q"], filtering(rule)).code == 159


def test_seccomp_binds_exec_too(rt):
    rule = {"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_ERRNO", "errnoRet": 33}
    id = rt.start("sleep 100", filtering(rule))
    assert "Numerical argument" in rt.call("exec", id, "mkdir", "/dev/shm/q").err


@pytest.mark.parametrize("nnp", [True, False])
def test_x2_filter_may_deny_what_init_itself_calls(rt, nnp):
    names = ["getcwd", "setresuid", "capset", "prctl", "setgroups", "chdir", "mount", "pivot_root", "recvfrom", "accept4"]
    rule = {"names": names, "action": "SCMP_ACT_ERRNO"}
    result = rt.run(["/bin/echo", "ran"], lambda c: (filtering(rule)(c), c["process"].update(noNewPrivileges=nnp)))
    assert result.out == "ran\n", result


# ---- cgroups ------------------------------------------------------------------------------------

def resources(**fields):
    return lambda c: c["linux"]["resources"].update(fields)


def needs(*controllers):
    have = (ROOT / "cgroup.controllers").read_text().split() + ["devices"] if V2 else [p.name for p in GROUPS]
    for name in controllers:
        if name not in have:
            pytest.skip(f"this host has no cgroup controller {name}")


def group(rt, id, controller):
    """The folder of the container's group: one on v2, one per controller on v1."""
    lines = pathlib.Path(f"/proc/{rt.state(id)['pid']}/cgroup").read_text().splitlines()
    where = {name: line.split(":")[2].lstrip("/") for line in lines for name in line.split(":")[1].split(",")}
    return ROOT / where[""] if V2 else ROOT / controller / where[controller]


def test_c30_pids_limit(rt):
    needs("pids")
    result = rt.run("echo builtin; /bin/true; echo after=$?", resources(pids={"limit": 1}))
    assert result.out.startswith("builtin\n") and result.code == 2, result


def test_memory_limit(rt):
    needs("memory")
    result = rt.run("head -c 200m /dev/zero | tail | wc -c", resources(memory={"limit": 64 << 20}))
    assert "209715200" not in result.out, result


def test_a_very_small_memory_limit_starts(rt):
    needs("memory")
    assert rt.run(["/bin/echo", "ran"], resources(memory={"limit": 512 << 10})).out == "ran\n"


def test_limits_are_in_the_files(rt):
    needs("cpu", "memory", "pids")
    id = rt.start("sleep 100", resources(cpu={"shares": 512, "quota": 50000, "period": 100000}, pids={"limit": 77},
                                         memory={"limit": 32 << 20, "reservation": 16 << 20}))
    strict = rt.profile == "strict"  # halves the weight
    v1 = {"cpu": {"cpu.shares": "256" if strict else "512", "cpu.cfs_quota_us": "50000", "cpu.cfs_period_us": "100000"},
          "memory": {"memory.limit_in_bytes": str(32 << 20), "memory.soft_limit_in_bytes": str(16 << 20)}}
    v2 = {"cpu": {"cpu.weight": "10" if strict else "20", "cpu.max": "50000 100000"},
          "memory": {"memory.max": str(32 << 20), "memory.low": str(16 << 20)}}
    expected = {**(v2 if V2 else v1), "pids": {"pids.max": "77"}}
    found = {controller: {file: (group(rt, id, controller) / file).read_text().strip() for file in files}
             for controller, files in expected.items()}
    assert found == expected


def test_systemd_scope(rt):
    if not pathlib.Path("/run/systemd/system").is_dir():
        pytest.skip("systemd is not running here")
    name = f"hardrun-{rt.tag}"
    show = lambda field: subprocess.run(["systemctl", "show", "--value", "-p", field, f"{name}.scope"],
                                        capture_output=True, text=True, check=True).stdout.strip()
    bundle = rt.bundle(["/bin/sleep", "100"], lambda c: (
        c["linux"].update(cgroupsPath=f"system.slice:hardrun:{rt.tag}"),
        resources(memory={"limit": 64 << 20}, pids={"limit": 33}, cpu={"shares": 512})(c)))
    id = rt.new_id()
    rt.ok("--systemd-cgroup", "run", "--detach", "--bundle", bundle, id)
    assert f"/system.slice/{name}.scope" in pathlib.Path(f"/proc/{rt.state(id)['pid']}/cgroup").read_text()
    assert (show("ActiveState"), show("MemoryMax"), show("TasksMax")) == ("active", str(64 << 20), "33")
    rt.ok("--systemd-cgroup", "update", "--pids-limit", "44", id)
    assert show("TasksMax") == "44" and (group(rt, id, "pids") / "pids.max").read_text() == "44\n"
    rt.ok("--systemd-cgroup", "delete", "--force", id)
    assert show("ActiveState") == "inactive" and show("LoadState") == "not-found"


def test_c28_device_rules(compat):
    needs("devices")
    caps = ["CAP_MKNOD"]
    result = compat.run("mknod /dev/mem c 1 1 && cat /dev/mem; cat /dev/zero | head -c 1 | wc -c",
                        lambda c: c["process"].update(capabilities={s: caps for s in ("bounding", "effective", "permitted")}))
    assert "not permitted" in result.err and result.out.strip() == "1", result


@pytest.mark.parametrize("path", ["/a/../../x", "../x"])
def test_d3_cgroups_path_stays_below(rt, path):
    result = rt.run("true", lambda c: c["linux"].update(cgroupsPath=path))
    assert result.code == 1 and "linux.cgroupsPath" in result.err


def test_non_empty_group_is_refused(rt):
    id = rt.start()
    config = json.loads((pathlib.Path(rt.state(id)["bundle"]) / "config.json").read_text())
    again = rt.run("true", lambda c: c["linux"].update(cgroupsPath=config["linux"]["cgroupsPath"]))
    assert again.code == 1 and "cgroup" in again.err, again
    assert rt.state(id)["status"] == "running"
