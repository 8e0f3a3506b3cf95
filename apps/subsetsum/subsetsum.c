/* weft subsetsum: which of these numbers have that sum? */
#include "subsetsum/subsetsum.h"
#include <string.h>

const char subsetsum_usage[] =
    "subsetsum solve [OPTION...] --sum SUM (--data ARRAY | FILE)\n"
    "       weft subsetsum count --sum SUM (--data ARRAY | FILE)\n"
    "\n"
    "solve prints every subset of the integers that has the sum, one a line as it is found;\n"
    "count prints how many there are, without looking at each. A subset has at least one integer,\n"
    "and two equal ones at different places are two.\n"
    "\n"
    "      --data ARRAY          the integers, as JSON: '[1,2,-4,5,-3]'; at most 64, of 64 bits\n"
    "      --sum SUM             the sum, an integer\n"
    "      --first K             solve: stop after so many\n"
    "      --method METHOD       solve: auto (default), gray, meet or schroeppel\n"
    "\n"
    "FILE has such an array in it; '-' is standard input.\n";

struct part {
    const char *name;
    command_fn *run;
};

static const struct part parts[] = {
    {"solve", subsetsum_solve_run},
    {"count", subsetsum_count_run},
    {"serve", subsetsum_serve_run},
    {"worker", subsetsum_worker_run},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

static int unknown_part(const char *word)
{
    struct suggestion suggestion;
    suggestion_begin(&suggestion, word);
    for (size_t i = 0; i < PARTS; i++)
        suggestion_offer(&suggestion, parts[i].name);
    if (suggestion.name == NULL)
        return misused("subsetsum", "'%s' is not solve, count, serve or worker", word);
    return misused("subsetsum", "there is no '%s'; did you mean '%s'?", word, suggestion.name);
}

int subsetsum_run(int argc, char **argv)
{
    if (argc < 2)
        return misused("subsetsum", "say what to do: solve, count, serve or worker");
    for (size_t i = 0; i < PARTS; i++) {
        if (strcmp(argv[1], parts[i].name) == 0)
            return parts[i].run(argc - 1, argv + 1);
    }
    return unknown_part(argv[1]);
}
