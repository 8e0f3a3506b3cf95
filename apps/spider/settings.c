/* The command line of weft spider, and the file of settings below it.
 *
 * The file comes first and the command line over it; but which file it is stands on the command line.
 * So that is walked twice, and the first time only those options count.
 *
 * The words that are no options are URLs, then the nesting, then the concurrency, as in the book:
 * the first word that is a number or "inf" ends the URLs. A nesting that was mistyped would be a host
 * then, and a real one: 1.5 is the address 1.0.0.5. So behind the first URL, what looks like a number
 * is never one, unless it is an address as everybody writes it. */
#include "spider/settings.h"
#include "command.h"
#include "config.h"
#include "trace/utf8.h"
#include "units.h"
#include "warc/warc.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft.h>
#include <weft/alloc.h>
#include <weft/http_message.h>

static const char default_url[] = "http://www.example.com";
static const char default_agent[] = "weft-spider/" WEFT_VERSION_STRING;

const char spider_usage[] =
    "spider [OPTION...] [URL...] [NESTING] [CONCURRENCY]\n"
    "\n"
    "Takes a site home: fetches each URL, and the pages that its links lead to, NESTING links\n"
    "far (default 1; 'inf': as far as they go), with CONCURRENCY downloads at once (default 2).\n"
    "Without a URL it is http://www.example.com. Interrupted? Run the same command again.\n"
    "\n"
    "  -i, --input FILE          take URLs from FILE too, one a line; '-' is standard input\n"
    "  -o, --output FOLDER       where files and state go (default: the current folder)\n"
    "  -q, --quiet               say nothing but errors\n"
    "  -v, --verbose             say what becomes of every URL\n"
    "  -k, --convert-links       links between saved pages work from the disk\n"
    "  -K, --backup-converted    with -k: keep each page as it came too, as NAME.orig\n"
    "      --update              ask for everything again: what is new, changed or gone?\n"
    "      --check               save nothing, check all links, also those to other hosts: which\n"
    "                            are broken, and on which pages?\n"
    "      --warc FILE           archive every answer in FILE too: WARC 1.1, packed if it ends in "
    ".gz,\n"
    "                            with an index beside it (.cdxj)\n"
    "      --warc-only           archive, and save no files\n"
    "      --warc-level N        how hard it is packed, 1 to 9 (default 4)\n"
    "      --list                save nothing, print the URLs that would be saved\n"
    "      --dry-run             save nothing, print what would be saved under which name\n"
    "      --log-json FILE       append a line of JSON for each event to FILE; '-' is standard "
    "output\n"
    "      --report FILE         write a page about the crawl: what is broken, slow, large; '-' "
    "is\n"
    "                            standard output\n"
    "      --why URL             crawl nothing: tell what the crawl in FOLDER knows about URL\n"
    "      --progress auto|live|plain|none\n"
    "                            what is shown meanwhile: a display that is redrawn in place, a\n"
    "                            line now and then, nothing; auto: live if it is a terminal\n"
    "      --config FILE         take settings from FILE: lines like 'delay = 2s' and 'fast';\n"
    "                            otherwise from ~/.config/weft/spider.conf, if it is there\n"
    "      --no-config           from none\n"
    "      --save-config FILE    write the settings to FILE, and do nothing else; '-' is standard\n"
    "                            output\n"
    "\n"
    "How far:\n"
    "      --scope host|domain|path|hosts\n"
    "                            the start URLs' hosts (the default); and what is below their\n"
    "                            domain; only below the start URL's folder; those of --host\n"
    "      --host NAME           with --scope hosts: NAME, *.NAME or NAME:PORT (repeatable)\n"
    "      --include GLOB        only pages whose URL is like GLOB (repeatable)\n"
    "      --include-regex RE    the same with a POSIX extended regular expression\n"
    "      --exclude GLOB        nothing whose URL is like GLOB (repeatable)\n"
    "      --exclude-regex RE    the same with a POSIX extended regular expression\n"
    "  -p, --requisites          images, styles and scripts from other hosts too\n"
    "      --no-robots           do not ask robots.txt, follow rel=nofollow\n"
    "      --max-pages N         stop when N URLs are saved\n"
    "      --max-bytes SIZE      stop when about SIZE (10M, 2G) came in, in this run\n"
    "      --max-time TIME       stop after TIME (30s, 10m)\n"
    "      --max-file SIZE       leave out files larger than SIZE (default 4G; 0: no limit)\n"
    "      --no-private          connect to no private, loopback or link-local address\n"
    "\n"
    "Out of what has no end (0: no limit):\n"
    "      --max-hosts N         hosts (default 10000)\n"
    "      --max-per-host N      URLs of one host (default 1000000)\n"
    "      --max-like N          URLs that differ in numbers only (default 100000)\n"
    "      --max-chain N         links from the nearest of those to the farthest (default 1000)\n"
    "      --max-same N          pages of a host that are the same: links of more do not count\n"
    "                            (default 32)\n"
    "      --max-url N           bytes of a URL (default 2048)\n"
    "      --max-params N        parameters of a URL (default 16)\n"
    "      --max-repeats N       how often a part may come in one path (default 3)\n"
    "\n"
    "How fast:\n"
    "      --delay TIME          between two requests to a host (default 100ms)\n"
    "      --per-host N          downloads at once from a host (default 2, or CONCURRENCY if\n"
    "                            that is given)\n"
    "      --rate N              requests a second, all hosts together\n"
    "      --fast                no delay, no limit for a host; as it is on loopback anyway\n"
    "      --polite              not even there\n"
    "      --retries N           how often what failed is tried again (default 3)\n"
    "      --connect-timeout TIME  to be connected (default 15s)\n"
    "      --answer-timeout TIME   to begin to answer (default 30s)\n"
    "      --page-timeout TIME     for all of a page (default 10m)\n"
    "      --min-rate SIZE         bytes a second, at least (default 100; 0: any)\n"
    "\n"
    "Who asks:\n"
    "  -U, --user-agent TEXT     (default weft-spider/" WEFT_VERSION_STRING ")\n"
    "  -H, --header FIELD        'Name: value', to hosts within the scope (repeatable)\n"
    "      --user NAME           basic auth, to hosts within the scope\n"
    "      --password TEXT       its password\n"
    "      --password-file FILE  its password: the first line of FILE\n"
    "      --netrc FILE          names and passwords by host\n"
    "      --cookies             keep cookies, and send them back\n"
    "      --cookie-file FILE    the same, and read and write them there\n"
    "      --proxy URL           ask through this proxy\n"
    "      --no-proxy HOSTS      but not for these\n"
    "      --ca-file FILE        whom to trust\n"
    "      --insecure            trust everybody\n"
    "      --http1               no HTTP/2\n"
    "\n"
    "Exit status: 0 all is there, 1 a start URL failed, 2 usage, 3 some pages failed,\n"
    "4 interrupted (run it again to go on), 5 the output could not be written.\n"
    "With --check: 4 also if a limit was reached before all was checked.\n"
    "With --why: 0 it is saved, 1 it is not, 5 there is no state, or it is in use.\n";

