# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# Debian packages by purpose, and a way to install what is missing. Sourced by demo and check.

build_packages=(g++ lld cmake ninja-build pkg-config libseccomp-dev libyajl-dev
    libsystemd-dev)
# A static busybox makes the root file systems; ccache makes repeated builds quick.
demo_packages=(busybox-static)
unit_packages=(libgtest-dev)
cross_packages=(g++-aarch64-linux-gnu qemu-user-static libseccomp-dev:arm64 libyajl-dev:arm64
    libsystemd-dev:arm64 libgtest-dev:arm64)
vm_packages=(qemu-system-x86 mmdebstrap kmod e2fsprogs xz-utils debian-archive-keyring)
lint_packages=(clang clang-tidy clang-format codespell shellcheck)
integration_packages=(busybox-static python3 python3-pytest docker.io containerd podman crun runc
    bubblewrap iproute2 iptables procps strace debootstrap dpkg-dev file)

# need PACKAGE...: installs those that are missing, quietly unless something goes wrong.
need() {
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ "${#missing[@]}" -eq 0 ] && return 0
    if [ "$(id -u)" -ne 0 ]; then
        echo "These Debian packages are missing, and only root can install them: ${missing[*]}" >&2
        return 1
    fi
    echo "Installing from Debian: ${missing[*]}"
    local log
    log=$(mktemp)
    export DEBIAN_FRONTEND=noninteractive
    # A machine where services must not start (a chroot, a container) is fine: nothing here needs them.
    if { apt-get update -q && apt-get install -qy --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        rm -f "$log"
        return 0
    fi
    tail -n 20 "$log" >&2
    rm -f "$log"
    return 1
}

# foreign ARCHITECTURE: lets `need` install packages of it.
foreign() {
    dpkg --print-foreign-architectures | grep -qx "$1" || dpkg --add-architecture "$1"
}

# build PRESET [CMAKE OPTION...]: configures and builds, with the compiler's progress on one line each.
build() {
    local preset=$1
    shift
    local launcher=()
    command -v ccache >/dev/null 2>&1 &&
        launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    cmake --preset "$preset" "${launcher[@]}" "$@" >/dev/null
    cmake --build --preset "$preset"
}

# make_rootfs DIR: a small root file system from the static busybox.
make_rootfs() {
    local root=$1
    mkdir -p "$root"/{bin,etc,proc,sys,dev,tmp,root,run,var/tmp,mnt,home/bob}
    /bin/busybox --install -s "$root/bin"
    rm -f "$root/bin/busybox"
    cp /bin/busybox "$root/bin/busybox"
    # The links lead to where the host has it, which may be below /usr.
    mkdir "$root/usr"
    ln -s ../bin "$root/usr/bin"
    chmod 1777 "$root/tmp" "$root/var/tmp"
    printf 'root:x:0:0:root:/root:/bin/sh\nbob:x:1001:1002:bob:/home/bob:/bin/sh\n' >"$root/etc/passwd"
    printf 'root:x:0:\nbob:x:1002:\n' >"$root/etc/group"
}
