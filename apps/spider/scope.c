/* Which URLs belong to the crawl.
 *
 * Nearly every link is asked about, so the order is by price: the scheme, the host (a hash and a
 * comparison, see scope_hosts.c), the folder, and only then the filters, excludes first. Globs are
 * used as they were given, regular expressions are compiled once. REG_STARTEND keeps the fragment
 * from them without a copy.
 *
 * A filter with a control character in it could match no URL, and would break the canonical text
 * into two lines: it is refused like any other that cannot be meant. */
#include "spider/scope.h"
#include "glob.h"
#include "spider/scope_inside.h"
#include <stdio.h>
#include <uv.h>
#include <weft/alloc.h>
#include <weft/url.h>

static size_t count_of(const struct option_list *list)
{
    return list != NULL ? list->count : 0;
}

/* ---- reading the rules ---------------------------------------------------------------------- */

static int refuse(char *message, const char *what, const char *text, const char *why)
{
    snprintf(message, SCOPE_MESSAGE_MAX, "'%.100s' is no %s: %s", text, what, why);
    return UV_EINVAL;
}

static int no_memory(char *message)
{
    snprintf(message, SCOPE_MESSAGE_MAX, "out of memory");
    return UV_ENOMEM;
}

static int check_texts(const struct option_list *list, const char *what, char *message)
{
    for (size_t i = 0; i < count_of(list); i++) {
        const char *c = list->items[i];
        if (*c == '\0')
            return refuse(message, what, c, "it is empty");
        for (; *c != '\0'; c++) {
            if ((unsigned char)*c < ' ' || *c == 0x7f)
                return refuse(message, what, list->items[i], "no URL has a control character");
        }
    }
    return 0;
}

/* *count is what has to be freed. */
static int compile(const struct option_list *list, regex_t **all, size_t *count, char *message)
{
    int err = check_texts(list, "regular expression", message);
    if (err != 0 || count_of(list) == 0)
        return err;
    if ((*all = weft_calloc(list->count, sizeof **all)) == NULL)
        return no_memory(message);
    for (; *count < list->count; ++*count) {
        const char *text = list->items[*count];
        regex_t *regex = &(*all)[*count];
        char why[100];
        err = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);
        if (err == REG_ESPACE)
            return no_memory(message);
        if (err != 0) {
            regerror(err, regex, why, sizeof why);
            return refuse(message, "regular expression", text, why);
        }
    }
    return 0;
}

static int add_listed_hosts(struct scope *scope, char *message)
{
    const struct option_list *list = scope->rules_.hosts;
    if (scope->rules_.kind != SCOPE_HOSTS)
        return 0;
    for (size_t i = 0; i < count_of(list); i++) {
        struct scope_place place;
        int err = scope_place_read(&place, list->items[i]);
        if (err == UV_EINVAL)
            return refuse(message, "host", list->items[i],
                          "it should look like example.org, *.example.org or host:8080");
        if (err == 0)
            err = scope_hosts_add(&scope->hosts_, weft_text_of(place.name), place.port,
                                  place.below ? SCOPE_BELOW : SCOPE_ITSELF);
        if (err != 0)
            return no_memory(message);
    }
    return 0;
}

int scope_init(struct scope *scope, const struct scope_rules *rules,
               char message[SCOPE_MESSAGE_MAX])
{
    *scope = (struct scope){.rules_ = *rules};
    message[0] = '\0';
    int err = check_texts(rules->include, "pattern", message);
    if (err == 0)
        err = check_texts(rules->exclude, "pattern", message);
    if (err == 0)
        err = compile(rules->include_regex, &scope->include_regex_, &scope->include_regex_count_,
                      message);
    if (err == 0)
        err = compile(rules->exclude_regex, &scope->exclude_regex_, &scope->exclude_regex_count_,
                      message);
    if (err == 0)
        err = add_listed_hosts(scope, message);
    if (err != 0)
        scope_free(scope);
    return err;
}

static void free_regexes(regex_t *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        regfree(&all[i]);
    weft_free(all);
}

void scope_free(struct scope *scope)
{
    if (scope == NULL)
        return;
    free_regexes(scope->include_regex_, scope->include_regex_count_);
    free_regexes(scope->exclude_regex_, scope->exclude_regex_count_);
    scope_hosts_free(&scope->hosts_);
    *scope = (struct scope){.rules_ = {.kind = SCOPE_HOST}};
}