/* ---- URLs ----------------------------------------------------------------------------------- */

static bool add_url(struct settings *settings, const char *url, size_t length)
{
    if (settings->urls_count == settings->urls_room) {
        size_t room = settings->urls_room == 0 ? 16 : settings->urls_room * 2;
        char **urls = weft_realloc(settings->urls, room * sizeof *urls);
        if (urls == NULL)
            return false;
        settings->urls = urls;
        settings->urls_room = room;
    }
    char *copy = weft_alloc(length + 1);
    if (copy == NULL)
        return false;
    memcpy(copy, url, length);
    copy[length] = '\0';
    settings->urls[settings->urls_count++] = copy;
    return true;
}

static int no_memory(void)
{
    complain("%s", weft_strerror(UV_ENOMEM));
    return EXIT_NO_OUTPUT; /* as where the crawl has none */
}

/* One a line; empty lines and those that begin with '#' are passed over. */
static int read_lines(struct settings *settings, FILE *file, const char *name)
{
    char *line = NULL;
    size_t room = 0;
    int status = EXIT_OK;
    ssize_t length;
    for (bool first = true; status == EXIT_OK && (length = getline(&line, &room, file)) >= 0;
         first = false) {
        while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL)
            length--;
        size_t skip = first ? (size_t)(config_behind_mark(line) - line) : 0;
        skip += strspn(line + skip, " \t");
        if ((size_t)length <= skip || line[skip] == '#')
            continue;
        if (settings->urls_count == SETTINGS_LINKS_MOST)
            status = misused("spider", "more than %d start URLs", SETTINGS_LINKS_MOST);
        else if (!add_url(settings, line + skip, (size_t)length - skip))
            status = no_memory();
    }
    if (status == EXIT_OK && ferror(file)) {
        complain("cannot read '%s': %s", name, strerror(errno));
        status = EXIT_USAGE;
    }
    free(line); /* getline's own */
    return status;
}

