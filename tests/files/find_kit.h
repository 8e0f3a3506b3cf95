/* What the tests of weft_find share: a search whose finds are kept as lines of text, sorted by the file
 * and in their order within it:
 *
 *     find_tree("tree", WEFT_FIND_LINES, "one", "two");
 *     matches_exactly("a:1:0:5 text of the line\n");       // path:line:offset:at
 */
#ifndef TESTS_FILES_FIND_KIT_H
#define TESTS_FILES_FIND_KIT_H

#include "tree_kit.h"
#include <weft/find.h>

struct find_line {
    char *path, *text;
    uint64_t line, offset;
    size_t size, at, number; /* number: in the order in which they were told */
    bool cut;
};

static struct find_run {
    struct weft_find find;
    struct find_line *lines;
    size_t count, room;
    unsigned errors;
    int error;
    char error_path[SCRATCH_PATH];
    bool pausing; /* on_found says false every time */
    void (*on_each)(void);
} search;

static inline void search_reset(void)
{
    for (size_t i = 0; i < search.count; i++) {
        free(search.lines[i].path);
        free(search.lines[i].text);
    }
    free(search.lines);
    memset(&search, 0, sizeof search);
}

static inline bool search_found(struct weft_find *find, const struct weft_find_match *match)
{
    assert_ptr_equal(find, &search.find);
    assert_int_equal(strlen(match->path), match->size);
    if (search.count == search.room) {
        search.room = search.room * 2 + 64;
        search.lines = realloc(search.lines, search.room * sizeof *search.lines);
        assert_non_null(search.lines);
    }
    char *text = malloc(match->text.size + 1);
    assert_non_null(text);
    if (match->text.size > 0)
        memcpy(text, match->text.data, match->text.size);
    text[match->text.size] = '\0';
    search.lines[search.count] = (struct find_line){.path = strdup(match->path),
                                                    .text = text,
                                                    .line = match->line,
                                                    .offset = match->offset,
                                                    .size = match->text.size,
                                                    .at = match->at,
                                                    .number = search.count,
                                                    .cut = match->cut};
    search.count++;
    if (search.on_each != NULL)
        search.on_each();
    return !search.pausing;
}

static inline bool search_failed(struct weft_find *find, const char *path, int status)
{
    assert_ptr_equal(find, &search.find);
    search.errors++;
    search.error = status;
    snprintf(search.error_path, sizeof search.error_path, "%s", path);
    return true;
}

static inline int compare_finds(const void *one, const void *other)
{
    const struct find_line *a = one, *b = other;
    int order = strcmp(a->path, b->path);
    return order != 0 ? order : a->number < b->number ? -1 : a->number > b->number;
}

static inline void search_start(struct weft_op *parent, const char *path,
                                const struct weft_text *keywords, size_t count, weft_then_fn *then)
{
    search.find.on_found = search_found;
    search.find.on_error = search_failed;
    weft_find(parent, &search.find, path, keywords, count, then);
}

static inline int search_for(const char *name, const struct weft_text *keywords, size_t count)
{
    char path[SCRATCH_PATH];
    struct world w;
    int before = descriptors();
    world_up(&w);
    search_start(weft_root(&w.loop), scratch_path(path, name), keywords, count, noted);
    w.loop.stuck_to = NULL;
    while (world_run(&w) == WEFT_ESTUCK && search.pausing)
        weft_find_resume(&search.find);
    world_close(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(descriptors(), before);
    assert_null(search.find.walk_);
    assert_null(search.find.plan_);
    if (seen.status == 0)
        assert_int_equal(search.find.stats.errors, search.errors);
    if (search.count > 0)
        qsort(search.lines, search.count, sizeof *search.lines, compare_finds);
    return seen.status;
}

/* What the last name of each path, and the rest, say. */
static inline void matches_exactly(const char *expected)
{
    size_t size = 1;
    for (size_t i = 0; i < search.count; i++)
        size += strlen(search.lines[i].path) + search.lines[i].size + 100;
    char *all = calloc(1, size), *end = all;
    assert_non_null(all);
    for (size_t i = 0; i < search.count; i++) {
        const struct find_line *it = &search.lines[i];
        end += sprintf(end, "%s", strrchr(it->path, '/') + 1);
        if (search.find.what == WEFT_FIND_COUNTS)
            end += sprintf(end, ":%llu", (unsigned long long)it->line);
        if (search.find.what == WEFT_FIND_LINES)
            end += sprintf(end, ":%llu:%llu:%zu%s %s", (unsigned long long)it->line,
                           (unsigned long long)it->offset, it->at, it->cut ? "+" : "", it->text);
        *end++ = '\n';
    }
    assert_string_equal(all, expected);
    free(all);
}

#endif
