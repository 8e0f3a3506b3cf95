/* apps/command.h: what a subcommand of `weft` is, and what all of them share. */
#ifndef WEFT_APPS_COMMAND_H
#define WEFT_APPS_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* What every command exits with. */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* argv[0] is the command's own name. The result is the exit status. stdout is flushed and checked
 * by main(), so a command need not look at every printf. */
typedef int command_fn(int argc, char **argv);

struct command {
    const char *name;
    const char *summary; /* one line, for `weft help` */
    const char *usage; /* what follows "usage: weft ", and the text of `weft help NAME` below it */
    command_fn *run;
};

/* The table of all commands, in the order in which help lists them; ends with a NULL name. */
extern const struct command commands[];

const struct command *command_find(const char *name);

/* help.c */
command_fn help_run;
command_fn version_run;
void help_print_usage(const struct command *command);

/* files/concat.c */
command_fn concat_run;
extern const char concat_usage[];

/* files/list.c, find.c */
command_fn list_run, find_run;
extern const char list_usage[], find_usage[];

/* sales/sales.c */
command_fn sales_run;
extern const char sales_usage[];

/* say/say.c */
command_fn say_run;
extern const char say_usage[];

/* serve/serve.c */
command_fn serve_run;
extern const char serve_usage[];

/* spider/spider.c */
command_fn spider_run;
extern const char spider_usage[];

/* subsetsum/subsetsum.c */
command_fn subsetsum_run;
extern const char subsetsum_usage[];

/* trace/trace.c */
command_fn trace_run;
extern const char trace_usage[];

/* suggest.c: the command whose name is nearest to word, or NULL if none is near. */
const char *suggest_command(const char *word);
/* The same for names of another kind: begin, offer each, read name. word has to stay. */
struct suggestion {
    const char *word, *name; /* name: NULL if none is near */
    unsigned nearest;
};
void suggestion_begin(struct suggestion *suggestion, const char *word);
void suggestion_offer(struct suggestion *suggestion, const char *name);
/* How many letters have to be inserted, removed, replaced or swapped with their neighbour to turn
 * one word into the other; anything above limit comes back as limit + 1. */
unsigned edit_distance(const char *one, const char *other, unsigned limit);

/* parts.c: what a command does is said by its first word; a table of these ends with a NULL name. */
struct command_part {
    const char *name;
    command_fn *run;
};
/* Run the part that argv[1] names. EXIT_USAGE: there is none; it was said which there are. */
int parts_run(const char *command, const struct command_part *parts, int argc, char **argv);

/* report.c: "weft: " and the text, on stderr. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);
/* From now on such lines, each with its end, are handed to hear; NULL: written to stderr again. For
 * one thread. */
typedef void complaint_fn(const char *line, size_t size, void *context);
void complain_to(complaint_fn *hear, void *context);
/* The same for a misuse: adds where to look, returns EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int misused(const char *command, const char *format, ...);
/* For a word that is no command: says so, and which one may have been meant. EXIT_USAGE. */
int unknown_command(const char *name);
/* Flush stdout; false, and a complaint, if any of it could not be written. */
bool finish_output(void);

#endif
