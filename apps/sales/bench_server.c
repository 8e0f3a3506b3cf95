/* The server of a run: this program once more, as a child.
 *
 * A child process has its own loop, its own thread pool and its own memory, like a server that
 * stands somewhere else. The bench ends it when the run is over. If the bench itself is killed it
 * cannot do that: so the child asks to be ended with its parent, and does not begin if that was
 * faster. For this it is started as `weft sales bench server-of PID …`, not as `weft sales serve …`.
 */
#include "sales/bench.h"
#include "sales/sales.h"
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static const char server_of[] = "server-of";
enum { SERVER_WORDS = 3 }; /* "bench", "server-of", the parent's number */

void bench_server_args(struct bench_server_args *args, const struct bench_run *run)
{
    const struct bench *bench = run->bench;
    snprintf(args->parent, sizeof args->parent, "%ld", (long)getpid());
    snprintf(args->delay, sizeof args->delay, "%" PRIu64, bench->scan_delay_ms);
    const char *const words[BENCH_SERVER_WORDS] = {bench->command,
                                                   "sales",
                                                   "bench",
                                                   server_of,
                                                   args->parent,
                                                   "--quiet",
                                                   "--host",
                                                   "127.0.0.1",
                                                   "--port",
                                                   "0",
                                                   "--db",
                                                   bench->db,
                                                   "--mode",
                                                   totals_mode_names[run->mode],
                                                   "--scan-delay",
                                                   args->delay,
                                                   NULL};
    memcpy(args->words, words, sizeof words);
}

bool bench_is_server(int argc, char **argv)
{
    return argc >= SERVER_WORDS && strcmp(argv[1], server_of) == 0;
}

int bench_be_server(int argc, char **argv)
{
    long parent = strtol(argv[2], NULL, 10);
    bench_end_with_parent();
    if (getppid() != parent)
        return EXIT_FAILED;
    argv[SERVER_WORDS - 1] = argv[0];
    return sales_serve_run(argc - SERVER_WORDS + 1, argv + SERVER_WORDS - 1);
}
