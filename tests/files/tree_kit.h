/* What the tests of weft_list and weft_find share: odd trees below the scratch folder, and a listing
 * whose finds are kept as lines, sorted, so that a whole tree is compared by one text:
 *
 *     make_folder("tree/a");
 *     make_file("tree/a/b", "");
 *     assert_int_equal(list_tree("tree"), 0);
 *     found_exactly("d a\n"
 *                   "f a/b\n");
 */
#ifndef TESTS_FILES_TREE_KIT_H
#define TESTS_FILES_TREE_KIT_H

#include "loop.h"
#include "scratch.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <weft/list.h>

/* ---- descriptors ---------------------------------------------------------------------------- */

/* How many are open. libuv keeps some from its first loop on. */
static inline int descriptors(void)
{
    static bool warm;
    if (!warm) {
        struct world w;
        world_up(&w);
        world_down(&w);
        warm = true;
    }
    return (int)scratch_count("/proc/self/fd");
}

/* ---- making --------------------------------------------------------------------------------- */

static inline void make_folder(const char *name)
{
    char path[SCRATCH_PATH];
    assert_int_equal(mkdir(scratch_path(path, name), 0755), 0);
}

static inline void make_bytes(const char *name, const void *bytes, size_t size)
{
    char path[SCRATCH_PATH];
    FILE *file = fopen(scratch_path(path, name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void make_file(const char *name, const char *text)
{
    make_bytes(name, text, strlen(text));
}

static inline void make_link(const char *to, const char *name)
{
    char path[SCRATCH_PATH];
    assert_int_equal(symlink(to, scratch_path(path, name)), 0);
}

static inline void make_pipe(const char *name)
{
    char path[SCRATCH_PATH];
    assert_int_equal(mkfifo(scratch_path(path, name), 0644), 0);
}

static inline void make_socket(const char *name)
{
    char path[SCRATCH_PATH];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    scratch_path(path, name);
    assert_true(strlen(path) < sizeof address.sun_path);
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
}

/* Folders below each other, all with the same name, further down than any path reaches; in each of them
 * a file "f" if files is set. */
static inline void make_deep(const char *top, const char *name, unsigned levels, bool files)
{
    char path[SCRATCH_PATH];
    make_folder(top);
    int at = open(scratch_path(path, top), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(at >= 0);
    for (unsigned i = 0; i < levels; i++) {
        assert_int_equal(mkdirat(at, name, 0755), 0);
        int below = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(below >= 0);
        int file = files ? openat(at, "f", O_WRONLY | O_CREAT | O_CLOEXEC, 0644) : -1;
        assert_true(!files || file >= 0);
        if (files)
            close(file);
        close(at);
        at = below;
    }
    close(at);
}

/* ---- a listing, and what it found ----------------------------------------------------------- */

/* Set what is wanted before; the rest is zeroed by tree_reset. */
static struct tree_run {
    struct weft_list list;
    char root[3 * 4096]; /* as it was given */
    char **lines;        /* "kind path", of what was found */
    size_t count, room;
    unsigned errors;
    int error; /* the last one */
    char error_path[SCRATCH_PATH];
    bool (*on_each)(const struct weft_tree_entry *entry); /* what on_found returns; NULL: true */
} tree;

static inline void tree_reset(void)
{
    for (size_t i = 0; i < tree.count; i++)
        free(tree.lines[i]);
    free(tree.lines);
    memset(&tree, 0, sizeof tree);
}

static inline void tree_line(char kind, const char *path)
{
    if (tree.count == tree.room) {
        tree.room = tree.room * 2 + 64;
        tree.lines = realloc(tree.lines, tree.room * sizeof *tree.lines);
        assert_non_null(tree.lines);
    }
    char *line = malloc(strlen(path) + 3);
    assert_non_null(line);
    line[0] = kind;
    line[1] = ' ';
    strcpy(line + 2, path);
    tree.lines[tree.count++] = line;
}

/* What a header says of every entry. */
static inline void check_entry(const struct weft_tree_entry *entry)
{
    assert_int_equal(strlen(entry->path), entry->size);
    size_t prefix = strlen(tree.root);
    while (prefix > 0 && tree.root[prefix - 1] == '/')
        prefix--;
    assert_int_equal(entry->below, prefix + 1);
    assert_memory_equal(entry->path, tree.root, prefix);
    assert_int_equal(entry->path[prefix], '/');
    assert_true(entry->name >= entry->below && entry->name < entry->size);
    assert_int_equal(entry->path[entry->name - 1], '/');
    assert_null(strchr(entry->path + entry->name, '/'));
    size_t depth = 1;
    for (size_t i = entry->below; i < entry->size; i++)
        depth += entry->path[i] == '/';
    assert_int_equal(entry->depth, depth);
}

static inline bool tree_found(struct weft_list *list, const struct weft_tree_entry *entry)
{
    assert_ptr_equal(list, &tree.list);
    check_entry(entry);
    tree_line("ufdlpscb"[entry->kind], entry -> path + entry -> below);
    return tree.on_each == NULL || tree.on_each(entry);
}

static inline bool tree_failed(struct weft_list *list, const char *path, int status)
{
    assert_ptr_equal(list, &tree.list);
    tree.errors++;
    tree.error = status;
    snprintf(tree.error_path, sizeof tree.error_path, "%s", path);
    return true;
}

static inline int compare_lines(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static inline void tree_start(struct weft_op *parent, const char *path, weft_then_fn *then)
{
    snprintf(tree.root, sizeof tree.root, "%s", path);
    tree.list.on_found = tree_found;
    tree.list.on_error = tree_failed;
    weft_list(parent, &tree.list, path, then);
}

/* Whatever happened, it was told once, everything that failed was told, and nothing is left open. */
static inline int list_path(const char *path)
{
    struct world w;
    int before = descriptors();
    world_up(&w);
    tree_start(weft_root(&w.loop), path, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(descriptors(), before);
    assert_null(tree.list.walk_);
    if (seen.status == 0)
        assert_int_equal(tree.list.stats.errors, tree.errors);
    if (tree.count > 0)
        qsort(tree.lines, tree.count, sizeof *tree.lines, compare_lines);
    return seen.status;
}

static inline int list_tree(const char *name)
{
    char path[SCRATCH_PATH];
    return list_path(scratch_path(path, name));
}

static inline void found_exactly(const char *text)
{
    size_t size = 1;
    for (size_t i = 0; i < tree.count; i++)
        size += strlen(tree.lines[i]) + 1;
    char *all = calloc(1, size), *end = all;
    assert_non_null(all);
    for (size_t i = 0; i < tree.count; i++)
        end += sprintf(end, "%s\n", tree.lines[i]);
    assert_string_equal(all, text);
    free(all);
}

#endif