static int read_input(struct settings *settings)
{
    const char *name = settings->input_;
    if (strcmp(name, "-") == 0)
        return read_lines(settings, stdin, "standard input");
    FILE *file = fopen(name, "re");
    if (file == NULL) {
        complain("cannot read '%s': %s", name, strerror(errno));
        return EXIT_USAGE;
    }
    int status = read_lines(settings, file, name);
    fclose(file);
    return status;
}

/* ---- words ---------------------------------------------------------------------------------- */

static bool is_number(const char *word)
{
    return word[0] != '\0' && word[strspn(word, "0123456789")] == '\0';
}

static bool number_of(const char *word, unsigned most, unsigned *number)
{
    errno = 0;
    unsigned long value = strtoul(word, NULL, 10);
    if (errno != 0 || value > most)
        return false;
    *number = (unsigned)value;
    return true;
}

static bool is_nesting(const char *word)
{
    return is_number(word) || strcasecmp(word, "inf") == 0;
}

static bool has_sign(const char *word)
{
    return word[0] == '+' || word[0] == '-';
}

static bool is_address(const char *word)
{
    struct in_addr address;
    return inet_pton(AF_INET, word, &address) == 1;
}

/* Somebody meant a nesting, and wrote what is none: "1.5", "-3", "5x", "infinity". */
static bool looks_like_nesting(const char *word)
{
    char first = word[has_sign(word) ? 1 : 0];
    bool numeric = first >= '0' && first <= '9' && strpbrk(word, "/:") == NULL;
    return (numeric && !is_address(word)) || strcasecmp(word, "infinite") == 0 ||
           strcasecmp(word, "infinity") == 0;
}

static int no_nesting(const char *word)
{
    if (has_sign(word) || is_nesting(word))
        return misused("spider", "a nesting is a number from 0 to %d, or 'inf', not '%s'",
                       SETTINGS_NESTING_MOST, word);
    return misused("spider",
                   "a nesting is a number from 0 to %d, or 'inf', not '%s'; "
                   "if that is a host, write http://%s/",
                   SETTINGS_NESTING_MOST, word, word);
}

static int take_nesting(struct settings *settings, const char *word)
{
    settings->nesting_given = true;
    settings->endless = !is_number(word);
    if (!settings->endless && !number_of(word, SETTINGS_NESTING_MOST, &settings->nesting))
        return no_nesting(word);
    return EXIT_OK;
}

static int take_concurrency(struct settings *settings, const char *word)
{
    settings->concurrency_given = true;
    if (!is_number(word) || !number_of(word, SETTINGS_CONCURRENCY_MOST, &settings->concurrency) ||
        settings->concurrency == 0)
        return misused("spider", "a concurrency is a number from 1 to %d, not '%s'",
                       SETTINGS_CONCURRENCY_MOST, word);
    return EXIT_OK;
}

/* The first may be a host like 1.5, if there are no URLs yet; but none has a sign. */
static bool is_mistyped(const struct settings *settings, const char *word)
{
    bool first = settings->urls_count == 0 && settings->input_ == NULL;
    return looks_like_nesting(word) && (!first || has_sign(word));
}

static int take_words(struct settings *settings, int argc, char **argv)
{
    int at = 1;
    for (; at < argc && !is_nesting(argv[at]); at++) {
        if (is_mistyped(settings, argv[at]))
            return no_nesting(argv[at]);
        if (!add_url(settings, argv[at], strlen(argv[at])))
            return no_memory();
    }
    int status = EXIT_OK;
    if (at < argc)
        status = take_nesting(settings, argv[at++]);
    if (status == EXIT_OK && at < argc)
        status = take_concurrency(settings, argv[at++]);
    if (status == EXIT_OK && at < argc)
        status = misused("spider", "unexpected '%s' behind the concurrency", argv[at]);
    return status;
}

