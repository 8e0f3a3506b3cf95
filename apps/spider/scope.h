/* apps/spider/scope.h: which URLs belong to the crawl.
 *
 * A link is in if its host is in scope, it is not excluded, and one of the includes (if there are
 * any) is like it. Two differences: a requisite (image, style, script …) needs no include and, with
 * SCOPE_PATH, may lie anywhere on the host; with page_requisites on any host. And start URLs are
 * not asked about at all: they are fetched because somebody said so.
 *
 * http and https are one scope: two URLs are of the same host if the names are the same, and the
 * ports too or both the default of their scheme.
 *
 *     struct scope scope;
 *     char message[SCOPE_MESSAGE_MAX];
 *     int err = scope_init(&scope, &(struct scope_rules){.kind = SCOPE_DOMAIN}, message);
 *     ... scope_add_start(&scope, url) for each start URL, and for where one redirects to ...
 *     if (scope_check(&scope, link, false) == SCOPE_IN) ...
 *     scope_free(&scope); */
#ifndef WEFT_SPIDER_SCOPE_H
#define WEFT_SPIDER_SCOPE_H

#include "options.h"
#include "spider/scope_hosts.h"
#include <regex.h>
#include <weft/text.h>

struct weft_url;

enum scope_kind {
    SCOPE_HOST,   /* the hosts of the start URLs */
    SCOPE_DOMAIN, /* these without a leading "www.", and all hosts below them */
    SCOPE_PATH,   /* the start URLs' hosts, there only below the folder of the start URL's path:
                     "/docs/" for "/docs/a.html", but "/" for "/docs" */
    SCOPE_HOSTS   /* the start URLs' hosts, and those of a list */
};

enum scope_verdict {
    SCOPE_IN,
    SCOPE_OTHER_SCHEME, /* neither http nor https */
    SCOPE_OTHER_HOST,
    SCOPE_OTHER_PATH,
    SCOPE_EXCLUDED,
    SCOPE_NOT_INCLUDED
};

enum { SCOPE_MESSAGE_MAX = 256 };

/* What is wanted. A list that is NULL is empty. The lists and texts are borrowed until scope_free. */
struct scope_rules {
    enum scope_kind kind;
    bool page_requisites; /* requisites from other hosts too */
    /* For SCOPE_HOSTS: "example.org", "host:8080", or "*.example.org" for all hosts below it (not
     * itself). Without a port, or with 80 or 443: the default one. */
    const struct option_list *hosts;
    const struct option_list *include, *exclude;             /* as in glob_matches_url */
    const struct option_list *include_regex, *exclude_regex; /* POSIX extended, found anywhere in
                                                                the URL (without its fragment) */
};

/* All fields are scope's own. */
struct scope {
    struct scope_rules rules_;
    struct scope_hosts hosts_;
    regex_t *include_regex_, *exclude_regex_;
    size_t include_regex_count_, exclude_regex_count_;
};

/* UV_EINVAL: a rule cannot be understood, message says which and why. UV_ENOMEM (message says it
 * too). After an error there is nothing to free. */
int scope_init(struct scope *scope, const struct scope_rules *rules,
               char message[SCOPE_MESSAGE_MAX]);

/* Takes NULL, and a zeroed one. */
void scope_free(struct scope *scope);

/* The URL is copied as far as it is needed. Again the same: no change. UV_EINVAL: not http or
 * https; UV_ENOMEM. */
int scope_add_start(struct scope *scope, const struct weft_url *url);

/* Is the URL's host in scope, whatever the path and the filters say? */
bool scope_host(const struct scope *scope, const struct weft_url *url);

/* Is the URL part of the crawl, and if not, why? */
enum scope_verdict scope_check(const struct scope *scope, const struct weft_url *url,
                               bool requisite);

/* Does a rule say that it is not to be asked for, wherever it is? */
bool scope_excludes(const struct scope *scope, const struct weft_url *url);

/* A few words that follow "not fetched: ". Static storage. */
const char *scope_reason(enum scope_verdict verdict);

/* All rules in a canonical form, a line each, to keep and to compare: equal texts are equal rules,
 * in whatever order they were given. The start URLs are not part of it. To be freed with weft_free;
 * NULL: no memory. */
char *scope_text(const struct scope *scope);

#endif
