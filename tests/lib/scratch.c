/* The scratch folder. It belongs to the process that made it: a child of a fork, such as a death
 * test's, leaves it alone. */
#include "scratch.h"
#include "check.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static char folder[SCRATCH_PATH];
static pid_t owner;

static bool is_removed(int at, const char *name)
{
    return unlinkat(at, name, 0) == 0 || unlinkat(at, name, AT_REMOVEDIR) == 0;
}

static bool is_moved(int at, const char *name, int to)
{
    static unsigned long number;
    char moved[64];
    snprintf(moved, sizeof moved, ".moved-%lu", ++number);
    return renameat(at, name, to, moved) == 0;
}

static DIR *open_folder(int at, const char *name)
{
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd >= 0 ? fdopendir(fd) : NULL;
}

static const char *next_name(DIR *dir)
{
    const struct dirent *entry;
    do {
        entry = readdir(dir);
    } while (entry != NULL &&
             (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    return entry != NULL ? entry->d_name : NULL;
}

/* Remove what is in the folder; what is not empty moves up to top. */
static bool clear(int at, const char *name, int top)
{
    bool changed = false;
    DIR *dir = open_folder(at, name);
    for (const char *each; dir != NULL && (each = next_name(dir)) != NULL;)
        changed |= is_removed(dirfd(dir), each) || is_moved(dirfd(dir), each, top);
    if (dir != NULL)
        closedir(dir);
    return changed;
}

/* One level less each time: a tree may be deeper than a path is long. A folder that was made
 * unreadable is not looked into: tests undo that. */
static void empty(const char *path)
{
    for (bool changed = true; changed;) {
        DIR *dir = open_folder(AT_FDCWD, path);
        changed = false;
        for (const char *each; dir != NULL && (each = next_name(dir)) != NULL;)
            changed |= is_removed(dirfd(dir), each) || clear(dirfd(dir), each, dirfd(dir));
        if (dir != NULL)
            closedir(dir);
    }
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
