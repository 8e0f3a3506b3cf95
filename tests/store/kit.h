/* What the tests of a crawl's state have in common: a folder, a state in it, a commit that is
 * waited for, and the files inside as bytes. */
#ifndef TESTS_STORE_KIT_H
#define TESTS_STORE_KIT_H

#include "loop.h"
#include "scratch.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/crawl.h>

#define T(string) weft_text_of(string)

/* A new folder; its path. */
static inline const char *kit_folder(char path[SCRATCH_PATH])
{
    scratch_new_path(path, "site");
    assert_int_equal(mkdir(path, 0777), 0);
    return path;
}

static inline void kit_open(struct weft_crawl *crawl, const char *folder)
{
    const char *why = "";
    int err = weft_crawl_open(crawl, folder, &why);
    if (err != 0)
        print_error("%s\n", why);
    assert_int_equal(err, 0);
}

/* A commit, on a loop of its own, to its end; its status. */
static inline int kit_try_commit(struct weft_crawl *crawl)
{
    struct world w;
    struct weft_crawl_commit commit = {0};
    world_up(&w);
    weft_crawl_commit(weft_root(&w.loop), &commit, crawl, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    return seen.status;
}

static inline void kit_commit(struct weft_crawl *crawl)
{
    assert_int_equal(kit_try_commit(crawl), 0);
    assert_int_equal(crawl->pending, 0);
}

static inline void kit_reopen(struct weft_crawl *crawl, const char *folder)
{
    assert_int_equal(weft_crawl_close(crawl), 0);
    kit_open(crawl, folder);
}

static inline weft_crawl_id kit_see(struct weft_crawl *crawl, const char *url, unsigned depth)
{
    weft_crawl_id id = 0;
    assert_in_range(weft_crawl_see(crawl, T(url), depth, 0, &id), WEFT_CRAWL_NEW, WEFT_CRAWL_KNOWN);
    return id;
}

static inline void kit_settle(struct weft_crawl *crawl, weft_crawl_id id, enum weft_crawl_what what,
                              const char *file)
{
    struct weft_crawl_result result = {.what = what, .http_status = 200, .file = T(file)};
    assert_int_equal(weft_crawl_settle(crawl, id, &result), 0);
}

/* FOLDER/.weft/NAME */
static inline const char *kit_path(char path[SCRATCH_PATH], const char *folder, const char *name)
{
    assert_in_range(snprintf(path, SCRATCH_PATH, "%s/.weft/%s", folder, name), 1, SCRATCH_PATH - 1);
    return path;
}

struct kit_bytes {
    char *data;
    size_t size;
};

static inline struct kit_bytes kit_read(const char *folder, const char *name)
{
    char path[SCRATCH_PATH];
    FILE *file = fopen(kit_path(path, folder, name), "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    struct kit_bytes bytes = {.size = (size_t)ftell(file)};
    rewind(file);
    bytes.data = malloc(bytes.size + 1);
    assert_non_null(bytes.data);
    assert_int_equal(fread(bytes.data, 1, bytes.size, file), bytes.size);
    fclose(file);
    return bytes;
}

static inline void kit_write(const char *folder, const char *name, const char *data, size_t size)
{
    char path[SCRATCH_PATH];
    FILE *file = fopen(kit_path(path, folder, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline size_t kit_size(const char *folder, const char *name)
{
    char path[SCRATCH_PATH];
    struct stat st;
    assert_int_equal(stat(kit_path(path, folder, name), &st), 0);
    return (size_t)st.st_size;
}

#endif
