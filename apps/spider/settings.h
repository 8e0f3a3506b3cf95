/* apps/spider/settings.h: what the user asked of a crawl. Read once, then only looked at. */
#ifndef WEFT_SPIDER_SETTINGS_H
#define WEFT_SPIDER_SETTINGS_H

#include "options.h"
#include "spider/scope.h"

enum {
    SETTINGS_CONCURRENCY_MOST = 1000,
    SETTINGS_NESTING_MOST = 60000,
    SETTINGS_LINKS_MOST = 1000000 /* start URLs */
};

struct settings {
    /* where to begin */
    char **urls; /* owned; each as it was given */
    size_t urls_count, urls_room;

    /* how far */
    unsigned nesting; /* links away from a start URL; see endless */
    bool endless;
    unsigned scope_kind; /* enum scope_kind */
    struct option_list hosts, include, exclude, include_regex, exclude_regex;
    bool requisites; /* also those on other hosts */
    bool no_robots;
    uint64_t max_pages, max_bytes, max_ms, max_file; /* 0: no limit */

    /* how fast */
    unsigned concurrency;
    bool concurrency_given;
    uint64_t delay_ms, per_host, rate, retries;
    bool fast, polite;
    uint64_t connect_ms, answer_ms, page_ms;

    /* who asks */
    const char *user_agent, *user, *password, *password_file, *netrc, *proxy, *no_proxy;
    struct option_list headers;
    bool cookies, insecure, http1;
    const char *cookie_file, *ca_file;

    /* what comes out */
    const char *folder;
    bool quiet, verbose, dry_run, list;

    const char *input_; /* -i */
};

/* From the command line; argv[0] is "spider". EXIT_OK, or it was said what is wrong. */
int settings_read(struct settings *settings, int argc, char **argv);
void settings_free(struct settings *settings);

/* Nothing is written to the output folder: --dry-run, --list. */
static inline bool settings_dry(const struct settings *settings)
{
    return settings->dry_run || settings->list;
}

#endif
