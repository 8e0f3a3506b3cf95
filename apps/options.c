/* Options by a table.
 *
 * One walk over the words: options are taken out and stored, the others move to the front. A value
 * that stands in a word of its own may begin with '-' (a file "-", a number that is too small and
 * gets its own complaint), but not with "--": that is an option whose predecessor has lost its
 * value, and taking it for the value would hide both mistakes. */
#include "options.h"
#include "command.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct option_source source;
    const struct option *options;
    char **words; /* the next one to be read */
    bool early;   /* only some are wanted, and nothing is said */
};

/* ---- complaints ----------------------------------------------------------------------------- */

/* What an option looks like where it stands: on the command line it has dashes. */
static const char *dashes(const struct reader *reader)
{
    return reader->source.file == NULL ? "--" : "";
}

__attribute__((format(printf, 2, 3))) static int wrong(const struct reader *reader,
                                                       const char *format, ...)
{
    char text[1024];
    va_list arguments;
    if (reader->early)
        return EXIT_USAGE;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (reader->source.file == NULL)
        return misused(reader->source.command, "%s", text);
    complain("%s:%u: %s", reader->source.file, reader->source.line, text);
    return EXIT_USAGE;
}

static int unknown_option(const struct reader *reader, const char *word)
{
    struct suggestion suggestion;
    int length = (int)strcspn(word, "=");
    char name[64];
    snprintf(name, sizeof name, "%.*s", length, word);
    suggestion_begin(&suggestion, name + strspn(name, "-"));
    for (const struct option *option = reader->options; option->name != NULL; option++) {
        if (reader->source.file == NULL || !option->outside)
            suggestion_offer(&suggestion, option->name);
    }
    if (suggestion.name == NULL)
        return wrong(reader, "unknown option '%.*s'", length, word);
    return wrong(reader, "unknown option '%.*s'; did you mean '%s%s'?", length, word,
                 dashes(reader), suggestion.name);
}

