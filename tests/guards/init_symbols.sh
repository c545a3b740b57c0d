#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The init program calls nothing but the kernel: it is linked without any library, and its steps need no
# symbol from outside their own namespace but the two that the compiler itself may call.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=$(find build/*/runtime/init -name hardrun-init -type f | head -n 1)
[ -n "$program" ] || {
    echo "hardrun-init is not built" >&2
    exit 1
}
if readelf -lW "$program" | grep -qE 'INTERP|DYNAMIC'; then
    echo "$program is linked dynamically" >&2
    exit 1
fi
size=$(stat -c %s "$program")
if [ "$size" -gt 65536 ]; then
    echo "$program has $size bytes; 65536 are the limit, since every container start copies it" >&2
    exit 1
fi
objects=$(find "$(dirname "$program")" -path '*hardrun-init.dir*' -name '*.o')
# shellcheck disable=SC2086
foreign=$(nm -C -u $objects | awk '/ U /{$1=""; print substr($0, 2)}' | sort -u |
    grep -vE '^hardrun::init::|^(memset|memcpy)$' || true)
[ -z "$foreign" ] && exit 0
printf 'the init program needs:\n%s\n' "$foreign" >&2
exit 1
