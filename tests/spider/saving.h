/* tests/spider/saving.h: an output folder to save in. A test that uses it does everything twice:
 * as this kernel can, with its walk and with files that have no name yet, and without. */
#ifndef TESTS_SPIDER_SAVING_H
#define TESTS_SPIDER_SAVING_H

#include "loop.h"
#include "scratch.h"
#include "spider/save.h"
#include <string.h>
#include <sys/stat.h>

static struct save_folder folder;
static char root[SCRATCH_PATH - 64]; /* where it is */

/* A test for both ways. */
#define TEST_BOTH(sentence)                                                                        \
    static void sentence##_both(void);                                                             \
    TEST(sentence)                                                                                 \
    {                                                                                              \
        for (int plain = 0; plain < 2; plain++) {                                                  \
            folder_up(plain != 0);                                                                 \
            sentence##_both();                                                                     \
            folder_down();                                                                         \
        }                                                                                          \
    }                                                                                              \
    static void sentence##_both(void)

/* <root>/<name>; static storage, two at a time. */
static inline const char *below(const char *name)
{
    static char paths[2][SCRATCH_PATH];
    static int turn;
    char *path = paths[turn++ & 1];
    assert_true(snprintf(path, SCRATCH_PATH, "%s/%s", root, name) < SCRATCH_PATH);
    return path;
}

static inline void folder_up(bool plain)
{
    char path[SCRATCH_PATH];
    scratch_new_path(path, "site");
    assert_true(strlen(path) < sizeof root);
    memcpy(root, path, strlen(path) + 1);
    assert_int_equal(save_folder_open(&folder, root), 0);
    folder.walk |= plain;
    folder.nameless &= !plain;
}

/* Whatever was done to it: no temporary file is left. */
static inline void folder_down(void)
{
    assert_int_equal(scratch_count(below(".weft/tmp")), 0);
    save_folder_close(&folder);
    assert_int_equal(folder.fd, -1);
}

static inline int save_text(const char *name, const char *text)
{
    struct world w;
    struct save save = {0};
    world_up(&w);
    save_file(weft_root(&w.loop), &save, &folder, name, text, strlen(text), -1, noted);
    world_down(&w);
    assert_int_equal(seen.calls, 1);
    return save.work.op.status;
}

#endif
