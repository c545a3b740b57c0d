#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Who may include whom (CONTRIBUTING.md, "Layers"), read off every #include.
set -euo pipefail
cd "$(dirname "$0")/../.."

# layer: the layers it may include, besides itself.
declare -A allowed=(
    [runtime/base]=""
    [config]="runtime/base"
    [runtime/plan]="config runtime/base"
    [runtime/init]=""
    [runtime/cgroup]="runtime/plan config runtime/base"
    [runtime/state]="runtime/base"
    [hooks]="runtime/base"
    [runtime/launch]="runtime/init runtime/cgroup runtime/state hooks runtime/plan config runtime/base"
    [runtime/cli]="runtime/launch runtime/cgroup runtime/state hooks runtime/plan config runtime/base"
)

# set_layer VARIABLE PATH
set_layer() {
    local path=$2
    if [[ $path == runtime/* ]]; then
        path=${path#runtime/}
        printf -v "$1" 'runtime/%s' "${path%%/*}"
    else
        printf -v "$1" '%s' "${path%%/*}"
    fi
}

bad=0 from='' to=''
while IFS=: read -r file include; do
    include=${include#*\"}
    set_layer from "$file"
    set_layer to "${include%%\"*}"
    [ "$from" = "$to" ] && continue
    if [[ ! -v allowed[$from] || " ${allowed[$from]} " != *" $to "* ]]; then
        echo "$file: $from must not include $to" >&2
        bad=1
    fi
done < <(git grep -E '^#include "' -- 'config/*' 'runtime/*' 'hooks/*')

# The child side has no library: only the kernel's headers and what the compiler itself brings.
while IFS=: read -r file include; do
    header=${include#*<}
    header=${header%%>*}
    case $header in
        linux/* | asm/* | cstddef | cstdint | type_traits) ;;
        *)
            echo "$file: runtime/init must not include <$header>" >&2
            bad=1
            ;;
    esac
done < <(git grep -E '^#include <' -- 'runtime/init/*')
exit "$bad"
