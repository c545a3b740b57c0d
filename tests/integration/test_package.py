# SPDX-License-Identifier: Apache-2.0
"""The Debian package: what is in it, and that a plain Debian takes it, runs it and is rid of it again."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest
from conftest import BUILD, PROJECT

# Mode and path of everything in the package but its documents.
FILES = {
    "usr/bin/hardrun": "-rwxr-xr-x",
    "usr/bin/hardrun-compat": "lrwxrwxrwx",
    "usr/bin/hardrun-guarded": "lrwxrwxrwx",
    "usr/bin/hardrun-net": "lrwxrwxrwx",
    "usr/libexec/hardrun/hardrun-systemd": "-rwxr-xr-x",
}
DOCS = {"README.md", "CHANGELOG.md", "SECURITY.md", "copyright"}


def output(*command, **kwargs):
    done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False, **kwargs)
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("package")
    output("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder)
    (file,) = folder.glob("*.deb")
    return file


@pytest.fixture(scope="module")
def unpacked(package, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    output("dpkg-deb", "-x", package, folder)
    return folder


@pytest.fixture(scope="module")
def debian():
    folder = tempfile.mkdtemp(prefix="hardrun-debian-")
    try:
        done = subprocess.run([PROJECT / "tests/support/debian_tree.sh", f"{folder}/root"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900, check=False)
        if done.returncode != 0:
            pytest.skip("no Debian tree: " + " / ".join(done.stdout.splitlines()[-3:]))
        yield pathlib.Path(folder) / "root"
    finally:
        shutil.rmtree(folder)


def paths_below(root):
    return {os.path.relpath(os.path.join(folder, name), root)
            for folder, folders, files in os.walk(root) for name in folders + files}


def test_name_and_fields(package):
    version = re.search(r"project\(hardrun VERSION (\S+)", (PROJECT / "CMakeLists.txt").read_text()).group(1)
    architecture = output("dpkg", "--print-architecture").strip()
    assert package.name == f"hardrun_{version}_{architecture}.deb"
    depends = output("dpkg-deb", "-f", package, "Depends")
    assert "libsystemd0" in depends and "libseccomp" not in depends and "boost" not in depends
    assert not re.search(r"\b(preinst|postinst|prerm|postrm)\b", output("dpkg-deb", "-I", package))


def test_files(package, unpacked):
    listed = {}
    for line in output("dpkg-deb", "-c", package).splitlines():
        mode, owner, _, _, _, path = line.split(None, 5)
        assert owner == "root/root", line
        if not mode.startswith("d"):
            listed[path.split(" -> ")[0].removeprefix("./")] = mode
    docs = {p for p in listed if p.startswith("usr/share/doc/hardrun/")}
    assert {p.rsplit("/", 1)[1] for p in docs} == DOCS
    assert {p: mode for p, mode in listed.items() if p not in docs} == FILES
    for path, mode in FILES.items():
        if mode.startswith("l"):
            assert os.readlink(unpacked / path) == "hardrun"


def test_programs_are_stripped(unpacked):
    for path in ("usr/bin/hardrun", "usr/libexec/hardrun/hardrun-systemd"):
        assert ".symtab" not in output("readelf", "-SW", unpacked / path)
    assert "INTERP" not in output("readelf", "-lW", unpacked / "usr/bin/hardrun")


def test_the_program_finds_its_helper(unpacked, compat):
    """Below another prefix than the build's. A /run of its own makes every host look as if systemd ran there,
    and no bus be reached: what matters is who says so."""
    bundle = compat.bundle(change=lambda c: c["linux"].update(cgroupsPath=f"system.slice:hardrun-test:{compat.tag}"))
    script = 'mount -t tmpfs none /run; mkdir -p /run/systemd/system; exec "$@"'

    def said():
        done = subprocess.run(
            ["unshare", "-m", "sh", "-euc", script, "sh", unpacked / "usr/bin/hardrun-compat", "--root", compat.root,
             "--systemd-cgroup", "run", "--bundle", bundle, compat.new_id()], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 1, done
        return done.stderr

    assert "bus" in said().lower()
    helper = unpacked / "usr/libexec/hardrun/hardrun-systemd"
    helper.rename(unpacked / "hidden")
    try:
        assert "needs the program hardrun-systemd" in said()
    finally:
        (unpacked / "hidden").rename(helper)


def test_install_use_and_remove(package, debian):
    before = paths_below(debian)
    shutil.copy(package, debian / "hardrun.deb")

    def inside(*command):
        return output("chroot", debian, *command, env={"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": "/"})

    inside("dpkg", "-i", "/hardrun.deb")
    assert inside("dpkg-query", "-W", "-f=${Status}", "hardrun") == "install ok installed"
    version = output("dpkg-deb", "-f", package, "Version").strip()
    assert version in inside("hardrun", "--version")
    assert '"ociVersionMax"' in inside("hardrun", "features")
    assert inside("hardrun-compat", "--version") == inside("hardrun", "--version")
    assert "not found" not in inside("ldd", "/usr/libexec/hardrun/hardrun-systemd")
    inside("dpkg", "-r", "hardrun")
    (debian / "hardrun.deb").unlink()
    left = paths_below(debian) - before
    assert [p for p in left if "hardrun" in p] == [], left
    assert [p for p in left if not p.startswith(("var/lib/dpkg/", "var/log/"))] == [], left
