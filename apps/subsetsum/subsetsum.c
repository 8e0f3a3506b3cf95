/* weft subsetsum: which of these numbers have that sum? */
#include "subsetsum/subsetsum.h"
#include "serving/serving.h"
#include "subsetsum/finding.h"

const char subsetsum_usage[] =
    "subsetsum solve [OPTION...] --sum SUM (--data ARRAY | FILE)\n"
    "       weft subsetsum count --sum SUM (--data ARRAY | FILE)\n"
    "       weft subsetsum serve [OPTION...]\n"
    "       weft subsetsum worker [OPTION...] --redis URL\n"
    "       weft subsetsum bench [OPTION...]\n"
    "\n"
    "solve prints every subset of the integers that has the sum, one a line as it is found;\n"
    "count prints how many there are, without looking at each. A subset has at least one integer,\n"
    "and two equal ones at different places are two. serve answers such questions by HTTP, worker\n"
    "searches for servers of mode redis, on any machine; bench shows how alive a server is while "
    "it\n"
    "searches, in each of its modes.\n"
    "\n"
    "      --data ARRAY          the integers, as JSON: '[1,2,-4,5,-3]'; at most 64, of 64 bits\n"
    "      --sum SUM             the sum, an integer\n"
    "      --first K             solve: stop after so many\n"
    "      --method METHOD       solve: auto (default), gray, meet or schroeppel\n"
    "\n"
    "FILE has such an array in it; '-' is standard input.\n"
    "\n"
    "serve: GET /subsetSum?data=ARRAY&sum=SUM is answered with a line for each match, as they are\n"
    "found; every other path says that it is alive.\n"
    "\n"
    "      --mode MODE           where it searches: sync (nobody else is answered meanwhile), "
    "steps\n"
    "                            (on the loop, in slices), threads, procs (processes; the "
    "default)\n"
    "                            or redis (in parts, by workers on any machine)\n"
    "      --workers N           modes threads and procs: so many (default: one for each core)\n"
    "      --waiting N           searches that may wait; more get 503 (default 64)\n"
    "      --numbers N           refuse more integers (default 44)\n"
    "      --time TIME           what a search may take, its waiting included (default 60s)\n"
    "      --redis URL           redis: redis://HOST[:PORT][/DB], or unix:PATH\n"
    "      --queue NAME          redis: the name of the line there (default " FINDING_QUEUE ")\n"
    "      --parts N             redis: of a search (default 16)\n" SERVING_USAGE_ONE
    "      --metrics             answer " SERVING_METRICS " and " SERVING_HEALTHZ "\n"
    "\n"
    "worker:\n"
    "      --redis URL           where the line is; the same as the server's, as is\n"
    "      --queue NAME          its name (default " FINDING_QUEUE ")\n"
    "  -t, --threads N           parts at a time (default: one for each core)\n"
    "      --lease TIME          who is silent for so long loses his part (default 10s)\n"
    "  -q, --quiet               no remarks about Redis\n"
    "\n"
    "bench:\n"
    "      --modes LIST          some of sync,steps,threads,procs,redis (default the first four)\n"
    "      --seconds S           for so long in each mode (default 3)\n"
    "      --numbers N           among so many integers is searched: 20 to 56 (default 48)\n"
    "      --redis URL           mode redis, too; it starts the workers itself\n"
    "      --json                for machines\n"
    "      --svg FILE            draw it\n";

int subsetsum_run(int argc, char **argv)
{
    static const struct command_part parts[] = {
        {"solve", subsetsum_solve_run}, {"count", subsetsum_count_run},
        {"serve", subsetsum_serve_run}, {"worker", subsetsum_worker_run},
        {"bench", subsetsum_bench_run}, {NULL, NULL},
    };
    return parts_run("subsetsum", parts, argc, argv);
}
