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

typedef int crawl_fn(void);
static unsigned long failing; /* the allocation that fails */

static int crawl(void)
{
    char home[SCRATCH_PATH];
    char *words[] = {"spider", "-q", "-o", scratch_path(home, "home"), "--retries", "0", site_url,
                     "inf",    "2",  NULL};
    return spider_run((int)(sizeof words / sizeof *words) - 1, words);
}

static int crawl_and_tell(void)
{
    char home[SCRATCH_PATH], log[SCRATCH_PATH], report[SCRATCH_PATH];
    char *words[] = {"spider",     "-q",
                     "-o",         scratch_path(home, "home"),
                     "--retries",  "0",
                     "--log-json", scratch_path(log, "log"),
                     "--report",   scratch_path(report, "report.html"),
                     site_url,     "inf",
                     "2",          NULL};
    return spider_run((int)(sizeof words / sizeof *words) - 1, words);
}

static int crawl_for_the_disk(void)
{
    char home[SCRATCH_PATH], warc[SCRATCH_PATH];
    char *words[] = {"spider", "-q",  "-o",     scratch_path(home, "home"),      "--retries",
                     "0",      "-kK", "--warc", scratch_path(warc, "x.warc.gz"), site_url,
                     "inf",    "2",   NULL};
    return spider_run((int)(sizeof words / sizeof *words) - 1, words);
}

static int check(void)
{
    char home[SCRATCH_PATH];
    char *words[] = {"spider",    "-q", "-o",      scratch_path(home, "home"),
                     "--retries", "0",  "--check", site_url,
                     "inf",       "2",  NULL};
    return spider_run((int)(sizeof words / sizeof *words) - 1, words);
}

/* The first one has memory enough: what is there is that of a copy. */
static int update(void)
{
    char home[SCRATCH_PATH];
    char *first[] = {"spider", "-q",  "-k", "-o", scratch_path(home, "home"), "--retries", "0",
                     site_url, "inf", "2",  NULL};
    char *words[] = {"spider", "-q",       "-k",     "-o",  home, "--retries",
                     "0",      "--update", site_url, "inf", "2",  NULL};
    unsigned long n = failing;
    weft_fault_fail_at(0);
    assert_int_equal(spider_run((int)(sizeof first / sizeof *first) - 1, first), 0);
    weft_fault_fail_at(n);
    return spider_run((int)(sizeof words / sizeof *words) - 1, words);
}

static int write_settings(void)
{
    char conf[SCRATCH_PATH], saved[SCRATCH_PATH];
    scratch_file(conf, "conf", "# mine\ndelay = 2s\nexclude = *.iso\nexclude = /old/\nfast\n");
    char *words[] = {
        "spider", "--config", conf, "--save-config", scratch_path(saved, "saved"), "--exclude",
        "*.zip",  site_url,   NULL};
    int status = spider_run((int)(sizeof words / sizeof *words) - 1, words);
    assert_true(status == 0 || !scratch_exists(saved)); /* all of it, or nothing */
    return status;
}

static int ask_why(void)
{
    char home[SCRATCH_PATH], report[SCRATCH_PATH];
    char *first[] = {"spider",   "-q",
                     "--report", scratch_path(report, "report.html"),
                     "-o",       scratch_path(home, "home"),
                     site_url,   "1",
                     NULL};
    char *words[] = {"spider", "-o", home, "--why", site_url, NULL};
    unsigned long n = failing;
    weft_fault_fail_at(0);
    assert_int_equal(spider_run((int)(sizeof first / sizeof *first) - 1, first), 0);
    weft_fault_fail_at(n);
    return spider_run((int)(sizeof words / sizeof *words) - 1, words);
}

static void fail_one_after_the_other(crawl_fn *run)
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
        failing = n;
        weft_fault_fail_at(n);
        int status = run();
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

TEST(whatever_allocation_fails_a_crawl_ends_and_leaves_nothing_behind)
{
    fail_one_after_the_other(crawl);
}

TEST(the_same_with_a_log_and_a_report)
{
    fail_one_after_the_other(crawl_and_tell);
}

TEST(the_same_with_links_for_the_disk_and_an_archive)
{
    fail_one_after_the_other(crawl_for_the_disk);
}

TEST(the_same_when_links_are_checked)
{
    fail_one_after_the_other(check);
}

TEST(the_same_when_a_copy_is_updated)
{
    fail_one_after_the_other(update);
}

TEST(the_same_when_settings_are_read_and_written)
{
    fail_one_after_the_other(write_settings);
}

TEST(the_same_when_it_is_asked_why)
{
    fail_one_after_the_other(ask_why);
}
