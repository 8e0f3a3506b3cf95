/* The table of commands: a new one is its own file and one line here. */
#include "command.h"
#include <string.h>

const struct command commands[] = {
    {"concat", "several files as one", concat_usage, concat_run},
    {"help", "what there is, or how to use one command",
     "help [COMMAND]\n"
     "       weft help --list\n"
     "\n"
     "Prints the list of commands, or what there is to know about one of them.\n"
     "\n"
     "  --list   only the names, one a line, for scripts and shell completion\n",
     help_run},
    {"find", "the text files below a folder that hold a keyword", find_usage, find_run},
    {"list", "everything below a folder", list_usage, list_run},
    {"say", "tell the time, by a module that is slow to initialise", say_usage, say_run},
    {"sales", "sales in a ledger, and a server that adds them up", sales_usage, sales_run},
    {"serve", "serve a folder by HTTP", serve_usage, serve_run},
    {"spider", "take a site home", spider_usage, spider_run},
    {"subsetsum", "which of some numbers have a sum", subsetsum_usage, subsetsum_run},
    {"trace", "record what a program does, and look at it", trace_usage, trace_run},
    {"version", "which weft this is", "version\n\nPrints the version.\n", version_run},
    {NULL, NULL, NULL, NULL},
};

const struct command *command_find(const char *name)
{
    for (const struct command *command = commands; command->name != NULL; command++) {
        if (strcmp(command->name, name) == 0)
            return command;
    }
    return NULL;
}
