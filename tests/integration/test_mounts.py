# SPDX-License-Identifier: Apache-2.0
"""Mounts, devices, masks and paths (C21, C25, C26, C28, B2, B4, B6, B14, X1)."""
import json
import os
import pathlib
import subprocess
import time

import pytest


def mount(destination, type="bind", source="", options=()):
    return {"destination": destination, "type": type, "source": str(source), "options": list(options)}


def add(*mounts):
    return lambda c: c["mounts"].extend(mounts)


def both(*changes):
    return lambda c: [change(c) for change in changes]


def own_root(rt, args, change, prepare):
    bundle = rt.bundle(args, both(lambda c: c["root"].update(readonly=False), change))
    prepare(bundle / "rootfs")
    return rt.call("run", "--bundle", bundle, rt.new_id())


def test_root_is_read_only_in_strict(strict):
    assert "Read-only" in strict.run("touch /x", lambda c: c["root"].update(readonly=False)).err


def test_root_is_as_config_says_in_compat(compat):
    assert compat.run("touch /x", lambda c: c["root"].update(readonly=False)).code == 0
    assert compat.run("touch /x").code != 0


def test_scratch_in_strict(strict):
    result = strict.run("for d in /tmp /var/tmp /run; do touch $d/x && stat -c %a $d; done; echo $TMPDIR")
    assert result.out.split() == ["1777", "1777", "755", "/tmp"], result


def test_scratch_has_what_the_image_has(strict):
    def prepare(root):
        (root / "run/sub").mkdir()
        (root / "run/sub/file").write_text("x")
        os.chown(root / "run/sub/file", 5, 6)
        os.symlink("sub/file", root / "run/link")
    result = own_root(strict, "cat /run/link; stat -c %u:%g /run/sub/file", lambda c: None, prepare)
    assert result.out == "x5:6\n", result


def test_scratch_keeps_engine_mounts_below_it(strict, tmp_path):
    (tmp_path / "f").write_text("engine")
    assert strict.run("cat /run/.containerenv",
                      add(mount("/run/.containerenv", source=tmp_path / "f", options=["bind"]))).out == "engine"


def test_bind_of_file_and_folder(rt, tmp_path):
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir/a").write_text("A")
    (tmp_path / "file").write_text("F")
    result = rt.run("cat /data/a /etc/conf/file; touch /data/new",
                    add(mount("/data", source=tmp_path / "dir", options=["rbind"]),
                        mount("/etc/conf/file", source=tmp_path / "file", options=["bind", "ro"])))
    assert result.out == "AF" and result.code == 0, result
    assert (tmp_path / "dir/new").exists()


def test_read_only_bind(rt, tmp_path):
    result = rt.run("touch /data/x", add(mount("/data", source=tmp_path, options=["rbind", "ro"])))
    assert result.code != 0 and "Read-only" in result.err


def test_c26_recursive_read_only(rt, tmp_path):
    (tmp_path / "sub").mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", tmp_path / "sub"], check=True)
    try:
        result = rt.run("touch /m/sub/a; touch /n/sub/a && echo wrote",
                        add(mount("/m", source=tmp_path, options=["rbind", "rro"]),
                            mount("/n", source=tmp_path, options=["rbind", "ro"])))
        assert "Read-only" in result.err and result.out == "wrote\n", result
    finally:
        subprocess.run(["umount", tmp_path / "sub"], check=True)


