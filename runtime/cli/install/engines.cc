// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "runtime/cli/install/engine.h"

namespace hardrun::cli::install {
namespace {

constexpr auto kNames = std::to_array<std::string_view>(
    {"hardrun", "hardrun-net", "hardrun-guarded", "hardrun-compat"});

const auto kEngines = std::to_array<Engine>({
    {"docker", "/etc/docker/daemon.json", "{}\n", "`systemctl reload docker` makes docker read it",
     add_to_docker, take_from_docker,
     [] { return std::vector<std::string>{"/run/docker/runtime-*/moby"}; }},
    {"containerd", "/etc/containerd/config.toml", "version = 2\n",
     "`systemctl restart containerd` makes containerd read it; running containers go on",
     add_to_containerd, take_from_containerd,
     [] { return std::vector<std::string>{"/run/containerd/runc/*"}; }},
    {"podman", "/etc/containers/containers.conf.d/50-hardrun.conf", "",
     "podman reads it at every start", add_to_podman, take_from_podman,
     [] { return std::vector<std::string>{"/run/hardrun"}; }},
    {"cri-o", "/etc/crio/crio.conf.d/50-hardrun.conf", "",
     "`systemctl reload crio` makes cri-o read it", add_to_crio, take_from_crio,
     [] { return std::vector<std::string>{"/run/hardrun"}; }},
});

}  // namespace

std::span<const Engine> engines() {
    return kEngines;
}

std::span<const std::string_view> runtime_names() {
    return kNames;
}

}  // namespace hardrun::cli::install