/* ---- options -------------------------------------------------------------------------------- */

static const char *const progress_words[] = {"auto", "live", "plain", "none", NULL};
static const char *const scope_words[] = {"host", "domain", "path", "hosts", NULL};
static const char a_time[] = "500ms, 2s or 10m";
static const char a_size[] = "64k, 10M or 2G";

#define TIME(field)                                                                                \
    .number = &settings->field, .parse = units_duration, .example = a_time,                        \
    .show = units_write_duration
#define COUNT(field) .number = &settings->field, .most = UINT32_MAX
#define SIZE(field)                                                                                \
    .number = &settings->field, .parse = units_size, .example = a_size, .show = units_write_size

enum { OPTIONS_MOST = 96 };

static void make_table(struct settings *settings, struct option *table)
{
    const struct option options[] = {
        {.name = "input", .letter = 'i', .text = &settings->input_, .erased = true},
        {.name = "output", .letter = 'o', .text = &settings->folder},
        {.name = "quiet", .letter = 'q', .flag = &settings->quiet},
        {.name = "verbose", .letter = 'v', .flag = &settings->verbose},
        {.name = "convert-links", .letter = 'k', .flag = &settings->convert},
        {.name = "backup-converted", .letter = 'K', .flag = &settings->keep_originals},
        {.name = "update", .flag = &settings->update},
        {.name = "check", .flag = &settings->check},
        {.name = "list", .flag = &settings->list},
        {.name = "dry-run", .flag = &settings->dry_run},
        {.name = "report", .text = &settings->report, .erased = true},
        {.name = "why", .text = &settings->why, .outside = true},
        {.name = "log-json", .text = &settings->log_json, .erased = true},
        {.name = "warc", .text = &settings->warc, .erased = true},
        {.name = "warc-only", .flag = &settings->warc_only},
        {.name = "warc-level", .number = &settings->warc_level, .least = 1, .most = 9},
        {.name = "progress", .words = progress_words, .word = &settings->progress},
        {.name = "config", .text = &settings->config_path_, .early = true, .outside = true},
        {.name = "no-config", .flag = &settings->no_config_, .early = true, .outside = true},
        {.name = "save-config", .text = &settings->save_config, .outside = true},
        {.name = "scope", .words = scope_words, .word = &settings->scope_kind},
        {.name = "host", .list = &settings->hosts, .erased = true},
        {.name = "include", .list = &settings->include, .erased = true},
        {.name = "include-regex", .list = &settings->include_regex, .erased = true},
        {.name = "exclude", .list = &settings->exclude, .erased = true},
        {.name = "exclude-regex", .list = &settings->exclude_regex, .erased = true},
        {.name = "requisites", .letter = 'p', .flag = &settings->requisites},
        {.name = "no-robots", .flag = &settings->no_robots},
        {.name = "max-pages", COUNT(max_pages)},
        {.name = "max-bytes", SIZE(max_bytes)},
        {.name = "max-time", TIME(max_ms)},
        {.name = "max-file", SIZE(max_file)},
        {.name = "max-hosts", COUNT(traps.hosts)},
        {.name = "max-per-host", COUNT(traps.per_host)},
        {.name = "max-like", COUNT(traps.like)},
        {.name = "max-chain", COUNT(traps.chain)},
        {.name = "max-same", COUNT(traps.same)},
        {.name = "max-url", COUNT(traps.url)},
        {.name = "max-params", COUNT(traps.params)},
        {.name = "max-repeats", COUNT(traps.repeats)},
        {.name = "no-private", .flag = &settings->no_private},
        {.name = "delay", TIME(delay_ms)},
        {.name = "per-host",
         .number = &settings->per_host,
         .least = 1,
         .most = SETTINGS_CONCURRENCY_MOST},
        {.name = "rate", .number = &settings->rate, .least = 1, .most = 1000000},
        {.name = "fast", .flag = &settings->fast},
        {.name = "polite", .flag = &settings->polite},
        {.name = "retries", .number = &settings->retries, .most = 100},
        {.name = "connect-timeout", TIME(connect_ms)},
        {.name = "answer-timeout", TIME(answer_ms)},
        {.name = "page-timeout", TIME(page_ms)},
        {.name = "min-rate", SIZE(min_rate)},
        {.name = "user-agent", .letter = 'U', .text = &settings->user_agent},
        {.name = "header", .letter = 'H', .list = &settings->headers, .erased = true},
        {.name = "user", .text = &settings->user, .erased = true},
        {.name = "password", .text = &settings->password, .erased = true, .secret = true},
        {.name = "password-file", .text = &settings->password_file, .erased = true},
        {.name = "netrc", .text = &settings->netrc, .erased = true},
        {.name = "cookies", .flag = &settings->cookies},
        {.name = "cookie-file", .text = &settings->cookie_file, .erased = true},
        {.name = "proxy", .text = &settings->proxy, .erased = true},
        {.name = "no-proxy", .text = &settings->no_proxy, .erased = true},
        {.name = "ca-file", .text = &settings->ca_file, .erased = true},
        {.name = "insecure", .flag = &settings->insecure},
        {.name = "http1", .flag = &settings->http1},
        {.name = NULL},
    };
    _Static_assert(sizeof options <= OPTIONS_MOST * sizeof options[0], "the table is larger");
    memcpy(table, options, sizeof options);
}

