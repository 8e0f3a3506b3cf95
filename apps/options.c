/* Options by a table.
 *
 * One walk over the words: options are taken out and stored, the others move to the front. A value
 * that stands in a word of its own may begin with '-' (a file "-", a number that is too small and
 * gets its own complaint), but not with "--": that is an option whose predecessor has lost its
 * value, and taking it for the value would hide both mistakes. */
#include "options.h"
#include "command.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *command;
    const struct option *options;
    char **words; /* the next one to be read */
};

/* ---- complaints ----------------------------------------------------------------------------- */

static int unknown_option(const struct reader *reader, const char *word)
{
    struct suggestion suggestion;
    int length = (int)strcspn(word, "=");
    char name[64];
    snprintf(name, sizeof name, "%.*s", length, word);
    suggestion_begin(&suggestion, name + strspn(name, "-"));
    for (const struct option *option = reader->options; option->name != NULL; option++)
        suggestion_offer(&suggestion, option->name);
    if (suggestion.name == NULL)
        return misused(reader->command, "unknown option '%.*s'", length, word);
    return misused(reader->command, "unknown option '%.*s'; did you mean '--%s'?", length, word,
                   suggestion.name);
}

static int not_a_word(const struct reader *reader, const struct option *option, const char *value)
{
    char list[256] = "";
    for (const char *const *word = option->words; *word != NULL; word++) {
        const char *before = word == option->words ? "" : word[1] == NULL ? " or " : ", ";
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", before, *word);
    }
    return misused(reader->command, "--%s takes %s, not '%s'", option->name, list, value);
}

/* ---- values --------------------------------------------------------------------------------- */

static bool read_number(const struct option *option, const char *value)
{
    uint64_t number = 0;
    if (*value == '\0')
        return false;
    for (; *value != '\0'; value++) {
        if (*value < '0' || *value > '9' || number > option->most / 10)
            return false;
        number = number * 10 + (uint64_t)(*value - '0');
    }
    if (number < option->least || number > option->most)
        return false;
    *option->number = number;
    return true;
}

static bool read_word(const struct option *option, const char *value)
{
    for (unsigned i = 0; option->words[i] != NULL; i++) {
        if (strcmp(option->words[i], value) == 0) {
            *option->word = i;
            return true;
        }
    }
    return false;
}

static int store(const struct reader *reader, const struct option *option, const char *value)
{
    if (*value == '\0')
        return misused(reader->command, "--%s takes a value that is not empty", option->name);
    if (option->parse != NULL && !option->parse(value, option->number))
        return misused(reader->command, "--%s takes a value like %s, not '%s'", option->name,
                       option->example, value);
    if (option->number != NULL && option->parse == NULL && !read_number(option, value))
        return misused(reader->command, "--%s takes a number from %llu to %llu, not '%s'",
                       option->name, (unsigned long long)option->least,
                       (unsigned long long)option->most, value);
    if (option->words != NULL && !read_word(option, value))
        return not_a_word(reader, option, value);
    if (option->list != NULL && option->list->count == OPTION_LIST_MAX)
        return misused(reader->command, "--%s can be given %d times at most", option->name,
                       OPTION_LIST_MAX);
    if (option->list != NULL)
        option->list->items[option->list->count++] = value;
    if (option->text != NULL)
        *option->text = value;
    return EXIT_OK;
}

/* ---- words ---------------------------------------------------------------------------------- */

/* value: what came in the same word, or NULL. */
static int take(struct reader *reader, const struct option *option, const char *value)
{
    if (option->flag != NULL) {
        if (value != NULL)
            return misused(reader->command, "--%s takes no value", option->name);
        *option->flag = true;
        return EXIT_OK;
    }
    if (value == NULL) {
        value = *reader->words;
        if (value == NULL || strncmp(value, "--", 2) == 0)
            return misused(reader->command, "--%s takes a value", option->name);
        reader->words++;
    }
    return store(reader, option, value);
}

static int take_long(struct reader *reader, const char *word)
{
    const char *name = word + 2, *equals = strchr(name, '=');
    size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    for (const struct option *option = reader->options; option->name != NULL; option++) {
        if (strlen(option->name) == length && memcmp(option->name, name, length) == 0)
            return take(reader, option, equals != NULL ? equals + 1 : NULL);
    }
    return unknown_option(reader, word);
}

static int take_letter(struct reader *reader, const char *word)
{
    for (const struct option *option = reader->options; option->name != NULL; option++) {
        if (option->letter == word[1])
            return take(reader, option, word[2] != '\0' ? word + 2 : NULL);
    }
    return unknown_option(reader, word);
}

/* "-", too, and a negative number: no letter of an option is a digit. */
static bool is_other_word(const char *word)
{
    return word[0] != '-' || word[1] == '\0' || (word[1] >= '0' && word[1] <= '9');
}

int options_read(const char *command, const struct option *options, int *argc, char **argv)
{
    struct reader reader = {command, options, argv + 1};
    int left = 1, status = EXIT_OK;
    bool ended = false;
    while (status == EXIT_OK && *reader.words != NULL) {
        char *word = *reader.words++;
        if (ended || is_other_word(word))
            argv[left++] = word;
        else if (strcmp(word, "--") == 0)
            ended = true;
        else if (word[1] == '-')
            status = take_long(&reader, word);
        else
            status = take_letter(&reader, word);
    }
    *argc = left;
    return status;
}