/* ---- start URLs ----------------------------------------------------------------------------- */

/* Without "www.", unless only a top-level domain would be left. */
static struct weft_text domain_of(struct weft_text name)
{
    if (!weft_text_starts(name, "www."))
        return name;
    struct weft_text rest = weft_text(name.data + 4, name.size - 4);
    return memchr(rest.data, '.', rest.size) != NULL ? rest : name;
}

static struct weft_text folder_of(struct weft_text path)
{
    while (path.size > 0 && path.data[path.size - 1] != '/')
        path.size--;
    return path;
}

int scope_add_start(struct scope *scope, const struct weft_url *url)
{
    struct weft_text name = weft_url_hostname(url);
    unsigned reach = SCOPE_ITSELF;
    if (!weft_url_is_http(url))
        return UV_EINVAL;
    if (scope->rules_.kind == SCOPE_DOMAIN) {
        name = domain_of(name);
        reach |= SCOPE_BELOW;
    }
    int err = scope_hosts_add(&scope->hosts_, name, url->port, reach);
    if (err == 0 && scope->rules_.kind == SCOPE_PATH)
        err = scope_hosts_add_folder(&scope->hosts_, name, url->port,
                                     folder_of(weft_url_pathname(url)));
    return err;
}

/* ---- asking --------------------------------------------------------------------------------- */

static bool any_glob(const struct option_list *list, const struct weft_url *url)
{
    struct weft_text href = weft_text(url->href.data, url->fragment_begin);
    for (size_t i = 0; i < count_of(list); i++) {
        if (glob_matches_url(weft_text_of(list->items[i]), href, url->path_begin, url->query_begin))
            return true;
    }
    return false;
}

/* otherwise: what it is if there was no memory to find out. */
static bool any_regex(const regex_t *all, size_t count, const struct weft_url *url, bool otherwise)
{
    for (size_t i = 0; i < count; i++) {
        regmatch_t part = {.rm_so = 0, .rm_eo = (regoff_t)url->fragment_begin};
        int answer = regexec(&all[i], url->href.data, 1, &part, REG_STARTEND);
        if (answer == 0 || (answer != REG_NOMATCH && otherwise))
            return true;
    }
    return false;
}

bool scope_excludes(const struct scope *scope, const struct weft_url *url)
{
    return any_glob(scope->rules_.exclude, url) ||
           any_regex(scope->exclude_regex_, scope->exclude_regex_count_, url, true);
}

static bool is_included(const struct scope *scope, const struct weft_url *url)
{
    if (count_of(scope->rules_.include) + scope->include_regex_count_ == 0)
        return true;
    return any_glob(scope->rules_.include, url) ||
           any_regex(scope->include_regex_, scope->include_regex_count_, url, false);
}

bool scope_host(const struct scope *scope, const struct weft_url *url)
{
    return weft_url_is_http(url) &&
           scope_hosts_has(&scope->hosts_, weft_url_hostname(url), url->port);
}

enum scope_verdict scope_check(const struct scope *scope, const struct weft_url *url,
                               bool requisite)
{
    if (!weft_url_is_http(url))
        return SCOPE_OTHER_SCHEME;
    if (!scope_host(scope, url) && !(requisite && scope->rules_.page_requisites))
        return SCOPE_OTHER_HOST;
    if (scope->rules_.kind == SCOPE_PATH && !requisite &&
        !scope_hosts_has_path(&scope->hosts_, weft_url_hostname(url), url->port,
                              weft_url_pathname(url)))
        return SCOPE_OTHER_PATH;
    if (scope_excludes(scope, url))
        return SCOPE_EXCLUDED;
    return requisite || is_included(scope, url) ? SCOPE_IN : SCOPE_NOT_INCLUDED;
}

const char *scope_reason(enum scope_verdict verdict)
{
    switch (verdict) {
    case SCOPE_IN:
        return "in scope";
    case SCOPE_OTHER_SCHEME:
        return "neither http nor https";
    case SCOPE_OTHER_HOST:
        return "on another host";
    case SCOPE_OTHER_PATH:
        return "outside the start folder";
    case SCOPE_EXCLUDED:
        return "excluded";
    case SCOPE_NOT_INCLUDED:
        return "not included";
    }
    return "unknown";
}