/* The file first, whichever it is, then the command line. */
static int take_options(struct settings *settings, int *argc, char **argv)
{
    struct option options[OPTIONS_MOST];
    int status = EXIT_OK;
    make_table(settings, options);
    options_read_early("spider", options, argv);
    if (settings->no_config_ && settings->config_path_ != NULL)
        status = misused("spider", "--config and --no-config contradict each other");
    else if (settings->config_path_ != NULL)
        status = config_read(&settings->config_, "spider", settings->config_path_, options);
    else if (!settings->no_config_)
        status = config_read_own(&settings->config_, "spider", options);
    return status == EXIT_OK ? options_read("spider", options, argc, argv) : status;
}

static bool is_field(const char *text)
{
    struct weft_text value = weft_text_of(text);
    struct weft_text name = weft_text_cut(&value, ':');
    return value.data != NULL && weft_http_name_ok(name) &&
           weft_http_value_ok(weft_text_trim(value));
}

/* Before anything is fetched is the time to say that a file cannot be read. */
static int check_file(const char *option, const char *path, const char *mode)
{
    FILE *file = path != NULL ? fopen(path, mode) : NULL;
    if (file != NULL)
        fclose(file);
    if (file != NULL || path == NULL)
        return EXIT_OK;
    return misused("spider", "--%s: cannot open '%s': %s", option, path, strerror(errno));
}

/* The report is written when all is over: too late to find out that its folder is not there. */
static int check_report(const char *path)
{
    char folder[4096];
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (path == NULL || settings_is_output(path))
        return EXIT_OK;
    struct stat info;
    bool there = stat(path, &info) == 0;
    if (there && S_ISDIR(info.st_mode))
        return misused("spider", "--report: '%s' is a folder", path);
    if (there && !S_ISREG(info.st_mode))
        return misused("spider", "--report: '%s' is no file; '-' is standard output", path);
    size_t size = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    snprintf(folder, sizeof folder, "%.*s", size > 0 ? (int)size : 1, size > 0 ? path : ".");
    if (access(folder, W_OK) != 0)
        return misused("spider", "--report: cannot write to '%s': %s", folder, strerror(errno));
    return EXIT_OK;
}

/* Where a file is, or will be, and its name there. */
static const char *folder_of(const char *path, struct stat *folder)
{
    char text[4096];
    const char *slash = strrchr(path, '/');
    size_t size = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    if (slash == NULL)
        snprintf(text, sizeof text, ".");
    else
        snprintf(text, sizeof text, "%.*s", size < sizeof text ? (int)size : 0, path);
    return stat(text, folder) == 0 ? path + size : NULL;
}

