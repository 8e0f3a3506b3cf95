/* apps/subsetsum/subsetsum.h: the parts of `weft subsetsum`, and what they share. */
#ifndef WEFT_SUBSETSUM_H
#define WEFT_SUBSETSUM_H

#include "command.h"
#include "options.h"
#include "subsetsum/engine.h"

command_fn subsetsum_solve_run;  /* solve.c */
command_fn subsetsum_count_run;  /* solve.c */
command_fn subsetsum_serve_run;  /* serve.c */
command_fn subsetsum_worker_run; /* worker.c */
command_fn subsetsum_bench_run;  /* bench.c */

/* problem.c: the problem of a command line. data and sum are the values of these options, or NULL;
 * the numbers may be in the one word that is left in argv instead, a file, or "-" for standard input.
 * The exit status; it was said what is wrong. */
int subsetsum_problem(const char *part, const char *data, const char *sum, int argc, char **argv,
                      struct subset_problem *problem);

/* worker.c: can this be a Redis, and a name of a line in it? queue may be NULL. The exit status; it was
 * said what is wrong. */
int subsetsum_check_line(const char *redis, const char *queue);

#endif
