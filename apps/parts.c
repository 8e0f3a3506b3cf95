/* A command with parts of its own: `weft sales load`, `weft trace summary`. */
#include "command.h"
#include <stdio.h>
#include <string.h>

/* "load, import or add" */
static void list_names(const struct command_part *parts, char *text, size_t size)
{
    size_t used = 0;
    for (const struct command_part *part = parts; part->name != NULL && used < size; part++) {
        const char *between = part == parts ? "" : part[1].name == NULL ? " or " : ", ";
        int more = snprintf(text + used, size - used, "%s%s", between, part->name);
        used += more > 0 ? (size_t)more : 0;
    }
}

static int unknown_part(const char *command, const struct command_part *parts, const char *word,
                        const char *names)
{
    struct suggestion suggestion;
    suggestion_begin(&suggestion, word);
    for (const struct command_part *part = parts; part->name != NULL; part++)
        suggestion_offer(&suggestion, part->name);
    if (suggestion.name == NULL)
        return misused(command, "'%s' is not %s", word, names);
    return misused(command, "'%s' is not %s; did you mean '%s'?", word, names, suggestion.name);
}

int parts_run(const char *command, const struct command_part *parts, int argc, char **argv)
{
    char names[128];
    list_names(parts, names, sizeof names);
    if (argc < 2)
        return misused(command, "say what to do: %s", names);
    for (const struct command_part *part = parts; part->name != NULL; part++) {
        if (strcmp(argv[1], part->name) == 0)
            return part->run(argc - 1, argv + 1);
    }
    return unknown_part(command, parts, argv[1], names);
}