static bool is_same_file(const char *one, const char *other)
{
    struct stat a, b;
    if (one == NULL || other == NULL)
        return false;
    if (stat(one, &a) == 0 && stat(other, &b) == 0)
        return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    const char *name = folder_of(one, &a), *its = folder_of(other, &b);
    return name != NULL && its != NULL && strcmp(name, its) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Where standard output cannot be meant, a file of that name is hardly what was. */
static int check_no_output(const struct settings *settings)
{
    if (settings_is_output(settings->warc))
        return misused("spider", "--warc: an archive is read again, and has an index beside it: "
                                 "it cannot be standard output");
    if (settings_is_output(settings->cookie_file))
        return misused("spider", "--cookie-file: cookies are read again: it cannot be '-'");
    return EXIT_OK;
}

/* What is written last would be all that is left. */
static int check_different_from(const struct settings *settings, const char *index)
{
    const struct {
        const char *option, *path;
        bool is_read;
    } files[] = {{"--report", settings->report, false},
                 {"--log-json", settings->log_json, false},
                 {"--warc", settings->warc, false},
                 {"the index of --warc", index, false},
                 {"--cookie-file", settings->cookie_file, false},
                 {"--input", settings->input_, true},
                 {"--config", settings->config_path_, true},
                 {"--password-file", settings->password_file, true},
                 {"--netrc", settings->netrc, true},
                 {"--ca-file", settings->ca_file, true}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        for (size_t j = 0; j < i; j++) {
            bool both_are_read = files[i].is_read && files[j].is_read;
            if (!both_are_read && is_same_file(files[i].path, files[j].path))
                return misused("spider", "%s and %s cannot be the same file", files[j].option,
                               files[i].option);
        }
    }
    return EXIT_OK;
}

static int check_different(const struct settings *settings)
{
    char *index = settings->warc != NULL ? warc_index_of(settings->warc) : NULL;
    int status = check_different_from(settings, index);
    weft_free(index);
    return status;
}

/* It is written anew in the end: so it has to be a file of cookies, or empty, or not there. */
static int check_cookies(const char *path)
{
    char line[512];
    FILE *file = path != NULL ? fopen(path, "re") : NULL;
    if (file == NULL)
        return EXIT_OK;
    bool some = false, good = false;
    while (!good && fgets(line, sizeof line, file) != NULL) {
        unsigned tabs = 0;
        for (const char *at = line; *at != '\0'; at++)
            tabs += *at == '\t';
        good = tabs >= 6 || strstr(line, "HTTP Cookie File") != NULL;
        some = true;
    }
    fclose(file);
    return good || !some ? EXIT_OK
                         : misused("spider", "--cookie-file: '%s' is no file of cookies", path);
}

/* It stands in the archive, and in each line of its index. */
static int check_archive(const char *path)
{
    if (path == NULL)
        return EXIT_OK;
    const char *slash = strrchr(path, '/');
    struct weft_text name = weft_text_of(slash != NULL ? slash + 1 : path);
    bool good = utf8_is_text(name);
    for (size_t i = 0; i < name.size; i++)
        good = good && (unsigned char)name.data[i] >= ' ' && name.data[i] != 0x7f;
    return good ? EXIT_OK
                : misused("spider", "--warc: the name of an archive stands in it: it has to be "
                                    "UTF-8, without control characters");
}

static int check_files(const struct settings *settings)
{
    int status = check_no_output(settings);
    if (status == EXIT_OK)
        status = check_archive(settings->warc);
    if (status == EXIT_OK)
        status = check_report(settings->report);
    if (status == EXIT_OK)
        status = check_different(settings);
    if (status == EXIT_OK)
        status = check_file("netrc", settings->netrc, "re");
    if (status == EXIT_OK)
        status = check_file("ca-file", settings->ca_file, "re");
    if (status == EXIT_OK)
        status = check_cookies(settings->cookie_file);
    if (status == EXIT_OK)
        status = check_file("cookie-file", settings->cookie_file, "ae");
    return status;
}

static int check(const struct settings *settings)
{
    for (size_t i = 0; i < settings->headers.count; i++) {
        if (!is_field(settings->headers.items[i]))
            return misused("spider", "'%s' is no field: --header takes 'Name: value'",
                           settings->headers.items[i]);
    }
    if (!weft_http_value_ok(weft_text_of(settings->user_agent)))
        return misused("spider", "that cannot be sent as a user agent");
    if (settings->fast && settings->polite)
        return misused("spider", "--fast and --polite contradict each other");
    if (settings->scope_kind == SCOPE_HOSTS && settings->hosts.count == 0)
        return misused("spider", "--scope hosts needs at least one --host");
    if (settings->scope_kind != SCOPE_HOSTS && settings->hosts.count > 0)
        return misused("spider", "--host needs --scope hosts; --host= takes back what a file says");
    if (settings->no_private && settings->proxy != NULL)
        return misused("spider", "--no-private cannot see where a --proxy connects to");
    if (settings->keep_originals && !settings->convert)
        return misused("spider", "-K needs -k");
    if (settings->update && settings_dry(settings))
        return misused("spider", "--update needs files: not with --list, --dry-run or --check");
    if (settings->convert && settings_dry(settings))
        return misused("spider", "-k needs files: not with --list, --dry-run or --check");
    if (settings->check && (settings->list || settings->dry_run))
        return misused("spider", "one of --check, --list and --dry-run");
    if (settings_output_taken(settings) && (settings->verbose || settings_dry(settings)))
        return misused("spider",
                       "standard output is the %s's: no --verbose, --check, --list or --dry-run",
                       settings_is_output(settings->report) ? "report" : "log");
    if ((settings->password != NULL || settings->password_file != NULL) && settings->user == NULL)
        return misused("spider", "a password needs a --user");
    if (settings->user != NULL && strchr(settings->user, ':') != NULL)
        return misused("spider", "a --user has no colon; the password is told by --password-file");
    if (settings->warc == NULL && settings->warc_only)
        return misused("spider", "--warc-only needs --warc");
    if (settings->warc_only && (settings->convert || settings->update))
        return misused("spider", "-k and --update need files: not with --warc-only");
    if (settings->warc != NULL && settings_dry(settings))
        return misused("spider", "--check, --list and --dry-run archive nothing");
    return check_files(settings);
}

static const struct settings defaults = {.nesting = 1,
                                         .concurrency = 2,
                                         .scope_kind = SCOPE_HOST,
                                         .delay_ms = 100,
                                         .retries = 3,
                                         .connect_ms = 15000,
                                         .answer_ms = 30000,
                                         .page_ms = 600000,
                                         .min_rate = 100,
                                         .max_file = (uint64_t)4 << 30,
                                         .traps = {.url = 2048,
                                                   .repeats = 3,
                                                   .params = 16,
                                                   .hosts = 10000,
                                                   .per_host = 1000000,
                                                   .like = 100000,
                                                   .chain = 1000,
                                                   .same = 32},
                                         .user_agent = default_agent,
                                         .warc_level = WARC_LEVEL,
                                         .folder = "."};

int settings_read(struct settings *settings, int argc, char **argv)
{
    *settings = defaults;
    int status = take_options(settings, &argc, argv);
    if (status == EXIT_OK)
        status = take_words(settings, argc, argv);
    if (status == EXIT_OK)
        status = check(settings);
    if (status != EXIT_OK || settings->save_config != NULL)
        return status;
    if (settings->input_ != NULL)
        status = read_input(settings);
    if (status == EXIT_OK && settings->urls_count == 0 && settings->input_ != NULL)
        status = misused("spider", "there is no URL in '%s'", settings->input_);
    if (status == EXIT_OK && settings->urls_count == 0 && settings->why == NULL &&
        !add_url(settings, default_url, strlen(default_url)))
        status = no_memory();
    if (status == EXIT_OK && settings->per_host == 0)
        settings->per_host = settings->concurrency_given ? settings->concurrency : 2;
    return status;
}

int settings_save(struct settings *settings)
{
    struct settings usual = defaults;
    struct option options[OPTIONS_MOST], usual_options[OPTIONS_MOST];
    make_table(settings, options);
    make_table(&usual, usual_options);
    int status =
        config_write(settings->save_config, "spider", spider_usage, options, usual_options);
    return status == EXIT_FAILED ? EXIT_NO_OUTPUT : status;
}

void settings_free(struct settings *settings)
{
    config_free(&settings->config_);
    for (size_t i = 0; i < settings->urls_count; i++)
        weft_free(settings->urls[i]);
    weft_free(settings->urls);
    *settings = (struct settings){0};
}
