/* apps/spider/settings.h: what the user asked of a crawl. Read once, then only looked at. */
#ifndef WEFT_SPIDER_SETTINGS_H
#define WEFT_SPIDER_SETTINGS_H

#include "config.h"
#include "options.h"
#include "spider/scope.h"
#include "spider/trap.h"

enum {
    SETTINGS_PASSWORD_MOST = 4096, /* bytes; with base64 it is what servers take in a field */
    SETTINGS_CONCURRENCY_MOST = 1000,
    SETTINGS_NESTING_MOST = 60000,
    SETTINGS_LINKS_MOST = 1000000 /* start URLs */
};

/* What weft spider exits with, beside what every command does. */
enum { EXIT_START_FAILED = 1, EXIT_SOME_FAILED = 3, EXIT_INTERRUPTED = 4, EXIT_NO_OUTPUT = 5 };

/* What is shown while it runs. */
enum settings_progress { PROGRESS_AUTO, PROGRESS_LIVE, PROGRESS_PLAIN, PROGRESS_NONE };

struct settings {
    /* where to begin */
    char **urls; /* owned; each as it was given */
    size_t urls_count, urls_room;

    /* how far */
    unsigned nesting; /* links away from a start URL; see endless */
    bool endless, nesting_given;
    unsigned scope_kind; /* enum scope_kind */
    struct option_list hosts, include, exclude, include_regex, exclude_regex;
    bool requisites; /* also those on other hosts */
    bool no_robots, no_private;
    uint64_t max_pages, max_bytes, max_ms, max_file; /* 0: no limit */
    struct trap_limits traps;

    /* how fast */
    unsigned concurrency;
    bool concurrency_given;
    uint64_t delay_ms, per_host, rate, retries;
    bool fast, polite;
    uint64_t connect_ms, answer_ms, page_ms, min_rate;

    /* who asks */
    const char *user_agent, *user, *password, *password_file, *netrc, *proxy, *no_proxy;
    struct option_list headers;
    bool cookies, insecure, http1;
    const char *cookie_file, *ca_file;

    /* what comes out */
    const char *folder;
    bool quiet, verbose, dry_run, list;
    const char *warc; /* an archive; NULL: none */
    bool warc_only;   /* and no files */
    uint64_t warc_level;
    bool convert, keep_originals; /* -k, -K */
    bool update;
    bool check;                    /* only look */
    const char *report, *log_json; /* a page about it, a log; NULL: none */
    unsigned progress;             /* enum settings_progress */

    const char *why; /* only tell what is known of this URL; NULL: crawl */

    const char *save_config; /* only write the settings there, and do nothing else; NULL: crawl */
    const char *input_;      /* -i */
    const char *config_path_;
    bool no_config_;
    struct config config_;
};

/* From a file and the command line; argv[0] is "spider". EXIT_OK, or it was said what is wrong. */
int settings_read(struct settings *settings, int argc, char **argv);
/* Write those that are not as always to save_config. EXIT_OK, or it was said what is wrong. */
int settings_save(struct settings *settings);
void settings_free(struct settings *settings);

/* Does this name of a file stand for standard output? NULL does not. */
static inline bool settings_is_output(const char *path)
{
    return path != NULL && path[0] == '-' && path[1] == '\0';
}

/* The log or the report goes to standard output, and nothing else does. */
static inline bool settings_output_taken(const struct settings *settings)
{
    return settings_is_output(settings->log_json) || settings_is_output(settings->report);
}

/* Nothing is written to the output folder: --dry-run, --list, --check. */
static inline bool settings_dry(const struct settings *settings)
{
    return settings->dry_run || settings->list || settings->check;
}

#endif
