// SPDX-License-Identifier: Apache-2.0
// What a container's start costs at least: the namespaces, the groups, the mounts and the program, made by
// straight system calls; no config.json, no state, no seccomp, no checks.
//   floor [--cgroup DIR]... ROOTFS PROGRAM [ARGUMENT]...
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char* what) {
    perror(what);
    _exit(125);
}

static void mount_or_die(const char* from, const char* to, const char* type, unsigned long flags, const char* data) {
    if (mount(from, to, type, flags, data) != 0)
        die(to);
}

static void join(const char* group, const char* pid) {
    char path[4096];
    snprintf(path, sizeof path, "%s/cgroup.procs", group);
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, pid, strlen(pid)) < 0)
        die(path);
    close(fd);
}

static void inside(int gate, const char* root, char** program) {
    char go;
    if (read(gate, &go, 1) != 1)
        _exit(125);
    mount_or_die(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
    mount_or_die(root, root, NULL, MS_BIND | MS_REC, NULL);
    if (chdir(root) != 0)
        die(root);
    mount_or_die("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    mount_or_die("sysfs", "sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, NULL);
    mount_or_die("tmpfs", "dev", "tmpfs", MS_NOSUID | MS_STRICTATIME, "mode=755,size=64k");
    if (syscall(SYS_pivot_root, ".", ".") != 0)
        die("pivot_root");
    if (umount2(".", MNT_DETACH) != 0 || chdir("/") != 0)
        die("umount");
    execv(program[0], program);
    die(program[0]);
}

int main(int argc, char** argv) {
    const char* groups[32];
    int count = 0;
    int at = 1;
    for (; at + 1 < argc && strcmp(argv[at], "--cgroup") == 0 && count < 32; at += 2)
        groups[count++] = argv[at + 1];
    if (argc - at < 2)
        return 2;
    for (int i = 0; i < count; ++i)
        if (mkdir(groups[i], 0755) != 0)
            die(groups[i]);
    int gate[2];
    if (pipe2(gate, O_CLOEXEC) != 0)
        die("pipe");
    const unsigned long flags =
        CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNS | SIGCHLD;
    const pid_t child = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
    if (child < 0)
        die("clone");
    if (child == 0)
        inside(gate[0], argv[at], argv + at + 1);
    char pid[16];
    snprintf(pid, sizeof pid, "%d", (int)child);
    for (int i = 0; i < count; ++i)
        join(groups[i], pid);
    if (write(gate[1], "", 1) != 1)
        die("gate");
    int status;
    if (waitpid(child, &status, 0) != child)
        die("wait");
    for (int i = 0; i < count; ++i)
        if (rmdir(groups[i]) != 0)
            die(groups[i]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
