# SPDX-License-Identifier: Apache-2.0
"""process.apparmorProfile on a kernel with AppArmor: the virtual machine's lane has one (S3)."""
import pathlib
import shutil
import subprocess

import pytest

PROFILE = """
profile {name} flags=(attach_disconnected,mediate_deleted) {{
  file,
  capability,
  network,
  mount,
  umount,
  signal,
  ptrace,
  unix,
  deny /etc/group r,
}}
"""


@pytest.fixture
def profile(tmp_path):
    """A profile of the test's own that denies one file."""
    enabled = pathlib.Path("/sys/module/apparmor/parameters/enabled")
    if not enabled.exists() or enabled.read_text().strip() != "Y":
        pytest.skip("AppArmor is not enabled on this host")
    if shutil.which("apparmor_parser") is None:
        pytest.skip("apparmor_parser is not installed")
    name = f"hardrun-test-{tmp_path.name}".replace("[", "-").replace("]", "")
    file = tmp_path / "profile"
    file.write_text(PROFILE.format(name=name))
    subprocess.run(["apparmor_parser", "--add", "--skip-cache", file], check=True)
    yield name
    subprocess.run(["apparmor_parser", "--remove", file], check=True)


def confined(name, nnp=False):
    return lambda c: c["process"].update(apparmorProfile=name, noNewPrivileges=nnp)


LOOK = "cat /proc/self/attr/current; cat /etc/group || echo denied; cat /etc/passwd | wc -l"


@pytest.mark.parametrize("nnp", [False, True])
def test_s3_first_process_is_confined(rt, profile, nnp):
    result = rt.run(LOOK, confined(profile, nnp))
    assert result.out.splitlines() == [f"{profile} (enforce)", "denied", "2"], result
    assert "Permission denied" in result.err


@pytest.mark.parametrize("nnp", [False, True])
def test_s3_exec_is_confined(rt, profile, nnp):
    id = rt.start("sleep 100", confined(profile, nnp))
    for extra in ((), ("--user", "1001:1002")):
        result = rt.call("exec", *extra, id, "sh", "-c", LOOK)
        assert result.out.splitlines() == [f"{profile} (enforce)", "denied", "2"], result


def test_s3_exec_with_a_profile_of_its_own(compat, profile):
    id = compat.start()
    assert compat.ok("exec", id, "cat", "/proc/self/attr/current").out.strip() == "unconfined"
    result = compat.call("exec", "--apparmor", profile, id, "sh", "-c", LOOK)
    assert result.out.splitlines() == [f"{profile} (enforce)", "denied", "2"], result


@pytest.mark.parametrize("nnp", [False, True])
def test_s3_missing_profile_is_an_error(rt, profile, nnp):
    id = rt.new_id()
    result = rt.call("create", "--bundle", rt.bundle("echo ran", confined("hardrun-no-such-profile", nnp)), id)
    assert result.code == 1 and rt.call("state", id).code == 1, result
    assert "process.apparmorProfile" in result.err and "hardrun-no-such-profile" in result.err, result
