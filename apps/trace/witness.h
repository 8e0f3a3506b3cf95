/* apps/trace/witness.h: was a signal that we got sent to our whole process group? */
#ifndef WEFT_TRACE_WITNESS_H
#define WEFT_TRACE_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct witness {
    pid_t pid; /* 0: there is none */
    int life, reports;
    bool seen[64]; /* by number */
};

/* Before any thread is started. Without a witness every signal counts as sent to us alone. */
void witness_start(struct witness *witness, const int *signals, size_t count);
/* Has the group got this signal since it was last asked for? The witness needs a moment to say so. */
bool witness_saw(struct witness *witness, int signum);
void witness_stop(struct witness *witness);

#endif
