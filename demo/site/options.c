/* The command line of the site.
 *
 * Numbers are digits and nothing else, within limits: a test that passes a wrong one is to fail,
 * not to run with something else. */
#include "site.h"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: site [OPTION...]\n"
    "  --port N           0, the default: any that is free\n"
    "  --address A        listen there (default 127.0.0.1)\n"
    "  --pages N          so many pages in the chapters (default 300)\n"
    "  --seed S           other links and other prose\n"
    "  --no-extras        N plain pages and nothing else, / among them\n"
    "  --quiet            no remarks on the standard error\n"
    "  --log FILE         a line for each request\n"
    "  --delay MS         each page takes that long\n"
    "  --big BYTES        of /big.bin (default 300000)\n"
    "  --hang             /hang never answers\n"
    "  --drop-after N     the request after N, and all connections, are cut, and new ones refused\n"
    "  --down-ms MS       for that long (default 1000; 0: for ever)\n"
    "  --too-many N       every N-th page is answered 429\n"
    "  --retry-after V    with Retry-After V: seconds, or date:SECONDS for a date (default 1)\n"
    "  --robots TEXT      robots.txt; \\n in it is a line end\n"
    "  --robots-status N  the status of robots.txt\n";

/* An option, and what it takes: one of the pointers is set. */
struct setting {
    const char *name;
    uint64_t *number;
    uint64_t least, most;
    const char **text;
    bool *flag;
};

enum {
    SETTINGS = 17,
    PAGES_MOST = 10 * 1000 * 1000,
    MS_MOST = 60 * 60 * 1000,
    RETRY_S_MOST = 24 * 60 * 60
};

static bool read_number(const struct setting *setting, const char *text)
{
    uint64_t number = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || number > (UINT64_MAX - 9) / 10)
            return false;
        number = number * 10 + (uint64_t)(*text - '0');
    }
    *setting->number = number;
    return number >= setting->least && number <= setting->most;
}

static bool take(const struct setting *setting, const char *value)
{
    if (setting->flag != NULL)
        *setting->flag = true;
    else if (setting->text != NULL)
        *setting->text = value;
    else
        return read_number(setting, value);
    return true;
}

static bool retry_after_ok(const char *value)
{
    uint64_t seconds;
    struct setting setting = {.number = &seconds, .most = RETRY_S_MOST};
    bool is_date = weft_text_starts(weft_text_of(value), "date:");
    return read_number(&setting, is_date ? value + strlen("date:") : value);
}

static int misused(const char *name, const char *value)
{
    fprintf(stderr, "site: --%s does not take '%s'\n", name, value);
    return 2;
}

/* 0, or 2: it was said what is wrong. */
static int read_settings(const struct setting *settings, int argc, char **argv)
{
    struct option names[SETTINGS + 1] = {{0}};
    int got, index = 0;
    for (size_t i = 0; i < SETTINGS; i++)
        names[i] = (struct option){.name = settings[i].name, .has_arg = settings[i].flag == NULL};
    while ((got = getopt_long(argc, argv, "", names, &index)) == 0) {
        if (!take(&settings[index], optarg))
            return misused(settings[index].name, optarg);
    }
    return got == -1 ? 0 : 2;
}

int options_read(struct options *o, int argc, char **argv)
{
    bool help = false;
    const struct setting settings[SETTINGS] = {
        {"port", .number = &o->port, .most = 65535},
        {"address", .text = &o->address},
        {"pages", .number = &o->pages, .least = 1, .most = PAGES_MOST},
        {"seed", .number = &o->seed, .most = UINT32_MAX},
        {"no-extras", .flag = &o->plain},
        {"quiet", .flag = &o->quiet},
        {"log", .text = &o->log},
        {"delay", .number = &o->delay_ms, .most = MS_MOST},
        {"big", .number = &o->big, .most = (uint64_t)1 << 32},
        {"hang", .flag = &o->hang},
        {"drop-after", .number = &o->drop_after, .least = 1, .most = UINT32_MAX},
        {"down-ms", .number = &o->down_ms, .most = MS_MOST},
        {"too-many", .number = &o->too_many, .least = 1, .most = UINT32_MAX},
        {"retry-after", .text = &o->retry_after},
        {"robots", .text = &o->robots},
        {"robots-status", .number = &o->robots_status, .least = 200, .most = 599},
        {"help", .flag = &help},
    };
    *o = (struct options){.address = "127.0.0.1",
                          .pages = 300,
                          .down_ms = 1000,
                          .robots_status = 200,
                          .big = 300000,
                          .retry_after = "1"};
    int status = read_settings(settings, argc, argv);
    if (status != 0)
        return status;
    if (!retry_after_ok(o->retry_after))
        return misused("retry-after", o->retry_after);
    if (help || optind < argc)
        fputs(usage, help ? stdout : stderr);
    return help ? 0 : optind < argc ? 2 : -1;
}