def test_c26_order_and_relative(rt, tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    result = rt.run("ls /m; grep -c ' /m ' /proc/self/mountinfo; ls -d /rel",
                    add(mount("/m", source=tmp_path / "a", options=["bind"]),
                        mount("/m", source=tmp_path / "b", options=["bind"]),
                        mount("rel", source=tmp_path / "a", options=["bind"])))
    assert result.out.split() == ["b", "2", "/rel"], result


@pytest.mark.parametrize("bad,words", [
    (mount("/m", source="/nonexistent/x", options=["bind"]), "mounts["),
    (mount("/m", "tmpfs", "tmpfs", ["nosuchopt=1"]), "nosuchopt"),
    (mount("/m", "nosuchfs", "x"), "nosuchfs"),
    (mount("/proc/self", "tmpfs", "tmpfs"), "/proc"),
    (mount("/", "tmpfs", "tmpfs"), "mounts["),
])
def test_bad_mounts_name_themselves(rt, bad, words):
    result = rt.run("true", add(bad))
    assert result.code == 1 and words in result.err, result
    assert rt.leftovers() == []


def test_c21_tmpfs_mode_and_size(rt):
    def prepare(root):
        (root / "t").mkdir()
        (root / "t").chmod(0o1777)
        (root / "u").mkdir()
        os.chown(root / "u", 5, 6)
        (root / "u").chmod(0o1770)
        (root / "u/file").touch()
    for _ in range(2):
        result = own_root(
            rt, "stat -c %a /t; df -k /t | tail -1 | awk '{print $2}'; stat -c %a:%u:%g /u; stat -c %a /new; ls /u; "
                "stat -c %a /v; ls /v",
            add(mount("/t", "tmpfs", "tmpfs", ["mode=0750", "size=64k"]), mount("/u", "tmpfs", "tmpfs"),
                mount("/new", "tmpfs", "tmpfs"),
                mount("/v", "tmpfs", "tmpfs", ["tmpcopyup"])),
            lambda root: (prepare(root), (root / "v").mkdir(), (root / "v").chmod(0o1770), (root / "v/w").touch()))
        assert result.out.split() == ["750", "64", "1770:0:0", "1777", "1770", "w"], result


def test_tmpfs_read_only_after_its_content(rt):
    result = rt.run("ls /t; touch /t/x", add(mount("/t", "tmpfs", "tmpfs", ["ro"]), mount("/t/sub", "tmpfs", "tmpfs")))
    assert result.out == "sub\n" and "Read-only" in result.err, result


def test_propagation_stays_inside(rt, tmp_path):
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", tmp_path], check=True)
    subprocess.run(["mount", "--make-shared", tmp_path], check=True)
    try:
        (tmp_path / "sub").mkdir()
        for options in (["rbind"], ["rbind", "rprivate"], ["rbind", "rslave"]):
            rt.run("true", add(mount("/m", source=tmp_path, options=options),
                               mount("/m/sub", "tmpfs", "tmpfs")))
            assert str(tmp_path / "sub") not in pathlib.Path("/proc/self/mountinfo").read_text()
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_c28_default_devices(rt):
    result = rt.run("cd /dev; for f in null zero full random urandom tty; do stat -c '%n %t:%T %a' $f; done; "
                    "for l in ptmx fd stdin stdout stderr; do readlink $l; done; ls console 2>&1")
    assert result.out.splitlines()[:11] == [
        "null 1:3 666", "zero 1:5 666", "full 1:7 666", "random 1:8 666", "urandom 1:9 666", "tty 5:0 666",
        "pts/ptmx", "/proc/self/fd", "/proc/self/fd/0", "/proc/self/fd/1", "/proc/self/fd/2"], result
    assert "No such file" in result.out


def test_c28_own_devices(compat):
    devices = [
        {"path": "/dev/fuse", "type": "c", "major": 10, "minor": 229, "fileMode": 0o666, "uid": 7, "gid": 8},
        {"path": "/sub/dir/d", "type": "c", "major": 1, "minor": 5}, {"path": "/dev/f", "type": "p"},
        {"path": "/dev/u", "type": "u", "major": 1, "minor": 5}, {"path": "/dev/null", "type": "c", "major": 1, "minor": 3}]
    result = compat.run("stat -c '%F %t:%T %a %u:%g' /dev/fuse /sub/dir/d /dev/f /dev/u /dev/null; cat /dev/fuse; "
                        "echo x >/dev/null && echo null",
                        both(lambda c: c["linux"].update(devices=devices), lambda c: c["root"].update(readonly=False)))
    assert result.out.splitlines() == [
        "character special file a:e5 666 7:8", "character special file 1:5 666 0:0", "fifo 0:0 666 0:0",
        "character special file 1:5 666 0:0", "character special file 1:3 666 0:0", "null"], result
    assert "not permitted" in result.err


@pytest.mark.parametrize("device,prepare", [
    ({"path": "/dev/z", "type": "z", "major": 1, "minor": 5}, None),
    ({"path": "/data/x", "type": "c", "major": 1, "minor": 5}, "data/x")])
def test_c28_bad_devices(rt, device, prepare):
    def make(root):
        if prepare:
            (root / prepare).parent.mkdir(exist_ok=True)
            (root / prepare).write_text("regular")
    result = own_root(rt, "true", lambda c: c["linux"].update(devices=[device]), make)
    assert result.code == 1 and "linux.devices[0]" in result.err, result


@pytest.mark.parametrize("make", [
    lambda root: (root / "proc").rmdir() or os.symlink("/evil", root / "proc"),
    lambda root: (root / "proc").rmdir() or os.symlink(".", root / "proc"),
    lambda root: (root / "proc").rmdir() or (root / "proc").write_text(""),
    lambda root: (root / "sys").rmdir() or os.symlink("/proc", root / "sys")])
def test_b2_proc_and_sys_must_be_folders(rt, make):
    result = own_root(rt, "true", lambda c: None, lambda root: ((root / "evil").mkdir(), make(root)))
    assert result.code == 1 and "mounts[" in result.err, result


def test_b4_masks_do_not_come_from_the_image(compat, tmp_path):
    """CVE-2025-31133: /dev/null of the image is a link to something worth writing."""
    canary = "/proc/sys/kernel/domainname"

    def change(c):
        c["mounts"] = [m for m in c["mounts"] if not m["destination"].startswith("/dev")]
        c["linux"]["maskedPaths"] = ["/proc/timer_list"]
        c["linux"].pop("readonlyPaths")

    def prepare(root):
        os.symlink(canary, root / "dev/null")
    before = pathlib.Path(canary).read_text()
    result = own_root(compat, "cat /proc/timer_list; echo pwned >/proc/timer_list; echo out", change, prepare)
    assert pathlib.Path(canary).read_text() == before
    assert "pwned" not in result.out


@pytest.mark.parametrize("target", ["absolute", "relative"])
def test_b6_dev_that_leads_out(rt, tmp_path, target):
    """CVE-2026-41579, CVE-2026-47766."""
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "ptmx").write_text("mine")

    def change(c):
        c["mounts"] = [m for m in c["mounts"] if not m["destination"].startswith("/dev")]

    def prepare(root):
        (root / "dev").rmdir()
        os.symlink(victim if target == "absolute" else f"../../victim", root / "dev")
    own_root(rt, "true", change, prepare)
    assert os.listdir(victim) == ["ptmx"] and (victim / "ptmx").read_text() == "mine"