static int not_a_word(const struct reader *reader, const struct option *option, const char *value)
{
    char list[256] = "";
    for (const char *const *word = option->words; *word != NULL; word++) {
        const char *before = word == option->words ? "" : word[1] == NULL ? " or " : ", ";
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", before, *word);
    }
    return wrong(reader, "%s%s takes %s, not '%s'", dashes(reader), option->name, list, value);
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

static bool parse_number(const struct option *option, const char *value)
{
    uint64_t number;
    if (!option->parse(value, &number) || number < option->least)
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
    const char *before = dashes(reader), *name = option->name;
    if (*value == '\0')
        return wrong(reader, "%s%s takes a value that is not empty", before, name);
    if (option->parse != NULL && !parse_number(option, value))
        return wrong(reader, "%s%s takes a value like %s, not '%s'", before, name, option->example,
                     value);
    if (option->number != NULL && option->parse == NULL && !read_number(option, value))
        return wrong(reader, "%s%s takes a number from %llu to %llu, not '%s'", before, name,
                     (unsigned long long)option->least, (unsigned long long)option->most, value);
    if (option->words != NULL && !read_word(option, value))
        return not_a_word(reader, option, value);
    if (option->list != NULL && option->list->count == OPTION_LIST_MAX)
        return wrong(reader, "%s%s can be given %d times at most", before, name, OPTION_LIST_MAX);
    if (option->list != NULL)
        option->list->items[option->list->count++] = value;
    if (option->text != NULL)
        *option->text = value;
    return EXIT_OK;
}

/* ---- words ---------------------------------------------------------------------------------- */

static bool is_wanted(const struct reader *reader, const struct option *option)
{
    return !reader->early || option->early;
}

/* yes and no are there for those who have to take back what a file of settings says. */
static int take_flag(const struct reader *reader, const struct option *option, const char *value)
{
    bool no = value != NULL && strcmp(value, "no") == 0;
    if (value != NULL && !no && strcmp(value, "yes") != 0)
        return wrong(reader, "%s%s takes nothing, or yes or no, not '%s'", dashes(reader),
                     option->name, value);
    if (is_wanted(reader, option))
        *option->flag = !no;
    return EXIT_OK;
}

/* Only of a word that says so: an empty word of its own is what a variable without a value leaves behind. */
static bool is_erased(const struct option *option, const char *value)
{
    return option->erased && value != NULL && *value == '\0';
}

static void erase(const struct option *option)
{
    if (option->list != NULL)
        option->list->count = 0;
    else
        *option->text = NULL;
}

/* value: what came in the same word, or NULL. */
static int take(struct reader *reader, const struct option *option, const char *value)
{
    if (option->flag != NULL)
        return take_flag(reader, option, value);
    if (is_erased(option, value)) {
        if (is_wanted(reader, option))
            erase(option);
        return EXIT_OK;
    }
    if (value == NULL) {
        value = *reader->words;
        if (value == NULL || strncmp(value, "--", 2) == 0)
            return wrong(reader, "%s%s takes a value", dashes(reader), option->name);
        reader->words++;
    }
    return is_wanted(reader, option) ? store(reader, option, value) : EXIT_OK;
}

static const struct option *find_name(const struct option *options, const char *name, size_t length)
{
    const struct option *option = options;
    while (option->name != NULL &&
           (strlen(option->name) != length || memcmp(option->name, name, length) != 0))
        option++;
    return option->name != NULL ? option : NULL;
}

static int take_long(struct reader *reader, const char *word)
{
    const char *name = word + 2, *equals = strchr(name, '=');
    size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const struct option *option = find_name(reader->options, name, length);
    if (option == NULL)
        return unknown_option(reader, word);
    return take(reader, option, equals != NULL ? equals + 1 : NULL);
}

static const struct option *find_letter(const struct reader *reader, char letter)
{
    const struct option *option = reader->options;
    while (option->name != NULL && option->letter != letter)
        option++;
    return option->name != NULL ? option : NULL;
}

/* Letters that take nothing may share a word, also with one that takes the rest of it. */
static int take_letters(struct reader *reader, const char *word)
{
    const struct option *option;
    const char *letter = word + 1;
    while ((option = find_letter(reader, *letter)) != NULL && option->flag != NULL) {
        take_flag(reader, option, NULL);
        if (*++letter == '\0')
            return EXIT_OK;
    }
    if (option == NULL)
        return unknown_option(reader, word);
    return take(reader, option, letter[1] != '\0' ? letter + 1 : NULL);
}

/* "-", too, and a negative number, unless an option has that digit for its letter. */
static bool is_other_word(const struct reader *reader, const char *word)
{
    if (word[0] != '-' || word[1] == '\0')
        return true;
    return word[1] >= '0' && word[1] <= '9' && find_letter(reader, word[1]) == NULL;
}

/* What is no option moves to the front of left, which is argv or NULL. */
static int walk(struct reader *reader, char **left, int *count)
{
    int status = EXIT_OK;
    bool ended = false;
    while ((status == EXIT_OK || reader->early) && *reader->words != NULL) {
        char *word = *reader->words++;
        bool other = ended || is_other_word(reader, word);
        if (other && left != NULL)
            left[(*count)++] = word;
        else if (!other && strcmp(word, "--") == 0)
            ended = true;
        else if (!other && word[1] == '-')
            status = take_long(reader, word);
        else if (!other)
            status = take_letters(reader, word);
    }
    return status;
}

int options_read(const char *command, const struct option *options, int *argc, char **argv)
{
    struct reader reader = {{command, NULL, 0}, options, argv + 1, false};
    *argc = 1;
    return walk(&reader, argv, argc);
}

void options_read_early(const char *command, const struct option *options, char **argv)
{
    struct reader reader = {{command, NULL, 0}, options, argv + 1, true};
    walk(&reader, NULL, NULL);
}

int options_take(const struct option_source *source, const struct option *options, const char *name,
                 const char *value)
{
    char *none = NULL;
    struct reader reader = {*source, options, &none, false};
    const struct option *option = find_name(options, name, strlen(name));
    if (option == NULL)
        return unknown_option(&reader, name);
    if (option->outside && source->file != NULL)
        return wrong(&reader, "%s belongs on the command line", name);
    return take(&reader, option, value);
}
