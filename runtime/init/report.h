// SPDX-License-Identifier: Apache-2.0
// What init and its parent say to each other. Fixed sizes, far below PIPE_BUF: one write, never
// torn.
//
//   parent                                  init
//     clone3 ------------------------------->  (user namespace: waits for its id maps)
//     id maps, cgroup, oom_score_adj             sealed program starts, joins, own mount namespace,
//                                                cell, mounts, devices
//     go ----------------------------------->  (before a cgroup namespace or a second fork: here)
//        <------------------------------- prepared        (only when there are hooks)
//     prestart, createRuntime, createContainer
//     go ----------------------------------->  pivot, masks, console, identity, program found
//        <-------------------- console + descriptor       (only with a terminal)
//        <------------------------------- ready + root identity [+ cell descriptor]
//     memory limit, devices, record, pid file
//     go ----------------------------------->  waits at the gate (create) or goes on (run, exec)
//        <--------------------- failed, or end of file: the program was executed
//
// Joining a pid namespace takes a second fork, early for create and late for exec. The process that
// forked says `forked` with the new pid and ends; the conversation goes on with the new one
// unchanged.
#pragma once

#include <cstdint>

#include "runtime/init/init_plan.h"

namespace hardrun::init {

// Appended to, never renumbered: the parent turns these into words.
enum class Step : uint8_t {
    start,
    join_namespaces,
    new_namespaces,
    fork,
    await_parent,
    mount_namespace,
    cgroup_namespace,
    network,
    private_proc,
    root,
    mounts,
    devices,
    links,
    hooks,
    sysctls,
    readonly_paths,
    masked_paths,
    console,
    pivot_root,
    verify_root,
    seal_root,
    hostname,
    domainname,
    rlimits,
    cwd,
    keyring,
    identity,
    verify_identity,
    home,
    program,
    session,
    gate,
    enter_cell,
    label,
    no_new_privs,
    seccomp,
    exec,
    staged,
};

enum class Word : uint8_t { go, prepared, console, ready, forked, failed };

struct Message {
    Word word = Word::go;
    Step step = Step::start;
    uint16_t index = 0;    // which mount, which device, ...
    int32_t err = 0;       // errno
    int32_t call = 0;      // the system call's number
    int32_t pid = 0;       // forked
    int32_t cell_fd = -1;  // ready: where init holds the cell until it enters it
    RootIdentity root{};   // ready
    char detail[96] = {};  // the file system's own words, NUL-terminated
};
static_assert(std::is_trivially_copyable_v<Message> && sizeof(Message) <= 192);

}  // namespace hardrun::init