@pytest.mark.parametrize("path", ["/a/b/c", "/link/x", "/up/x"])
def test_b7_targets_stay_below_the_root(rt, tmp_path, path):
    victim = tmp_path / "victim"
    victim.mkdir()

    def prepare(root):
        os.symlink(victim, root / "link")
        os.symlink("../../../../../../../../../../" + str(victim), root / "up")
    own_root(rt, "true", add(mount(path, "tmpfs", "tmpfs")), prepare)
    assert os.listdir(victim) == []


def test_dangling_link_of_the_image_is_followed_inside(rt):
    def prepare(root):
        os.symlink("/run/later", root / "var/link")
    result = own_root(rt, "grep -c ' /run/later/x ' /proc/self/mountinfo", add(mount("/var/link/x", "tmpfs", "tmpfs")), prepare)
    assert result.out == "1\n", result


def test_masked_and_readonly_paths(rt):
    result = rt.run("ls /sys/firmware; cat /proc/keys; touch /proc/sys/x; echo x >/proc/keys; ls -d /nowhere",
                    lambda c: c["linux"]["maskedPaths"].append("/nowhere"))
    assert result.out == "", result
    assert "Read-only" in result.err


def test_x1_stacked_root(compat):
    """Two mounts on top of each other on "/": both are gone, for the first process and for exec."""
    bundle = compat.bundle("ls /; sleep 100")
    id = compat.new_id()
    script = (f"mount --make-rprivate / && mount --bind / / && "
              f"{compat.program} --root {compat.root} run -d --bundle {bundle} {id} && "
              f"{compat.program} --root {compat.root} exec {id} ls /")
    done = subprocess.run(["unshare", "-m", "bash", "-c", script], stdin=subprocess.DEVNULL,
                          stdout=open(compat.folder / "out", "w"), stderr=subprocess.STDOUT, timeout=20)
    # The first process lists its root beside exec's.
    for _ in range(200):
        out = (compat.folder / "out").read_text()
        if done.returncode != 0 or out.split().count("home") == 2:
            break
        time.sleep(0.05)
    assert done.returncode == 0, out
    assert "boot" not in out and out.split().count("home") == 2, out


def test_no_pivot(compat):
    result = compat.run("ls /; ls /proc/1/root", extra=["--no-pivot"])
    assert result.code == 0 and "boot" not in result.out, result


