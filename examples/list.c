/* list: what is below a folder, chosen where it is found; and an early exit.
 *
 * Folders are read by threads of the pool, each as a task of a queue. `choose` runs there: it says what is
 * told and what is entered. `found` runs on the loop, in no order that could be relied on; it ends the
 * second list at the first header, and the rest of the tree is not read. */
#include <stdlib.h>
#include <string.h>
#include <weft.h>

enum { MOST = 100 };

static struct app {
    struct weft_op op;
    struct weft_list sources, header;
    char *paths[MOST];
    size_t count;
} app;

static bool ends_with(const struct weft_tree_entry *entry, const char *ending)
{
    size_t size = strlen(ending);
    return entry->size > size && strcmp(entry->path + entry->size - size, ending) == 0;
}

static unsigned choose(const struct weft_tree *tree, const struct weft_tree_entry *entry)
{
    if (entry->kind == WEFT_KIND_DIR)
        return WEFT_TREE_ENTER;
    return ends_with(entry, tree->choosing) ? WEFT_TREE_TAKE : WEFT_TREE_SKIP;
}

static bool found(struct weft_list *list, const struct weft_tree_entry *entry)
{
    if (list == &app.header)
        weft_end(&list->op, 0);
    if (app.count < MOST)
        app.paths[app.count++] = strdup(entry->path);
    return true; /* false would be: enough for now, until weft_list_resume */
}

static int by_bytes(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static void show(const char *title, const struct weft_op *op)
{
    qsort(app.paths, app.count, sizeof app.paths[0], by_bytes);
    printf("%s: %s\n", title, weft_strerror(op->status));
    for (size_t i = 0; i < app.count; i++) {
        printf("  %s\n", app.paths[i]);
        free(app.paths[i]);
    }
    app.count = 0;
}

static void header_found(struct weft_op *op, struct weft_op *list)
{
    show("the first header", list);
    weft_finish(op, list->status);
}

static void sources_listed(struct weft_op *op, struct weft_op *list)
{
    show("sources", list);
    weft_list(op, &app.header, "spider", header_found);
}

static void begin(struct weft_op *op)
{
    app.sources.tree = (struct weft_tree){.choose = choose, .choosing = ".c"};
    app.header.tree = (struct weft_tree){.choose = choose, .choosing = ".h"};
    app.sources.on_found = app.header.on_found = found;
    weft_list(op, &app.sources, "spider", sources_listed);
}

int main(void)
{
    return weft_go(&app.op, begin) != 0;
}
