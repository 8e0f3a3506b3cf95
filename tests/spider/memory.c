/* weft spider when memory runs out: whatever allocation fails, it ends by itself, with an exit
 * status that says so or in spite of it, and nothing is left behind. A crawl of a few pages, run
 * in this process, from a site that runs in another.
 * ctest: timeout=120 shuffle=no */
#include "check.h"
#include "command.h"
#include "fault.h"
#include "scratch.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t site_pid;
static char site_url[128];

/* The site is beside this program: build/tests/spider/memory, build/demo/site. */
static void site_up(void)
{
    char path[4096];
    int out[2];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 64);
    assert_true(size > 0);
    path[size] = '\0';
    for (int i = 0; i < 3; i++)
        *strrchr(path, '/') = '\0';
    strcat(path, "/demo/site");
    assert_int_equal(pipe(out), 0);
    site_pid = fork();
    if (site_pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(out[1], STDOUT_FILENO);
        execl(path, path, "--quiet", "--no-extras", "--pages", "6", (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    FILE *line = fdopen(out[0], "r");
    assert_non_null(line);
    assert_int_equal(fscanf(line, "listening on %100s", site_url), 1);
    fclose(line);
}

static void site_down(void)
{
    kill(site_pid, SIGKILL);
    waitpid(site_pid, NULL, 0);
}

static int crawl(void)
{
    char home[SCRATCH_PATH];
    char *words[] = {"spider", "-q", "-o", scratch_path(home, "home"), "--retries", "0", site_url,
                     "inf",    "2",  NULL};
    return spider_run((int)(sizeof words / sizeof *words) - 1, words);
}

TEST(whatever_allocation_fails_a_crawl_ends_and_leaves_nothing_behind)
{
    site_up();
    weft_fault_install();
    int err = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool hit = true;
    unsigned long runs = 0, fewest = 0;
    /* Every one of the first, where everything is opened, and then ever fewer. */
    for (unsigned long n = 1; hit; n += 1 + n / 12) {
        scratch_empty();
        dup2(nowhere, STDERR_FILENO);
        weft_fault_fail_at(n);
        int status = crawl();
        hit = weft_fault_hit();
        weft_fault_fail_at(0);
        dup2(err, STDERR_FILENO);
        if (weft_fault_live() != 0)
            print_error("allocation %lu: %lu blocks are left, status %d\n", n, weft_fault_live(),
                        status);
        assert_int_equal(weft_fault_live(), 0);
        assert_in_range(status, 0, 5);
        if (!hit)
            assert_int_equal(status, 0);
        fewest += status != 0;
        runs++;
    }
    assert_true(fewest > 0); /* some of them have to matter */
    print_message("%lu runs, %lu of them did not get everything\n", runs, fewest);
    close(err);
    close(nowhere);
    fault_remove();
    site_down();
}
