/* The rules as a text.
 *
 * Each rule becomes a line; the lines are sorted, and one that came twice stays once. Hosts are
 * written as URLs have them, so that "Example.org" and "example.org:80" are the same line. */
#include "spider/scope.h"
#include "spider/scope_inside.h"
#include <stdio.h>
#include <stdlib.h>
#include <weft/alloc.h>

static const char *const kinds[] = {[SCOPE_HOST] = "host",
                                    [SCOPE_DOMAIN] = "domain",
                                    [SCOPE_PATH] = "path",
                                    [SCOPE_HOSTS] = "hosts"};

enum { LISTS = 5, LINES_BESIDE_LISTS = 2 };

struct lines {
    char **all;
    size_t count;
    bool failed; /* no memory */
};

static void add(struct lines *lines, const char *name, const char *value)
{
    size_t size = strlen(name) + strlen(value) + sizeof " \n";
    char *line = lines->failed ? NULL : weft_alloc(size);
    if (line == NULL) {
        lines->failed = true;
        return;
    }
    snprintf(line, size, "%s %s\n", name, value);
    lines->all[lines->count++] = line;
}

static void add_all(struct lines *lines, const char *name, const struct option_list *list)
{
    for (size_t i = 0; list != NULL && i < list->count; i++)
        add(lines, name, list->items[i]);
}

static void add_hosts(struct lines *lines, const struct option_list *list)
{
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        struct scope_place place;
        char text[sizeof place.name + 16];
        if (scope_place_read(&place, list->items[i]) != 0) { /* it could be read before */
            lines->failed = true;
            return;
        }
        int used = snprintf(text, sizeof text, "%s%s", place.below ? "*." : "", place.name);
        if (place.port >= 0)
            snprintf(text + used, sizeof text - (size_t)used, ":%d", (int)place.port);
        add(lines, "host", text);
    }
}

static int compare(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static char *join(const struct lines *lines)
{
    size_t size = 1, used = 0;
    for (size_t i = 0; i < lines->count; i++)
        size += strlen(lines->all[i]);
    char *text = weft_calloc(size, 1);
    for (size_t i = 0; text != NULL && i < lines->count; i++) {
        if (i > 0 && strcmp(lines->all[i], lines->all[i - 1]) == 0)
            continue;
        size_t length = strlen(lines->all[i]);
        memcpy(text + used, lines->all[i], length);
        used += length;
    }
    return text;
}

char *scope_text(const struct scope *scope)
{
    const struct scope_rules *rules = &scope->rules_;
    struct lines lines = {.count = 0};
    char *text = NULL;
    lines.all = weft_calloc(LISTS * OPTION_LIST_MAX + LINES_BESIDE_LISTS, sizeof *lines.all);
    if (lines.all == NULL)
        return NULL;
    add(&lines, "scope", kinds[rules->kind]);
    if (rules->page_requisites)
        add(&lines, "requisites", "everywhere");
    if (rules->kind == SCOPE_HOSTS)
        add_hosts(&lines, rules->hosts);
    add_all(&lines, "include", rules->include);
    add_all(&lines, "exclude", rules->exclude);
    add_all(&lines, "include-regex", rules->include_regex);
    add_all(&lines, "exclude-regex", rules->exclude_regex);
    if (!lines.failed) {
        qsort(lines.all, lines.count, sizeof *lines.all, compare);
        text = join(&lines);
    }
    for (size_t i = 0; i < lines.count; i++)
        weft_free(lines.all[i]);
    weft_free(lines.all);
    return text;
}