def test_c25_locked_flags_in_a_user_namespace(rt, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "nosuid,nodev,noexec", "tmpfs", locked], check=True)
    maps = [{"containerID": 0, "hostID": 100000, "size": 1000}]

    def user_namespace(c):
        c["linux"]["namespaces"].append({"type": "user"})
        c["linux"].update(uidMappings=maps, gidMappings=maps)
    try:
        bundle = rt.bundle("grep ' /mnt ' /proc/self/mountinfo; cat /proc/self/uid_map",
                           both(user_namespace, add(mount("/mnt", source=locked, options=["rbind", "ro"]))))
        open_to_all(rt.folder)
        result = rt.call("run", "--bundle", bundle, rt.new_id())
        assert result.code == 0, result
        assert "ro,nosuid,nodev,noexec" in result.out and "100000" in result.out
        asked = rt.bundle("true", both(user_namespace, add(mount("/mnt", source=locked, options=["rbind", "ro", "suid"]))))
        open_to_all(rt.folder)
        # strict takes the wish away, so that there is nothing to refuse.
        assert rt.call("run", "--bundle", asked, rt.new_id()).code == (0 if rt.profile == "strict" else 1)
    finally:
        subprocess.run(["umount", locked], check=True)


def open_to_all(folder):
    """The container's root is nobody to the host: it must be able to reach its root file system."""
    for parent in [folder, *folder.parents]:
        if str(parent).startswith("/tmp/"):
            parent.chmod(0o755)


def with_user_namespace(c):
    c["linux"]["namespaces"].append({"type": "user"})
    c["linux"].update(uidMappings=[{"containerID": 0, "hostID": 100000, "size": 1000}],
                      gidMappings=[{"containerID": 0, "hostID": 100000, "size": 1000}])
    for name in ("bounding", "effective", "permitted"):
        c["process"]["capabilities"][name] = ["CAP_SYS_ADMIN"]


@pytest.fixture
def locked_source(tmp_path):
    """A folder that the host has mounted ro,nosuid,nodev,noexec, with a mount below it, and a plain one."""
    for folder in [tmp_path, *tmp_path.parents][:3]:
        os.chmod(folder, 0o755)
    locked = tmp_path / "locked"
    locked.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "nosuid,nodev,noexec", "none", locked], check=True)
    (locked / "sub").mkdir()
    (locked / "sub/hidden").write_text("x")
    subprocess.run(["mount", "-t", "tmpfs", "none", locked / "sub"], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro,nosuid,nodev,noexec", locked], check=True)
    (tmp_path / "plain").mkdir()
    yield locked
    subprocess.run(["umount", locked / "sub"], check=True)
    subprocess.run(["umount", locked], check=True)


REMOUNTS = """
for o in rw,nosuid,nodev,noexec ro,suid,nodev,noexec ro,nosuid,dev,noexec ro,nosuid,nodev,exec; do
    mount -o remount,bind,$o /mnt 2>/dev/null && echo "/mnt took $o"
done
mount -o remount,bind,rw /home 2>/dev/null && echo "/home took rw"
mount -o remount,bind,ro,nosuid,nodev,noexec /mnt || echo "the same again is refused"
umount /mnt/sub 2>/dev/null && echo "uncovered $(ls /mnt/sub)"
mount -t tmpfs none /root && echo may mount
grep -o " /mnt ro[a-z,]*" /proc/self/mountinfo"""


def test_host_flags_are_locked_in_a_user_namespace(compat, locked_source, tmp_path):
    """A container that is root in its user namespace may mount, but not undo what the host forbids."""
    result = compat.run(REMOUNTS, both(with_user_namespace, add(
        mount("/mnt", source=locked_source, options=["rbind"]),
        mount("/home", source=tmp_path / "plain", options=["bind", "ro"]))))
    assert result.out.split("\n") == ["may mount", " /mnt ro,nosuid,nodev,noexec,relatime", ""], result


def test_a_root_by_a_symlink(rt):
    bundle = rt.bundle("ls /bin/sh", lambda c: c["root"].update(path="link"))
    (bundle / "link").symlink_to("rootfs")
    assert rt.call("run", "--bundle", bundle, rt.new_id()).out == "/bin/sh\n"


def test_a_root_that_only_the_hosts_root_reaches(compat, tmp_path):
    bundle = compat.bundle("echo in", with_user_namespace)
    os.chmod(bundle, 0o700)
    (tmp_path / "deep/source").mkdir(parents=True)
    os.chmod(tmp_path / "deep", 0o700)
    config = json.loads((bundle / "config.json").read_text())
    add(mount("/mnt", source=tmp_path / "deep/source", options=["bind"]))(config)
    (bundle / "config.json").write_text(json.dumps(config))
    assert compat.call("run", "--bundle", bundle, compat.new_id()).out == "in\n"
