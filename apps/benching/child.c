/* This program once more, as a child of a bench: a server, or who works for one.
 *
 * A child process has its own loop, its own thread pool and its own memory, like a server that
 * stands somewhere else. The bench ends it when the run is over. If the bench itself is killed it
 * cannot do that: so the child asks to be ended with its parent, and does not begin if that was
 * faster. For this it is started as `weft sales bench server-of PID …`, not as `weft sales serve …`.
 */
#include "benching/benching.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHILD_WORDS = 3 }; /* "bench", the kind, the parent's number */

void bench_words(struct bench_words *words, const char *program, const char *command,
                 const char *kind, const char *const *rest)
{
    const char *const first[] = {program, command, "bench", kind, words->parent};
    size_t count = sizeof first / sizeof first[0];
    snprintf(words->parent, sizeof words->parent, "%ld", (long)getpid());
    memcpy(words->words, first, sizeof first);
    for (size_t i = 0; i < BENCH_REST && rest[i] != NULL; i++)
        words->words[count++] = rest[i];
    words->words[count] = NULL;
}

bool bench_is_child(int argc, char **argv, const char *kind)
{
    return argc >= CHILD_WORDS && strcmp(argv[1], kind) == 0;
}

int bench_be_child(int argc, char **argv, command_fn *run)
{
    long parent = strtol(argv[2], NULL, 10);
    bench_end_with_parent();
    if (getppid() != parent)
        return EXIT_FAILED;
    argv[CHILD_WORDS - 1] = argv[0];
    return run(argc - CHILD_WORDS + 1, argv + CHILD_WORDS - 1);
}
