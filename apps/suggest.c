/* "Did you mean": the nearest name of a command or an option by edit distance.
 *
 * The distance is Damerau's in its simple form (each letter takes part in one swap at most): typing
 * two neighbours in the wrong order is the commonest slip, and counts as one. Three rows of the
 * usual table are enough. Words longer than the rows are never near a name. */
#include "command.h"
#include <string.h>

enum { LONGEST = 32 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned edit_distance(const char *one, const char *other, unsigned limit)
{
    size_t rows = strlen(one), columns = strlen(other);
    if (rows > LONGEST || columns > LONGEST)
        return limit + 1;

    unsigned table[3][LONGEST + 1];
    for (unsigned j = 0; j <= columns; j++)
        table[0][j] = j;
    for (unsigned i = 1; i <= rows; i++) {
        unsigned *row = table[i % 3];
        const unsigned *above = table[(i + 2) % 3], *above_that = table[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= columns; j++) {
            unsigned replaced = above[j - 1] + (one[i - 1] != other[j - 1]);
            row[j] = least(replaced, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
                row[j] = least(row[j], above_that[j - 2] + 1);
        }
    }
    return least(table[rows % 3][columns], limit + 1);
}

void suggestion_begin(struct suggestion *suggestion, const char *word)
{
    /* A third of the letters may be wrong, and never all of them. */
    size_t length = strlen(word);
    suggestion->word = word;
    suggestion->name = NULL;
    suggestion->nearest = length < 3 ? 1 : length > LONGEST ? 0 : (unsigned)length / 3;
}

void suggestion_offer(struct suggestion *suggestion, const char *name)
{
    unsigned distance = edit_distance(suggestion->word, name, suggestion->nearest);
    if (distance <= suggestion->nearest && distance < strlen(name)) {
        suggestion->name = name;
        suggestion->nearest = distance > 0 ? distance - 1 : 0;
    }
}

const char *suggest_command(const char *word)
{
    struct suggestion suggestion;
    suggestion_begin(&suggestion, word);
    for (const struct command *command = commands; command->name != NULL; command++)
        suggestion_offer(&suggestion, command->name);
    return suggestion.name;
}
