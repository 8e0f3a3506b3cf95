/* Being nobody: the effective ids only, so that there is a way back. */
#include "nobody.h"
#include "check.h"
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

static gid_t groups[64];
static int group_count;
static bool was_root;

void nobody_begin(const char *folder)
{
    assert_int_equal(chmod(folder, 0777), 0);
    was_root = geteuid() == 0;
    if (!was_root)
        return;
    group_count = getgroups(64, groups);
    assert_true(group_count >= 0);
    assert_int_equal(setgroups(0, NULL), 0);
    assert_int_equal(setegid(NOBODY), 0);
    assert_int_equal(seteuid(NOBODY), 0);
}

void nobody_end(void)
{
    if (!was_root)
        return;
    assert_int_equal(seteuid(0), 0);
    assert_int_equal(setegid(0), 0);
    assert_int_equal(setgroups((size_t)group_count, groups), 0);
}
