/* The command line of weft spider.
 *
 * The words that are no options are URLs, then the nesting, then the concurrency, as in the book:
 * the first word that is a number or "inf" ends the URLs. */
#include "spider/settings.h"
#include "command.h"
#include "units.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>
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
    "      --list                save nothing, print the URLs that would be saved\n"
    "      --dry-run             save nothing, print what would be saved under which name\n"
    "\n"
    "How far:\n"
    "      --scope KIND          host (the start URLs' hosts; the default), domain (and what is\n"
    "                            below it), path (below the start URL's folder), hosts (--host)\n"
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
    "      --max-file SIZE       leave out files larger than SIZE\n"
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
    "4 interrupted (run it again to go on), 5 the output could not be written.\n";

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
    return EXIT_FAILED;
}

/* One a line; empty lines and those that begin with '#' are passed over. */
static int read_lines(struct settings *settings, FILE *file, const char *name)
{
    char *line = NULL;
    size_t room = 0;
    int status = EXIT_OK;
    ssize_t length;
    while (status == EXIT_OK && (length = getline(&line, &room, file)) >= 0) {
        while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL)
            length--;
        size_t skip = strspn(line, " \t");
        if ((size_t)length <= skip || line[skip] == '#')
            continue;
        if (settings->urls_count == SETTINGS_LINKS_MOST)
            status = misused("spider", "more than %d start URLs", SETTINGS_LINKS_MOST);
        else if (!add_url(settings, line + skip, (size_t)length - skip))
            status = no_memory();
    }
    if (status == EXIT_OK && ferror(file)) {
        complain("cannot read '%s': %s", name, strerror(errno));
        status = EXIT_FAILED;
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
        return EXIT_FAILED;
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

static int take_nesting(struct settings *settings, const char *word)
{
    settings->endless = strcmp(word, "inf") == 0;
    if (!settings->endless && !number_of(word, SETTINGS_NESTING_MOST, &settings->nesting))
        return misused("spider", "a nesting is at most %d, or 'inf', not '%s'",
                       SETTINGS_NESTING_MOST, word);
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

static int take_words(struct settings *settings, int argc, char **argv)
{
    int at = 1;
    for (; at < argc && !is_number(argv[at]) && strcmp(argv[at], "inf") != 0; at++) {
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

static const char *const scope_words[] = {"host", "domain", "path", "hosts", NULL};
static const char a_time[] = "500ms, 2s or 10m";
static const char a_size[] = "64k, 10M or 2G";

#define TIME(field) .number = &settings->field, .parse = units_duration, .example = a_time
#define SIZE(field) .number = &settings->field, .parse = units_size, .example = a_size

static int take_options(struct settings *settings, int *argc, char **argv)
{
    const struct option options[] = {
        {.name = "input", .letter = 'i', .text = &settings->input_},
        {.name = "output", .letter = 'o', .text = &settings->folder},
        {.name = "quiet", .letter = 'q', .flag = &settings->quiet},
        {.name = "verbose", .letter = 'v', .flag = &settings->verbose},
        {.name = "list", .flag = &settings->list},
        {.name = "dry-run", .flag = &settings->dry_run},
        {.name = "scope", .words = scope_words, .word = &settings->scope_kind},
        {.name = "host", .list = &settings->hosts},
        {.name = "include", .list = &settings->include},
        {.name = "include-regex", .list = &settings->include_regex},
        {.name = "exclude", .list = &settings->exclude},
        {.name = "exclude-regex", .list = &settings->exclude_regex},
        {.name = "requisites", .letter = 'p', .flag = &settings->requisites},
        {.name = "no-robots", .flag = &settings->no_robots},
        {.name = "max-pages", .number = &settings->max_pages, .least = 1, .most = UINT32_MAX},
        {.name = "max-bytes", SIZE(max_bytes)},
        {.name = "max-time", TIME(max_ms)},
        {.name = "max-file", SIZE(max_file)},
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
        {.name = "user-agent", .letter = 'U', .text = &settings->user_agent},
        {.name = "header", .letter = 'H', .list = &settings->headers},
        {.name = "user", .text = &settings->user},
        {.name = "password", .text = &settings->password},
        {.name = "password-file", .text = &settings->password_file},
        {.name = "netrc", .text = &settings->netrc},
        {.name = "cookies", .flag = &settings->cookies},
        {.name = "cookie-file", .text = &settings->cookie_file},
        {.name = "proxy", .text = &settings->proxy},
        {.name = "no-proxy", .text = &settings->no_proxy},
        {.name = "ca-file", .text = &settings->ca_file},
        {.name = "insecure", .flag = &settings->insecure},
        {.name = "http1", .flag = &settings->http1},
        {.name = NULL},
    };
    return options_read("spider", options, argc, argv);
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

static int check_files(const struct settings *settings)
{
    int status = check_file("netrc", settings->netrc, "re");
    if (status == EXIT_OK)
        status = check_file("ca-file", settings->ca_file, "re");
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
        return misused("spider", "--host needs --scope hosts");
    if ((settings->password != NULL || settings->password_file != NULL) && settings->user == NULL)
        return misused("spider", "a password needs a --user");
    return check_files(settings);
}

int settings_read(struct settings *settings, int argc, char **argv)
{
    *settings = (struct settings){.nesting = 1,
                                  .concurrency = 2,
                                  .scope_kind = SCOPE_HOST,
                                  .delay_ms = 100,
                                  .retries = 3,
                                  .connect_ms = 15000,
                                  .answer_ms = 30000,
                                  .page_ms = 600000,
                                  .user_agent = default_agent,
                                  .folder = "."};
    int status = take_options(settings, &argc, argv);
    if (status == EXIT_OK)
        status = take_words(settings, argc, argv);
    if (status == EXIT_OK)
        status = check(settings);
    if (status == EXIT_OK && settings->input_ != NULL)
        status = read_input(settings);
    if (status == EXIT_OK && settings->urls_count == 0 && settings->input_ != NULL)
        status = misused("spider", "there is no URL in '%s'", settings->input_);
    if (status == EXIT_OK && settings->urls_count == 0 &&
        !add_url(settings, default_url, strlen(default_url)))
        status = no_memory();
    if (status == EXIT_OK && settings->per_host == 0)
        settings->per_host = settings->concurrency_given ? settings->concurrency : 2;
    return status;
}

void settings_free(struct settings *settings)
{
    for (size_t i = 0; i < settings->urls_count; i++)
        weft_free(settings->urls[i]);
    weft_free(settings->urls);
    *settings = (struct settings){0};
}
