/* weft list, find and concat when memory runs out: whatever allocation fails, they end with a status
 * that says so, or all is there; and nothing is left behind.
 * ctest: timeout=120 shuffle=no */
#include "check.h"
#include "command.h"
#include "fault.h"
#include "scratch.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORDS = 16, FILES = 300, TEXT = 256 * 1024 };

static char tree[SCRATCH_PATH], names[SCRATCH_PATH], made[SCRATCH_PATH], said[SCRATCH_PATH];

/* Names long enough, and files enough, for everything that grows to grow several times. */
static void make_tree(void)
{
    static char list[TEXT];
    char path[SCRATCH_PATH], name[SCRATCH_PATH];
    size_t used = 0;
    scratch_empty();
    mkdir(scratch_path(tree, "tree"), 0777);
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "tree/%0200d", i);
        scratch_file(path, name, "one key\nand\nanother key\n");
        used += (size_t)snprintf(list + used, sizeof list - used, "%s\n", path);
    }
    scratch_file(names, "names", list);
    scratch_path(made, "made");
    scratch_path(said, "said");
}

static size_t read_all(const char *path, char text[TEXT])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, text, TEXT) : 0;
    if (fd >= 0)
        close(fd);
    assert_in_range(size, 0, TEXT - 1);
    return (size_t)size;
}

/* Standard output goes to a file, standard error nowhere. */
static int run_quietly(command_fn *run, const char *const *words)
{
    char *argv[WORDS];
    int argc = 0;
    for (; words[argc] != NULL; argc++)
        argv[argc] = (char *)(uintptr_t)words[argc];
    argv[argc] = NULL;
    int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    int file = open(said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    int status = run(argc, argv);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(out);
    close(err);
    close(file);
    close(nowhere);
    return status;
}

/* result: the file that it makes. With status 0 that is what it is with memory enough. */
static void survives(command_fn *run, const char *result, const char *const *words)
{
    static char expected[TEXT], text[TEXT];
    unsigned long failed = 0;
    assert_int_equal(run_quietly(run, words), 0);
    size_t size = read_all(result, expected);
    assert_true(size > 0);
    weft_fault_install();
    for (unsigned long n = 1;; n++) {
        unlink(made);
        weft_fault_fail_at(n);
        int status = run_quietly(run, words);
        bool hit = weft_fault_hit();
        weft_fault_fail_at(0);
        assert_int_equal(weft_fault_live(), 0);
        assert_int_equal(scratch_count(scratch_dir()), (size_t)3 + scratch_exists(made));
        if (status == 0) {
            assert_int_equal(read_all(result, text), size);
            assert_memory_equal(text, expected, size);
        } else {
            assert_true(hit);
            assert_int_equal(status, 1);
            assert_false(scratch_exists(made));
            failed++;
        }
        if (!hit)
            break;
    }
    assert_true(failed > 0);
    fault_remove();
}

TEST(a_list_is_complete_or_an_error)
{
    make_tree();
    survives(list_run, said,
             (const char *[]){"list", "-s", "-j1", "-t", "a", "-g", "*", "-x", "none", tree, NULL});
    survives(list_run, said, (const char *[]){"list", "-s", "-j1", "--json", tree, NULL});
}

TEST(what_is_found_is_complete_or_an_error)
{
    make_tree();
    survives(find_run, said, (const char *[]){"find", "-ns", "-j1", tree, "key", NULL});
    survives(find_run, said,
             (const char *[]){"find", "-isa", "-j1", "--json", tree, "KEY", "another", NULL});
}

/* Nothing comes behind it that would find out. */
TEST(the_last_line_is_complete_or_an_error_too)
{
    static char line[32 * 1024];
    char path[SCRATCH_PATH];
    make_tree();
    memset(line, 'x', sizeof line - 1);
    memcpy(line, "word", 4);
    scratch_file(path, "tree/long", line);
    survives(find_run, said, (const char *[]){"find", "-ns", "-j1", tree, "word", NULL});
    survives(find_run, said, (const char *[]){"find", "-n", "-j1", tree, "word", NULL});
}

TEST(files_are_put_together_or_nothing_has_happened)
{
    make_tree();
    survives(concat_run, made,
             (const char *[]){"concat", "--files-from", names, names, "-o", made, NULL});
}
