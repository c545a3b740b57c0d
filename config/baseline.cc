// SPDX-License-Identifier: Apache-2.0
#include "config/baseline.h"

#include <linux/capability.h>

#include <array>
#include <bit>

namespace hardrun::config {
namespace {

constexpr uint64_t mask(std::initializer_list<int> caps) {
    uint64_t out = 0;
    for (const int cap : caps)
        out |= uint64_t{1} << cap;
    return out;
}

constexpr uint64_t kFourteen =
    mask({CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FSETID, CAP_FOWNER, CAP_MKNOD, CAP_NET_RAW, CAP_SETGID,
          CAP_SETUID, CAP_SETFCAP, CAP_SETPCAP, CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT, CAP_KILL,
          CAP_AUDIT_WRITE});

// Captured from the engines' own config.json files (tests/data/captures), CRI-O's from its
// documentation.
constexpr auto kBaselines = std::to_array<CapBaseline>({
    {"spec", "hardrun spec, runc spec", mask({CAP_AUDIT_WRITE, CAP_KILL, CAP_NET_BIND_SERVICE})},
    {"cri-o", "crio.conf(5), default_capabilities",
     mask({CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FSETID, CAP_FOWNER, CAP_SETGID, CAP_SETUID, CAP_SETPCAP,
           CAP_NET_BIND_SERVICE, CAP_KILL})},
    {"podman", "containers.conf(5), default_capabilities of podman 4.4 and later",
     mask({CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_FSETID, CAP_KILL, CAP_NET_BIND_SERVICE,
           CAP_SETFCAP, CAP_SETGID, CAP_SETPCAP, CAP_SETUID, CAP_SYS_CHROOT})},
    {"docker", "docker-default.json; containerd's, CRI's and podman 4.3's are the same", kFourteen},
});

uint64_t duplicates(const CapList& listed) {
    uint64_t seen = 0;
    uint64_t twice = 0;
    for (const uint8_t cap : listed) {
        const uint64_t bit = uint64_t{1} << cap;
        twice |= seen & bit;
        seen |= bit;
    }
    return twice;
}

// The smallest baseline that holds the whole set, or the largest of all. The smallest: CRI-O's nine
// with two dropped would be seven of docker's fourteen, and pass for a wish that nobody had. So
// `--cap-drop ALL` with five or more of CRI-O's nine added gives none in strict; a policy keeps
// them.
const CapBaseline& closest(uint64_t caps) {
    for (const CapBaseline& b : kBaselines)
        if (b.caps == caps)
            return b;
    for (const CapBaseline& b : kBaselines)
        if ((caps & ~b.caps) == 0 && &b != &kBaselines.front())
            return b;
    return kBaselines.back();
}

}  // namespace

std::span<const CapBaseline> cap_baselines() {
    return kBaselines;
}

CapVerdict judge_caps(const CapList& listed) {
    const uint64_t caps = cap_mask(listed);
    const CapBaseline& baseline = closest(caps);
    CapVerdict verdict{.engine = baseline.engine};
    verdict.beyond = caps & ~kFourteen;
    const uint64_t within = caps & kFourteen;
    const bool few =
        within != baseline.caps && std::popcount(within) * 2 <= std::popcount(baseline.caps);
    verdict.wished = few ? within : duplicates(listed) & within;
    verdict.unasked = within & ~verdict.wished;
    return verdict;
}

}  // namespace hardrun::config
