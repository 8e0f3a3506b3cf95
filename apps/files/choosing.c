/* The choice of an entry, on the threads that walk the tree: it only reads. What the slashes at both ends of
 * a glob mean is found out once, before. */
#include "files/choosing.h"
#include "command.h"
#include "glob.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- globs ---------------------------------------------------------------------------------- */

static bool drop_beginning(struct weft_text *text, const char *what)
{
    if (!weft_text_starts(*text, what))
        return false;
    text->data += strlen(what);
    text->size -= strlen(what);
    return true;
}

static struct choosing_glob glob_of(const char *written)
{
    struct choosing_glob glob = {.text = weft_text_of(written)};
    while (drop_beginning(&glob.text, "/") || drop_beginning(&glob.text, "./"))
        glob.path = true;
    while (glob.text.size > 0 && glob.text.data[glob.text.size - 1] == '/') {
        glob.folders = true;
        glob.text.size--;
    }
    if (glob.text.size > 0 && memchr(glob.text.data, '/', glob.text.size) != NULL)
        glob.path = true;
    return glob;
}

/* No path below a folder has a name in it that is empty or one of the dots. */
static bool is_like_nothing(struct weft_text glob)
{
    while (glob.data != NULL) {
        struct weft_text name = weft_text_cut(&glob, '/');
        if (name.size == 0 || weft_text_is(name, ".") || weft_text_is(name, ".."))
            return true;
    }
    return false;
}

static int read_globs(const char *command, const struct option_list *written,
                      struct choosing_glob *globs)
{
    for (size_t i = 0; i < written->count; i++) {
        globs[i] = glob_of(written->items[i]);
        if (is_like_nothing(globs[i].text))
            return misused(command, "nothing below a folder is ever like '%s'", written->items[i]);
    }
    return EXIT_OK;
}

int choosing_read(const char *command, struct choosing *choosing)
{
    int status = read_globs(command, &choosing->include, choosing->included);
    if (status == EXIT_OK)
        status = read_globs(command, &choosing->exclude, choosing->excluded);
    if (status != EXIT_OK || (choosing->kinds & 1u << WEFT_KIND_DIR) != 0)
        return status;
    for (size_t i = 0; i < choosing->include.count; i++) {
        if (choosing->included[i].folders)
            return misused(command, "'%s' is for folders, which are not asked for",
                           choosing->include.items[i]);
    }
    return EXIT_OK;
}

/* ---- entries -------------------------------------------------------------------------------- */

static bool is_like_one(const struct choosing_glob *globs, size_t count,
                        const struct weft_tree_entry *entry)
{
    for (size_t i = 0; i < count; i++) {
        size_t from = globs[i].path ? entry->below : entry->name;
        if (globs[i].folders && entry->kind != WEFT_KIND_DIR)
            continue;
        if (glob_matches(globs[i].text, weft_text(entry->path + from, entry->size - from)))
            return true;
    }
    return false;
}

static unsigned choose(const struct weft_tree *tree, const struct weft_tree_entry *entry)
{
    const struct choosing *choosing = tree->choosing;
    if (choosing->no_hidden && entry->path[entry->name] == '.')
        return WEFT_TREE_SKIP;
    if (is_like_one(choosing->excluded, choosing->exclude.count, entry))
        return WEFT_TREE_SKIP;
    bool meant = (choosing->kinds & 1u << entry->kind) != 0;
    if (meant && choosing->include.count > 0)
        meant = is_like_one(choosing->included, choosing->include.count, entry);
    return meant ? WEFT_TREE_ENTER | WEFT_TREE_TAKE : WEFT_TREE_ENTER;
}

/* ---- the walk ------------------------------------------------------------------------------- */

/* As many threads as there are jobs: more than processors, since disks make some of them wait. */
static void set_pool(unsigned jobs)
{
    char text[16];
    snprintf(text, sizeof text, "%u", jobs);
    setenv("UV_THREADPOOL_SIZE", text, 0);
}

void choosing_apply(const struct choosing *choosing, struct weft_tree *tree)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned jobs = (unsigned)choosing->jobs;
    if (jobs == 0)
        jobs = processors <= 2 ? 2 : processors > 16 ? 16 : (unsigned)processors;
    set_pool(jobs + 1); /* and one that writes */
    tree->limit = jobs;
    tree->depth = (size_t)choosing->depth;
    tree->follow = choosing->follow;
    tree->one_file_system = choosing->one_file_system;
    tree->choosing = choosing;
    tree->choose = choose;
}
