/* find: the text files below a folder that hold a keyword, several searched at the same time.
 *
 * The keyword is text: "(op" is no broken pattern. Nothing found is an empty list, and no error; a folder that
 * is not there is one. Either way `then` runs once. */
#include <stdlib.h>
#include <string.h>
#include <weft.h>

enum { MOST = 100 };

static struct app {
    struct weft_op op;
    struct weft_series steps;
    struct weft_find find;
    char *lines[MOST];
    size_t count;
} app;

static bool found(struct weft_find *find, const struct weft_find_match *match)
{
    char line[200];
    if (find->what == WEFT_FIND_LINES)
        snprintf(line, sizeof line, "%s:%llu:%.*s", match->path, (unsigned long long)match->line,
                 WEFT_TEXT_ARGS(match->text));
    else
        snprintf(line, sizeof line, "%s", match->path);
    if (app.count < MOST)
        app.lines[app.count++] = strdup(line);
    return true;
}

static int by_bytes(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static void show(struct weft_op *op, struct weft_op *find)
{
    (void)op;
    qsort(app.lines, app.count, sizeof app.lines[0], by_bytes);
    printf("%zu found: %s\n", app.count, weft_strerror(find->status));
    for (size_t i = 0; i < app.count; i++) {
        printf("  %s\n", app.lines[i]);
        free(app.lines[i]);
    }
    app.count = 0;
}

static void which_files(struct weft_op *op)
{
    static const struct weft_text either[] = {{"weft_queue_push(", 16}, {"weft_memo(", 10}};
    weft_find(op, &app.find, "spider", either, 2, show);
}

static void which_lines(struct weft_op *op)
{
    static const struct weft_text keyword = {"BEGIN(STRUCT WEFT_OP *OP)", 25};
    app.find.what = WEFT_FIND_LINES;
    app.find.ignore_case = true;
    weft_find(op, &app.find, "spider", &keyword, 1, show);
}

static void none(struct weft_op *op)
{
    static const struct weft_text keyword = {"no such text [a-z]*", 19};
    weft_find(op, &app.find, "spider", &keyword, 1, show);
}

static void nowhere(struct weft_op *op)
{
    static const struct weft_text keyword = {"anything", 8};
    weft_find(op, &app.find, "no-such-folder", &keyword, 1, show);
}

static void begin(struct weft_op *op)
{
    app.find.on_found = found;
    weft_series(op, &app.steps, weft_pass, which_files, which_lines, none, nowhere);
}

int main(void)
{
    return weft_go(&app.op, begin) != 0;
}
