// SPDX-License-Identifier: Apache-2.0
// Times commands. A process's peak memory begins with that of whoever started it, so what starts them has
// to be smaller than they are: this, not the Python around it.
//   stopwatch LOG     reads commands, one a line, words between tabs; answers "NANOSECONDS PEAK_KIB STATUS"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char line[65536];
static char* words[256];

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void split(void) {
    size_t count = 0;
    for (char* word = strtok(line, "\t\n"); word != NULL && count < 255; word = strtok(NULL, "\t\n"))
        words[count++] = word;
    words[count] = NULL;
}

int main(int argc, char** argv) {
    if (argc != 2)
        return 2;
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int log = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (null < 0 || log < 0)
        return 1;
    while (fgets(line, sizeof line, stdin) != NULL) {
        split();
        const long long begin = now();
        const pid_t child = vfork();
        if (child == 0) {
            dup2(null, 0);
            dup2(null, 1);
            dup2(log, 2);
            execv(words[0], words);
            _exit(127);
        }
        int status = 0;
        struct rusage usage;
        if (child < 0 || wait4(child, &status, 0, &usage) != child)
            return 1;
        const long long end = now();
        printf("%lld %ld %d\n", end - begin, usage.ru_maxrss,
               WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
        fflush(stdout);
    }
    return 0;
}
