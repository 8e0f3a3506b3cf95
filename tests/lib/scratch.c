/* The scratch folder. It belongs to the process that made it: a child of a fork, such as a death
 * test's, leaves it alone. */
#include "scratch.h"
#include "check.h"
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static char folder[SCRATCH_PATH];
static pid_t owner;

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    (void)st;
    (void)kind;
    if (place->level > 0)
        remove(path);
    return 0;
}

/* Depth first, and a folder that was made unreadable is not looked into: tests undo that. */
static void empty(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_folder(void)
{
    if (getpid() != owner)
        return;
    empty(folder);
    rmdir(folder);
}

static const char *place(void)
{
    struct stat st;
    const char *chosen = getenv("TMPDIR");
    if (chosen != NULL && chosen[0] != '\0')
        return chosen;
    return stat("/dev/shm", &st) == 0 && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

const char *scratch_dir(void)
{
    if (folder[0] == '\0') {
        snprintf(folder, sizeof folder, "%s/weft-test-XXXXXX", place());
        assert_non_null(mkdtemp(folder));
        owner = getpid();
        atexit(remove_folder);
    }
    return folder;
}

char *scratch_path(char path[SCRATCH_PATH], const char *name)
{
    assert_in_range(snprintf(path, SCRATCH_PATH, "%s/%s", scratch_dir(), name), 1,
                    SCRATCH_PATH - 1);
    return path;
}

char *scratch_new_path(char path[SCRATCH_PATH], const char *name)
{
    static unsigned long number;
    char numbered[SCRATCH_PATH / 2];
    snprintf(numbered, sizeof numbered, "%s-%lu", name, ++number);
    return scratch_path(path, numbered);
}

char *scratch_file(char path[SCRATCH_PATH], const char *name, const char *text)
{
    FILE *file = fopen(scratch_path(path, name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

bool scratch_device(char path[SCRATCH_PATH], const char *name)
{
    return mknod(scratch_path(path, name), S_IFCHR | 0666, makedev(1, 3)) == 0;
}

void scratch_equals(const char *path, const char *text)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = strlen(text);
    char *found = calloc(1, size + 2);
    assert_non_null(found);
    assert_int_equal(fread(found, 1, size + 1, file), size);
    assert_string_equal(found, text);
    free(found);
    fclose(file);
}

bool scratch_exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

size_t scratch_count(const char *path)
{
    DIR *dir = opendir(path);
    assert_non_null(dir);
    size_t count = 0;
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    assert_true(count >= 2);
    return count - 2;
}

void scratch_empty(void)
{
    empty(scratch_dir());
}
