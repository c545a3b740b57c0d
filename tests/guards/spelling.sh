#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Words are spelled right. Captured data of engines is left alone.
set -euo pipefail
cd "$(dirname "$0")/../.."
git ls-files -z ':!tests/data' ':!LICENSE' | xargs -0 codespell --ignore-words-list "crate,fo,te,ro,hist,ue,nd,kown"
