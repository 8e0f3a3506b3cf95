/* Why a URL was fetched, or was not.
 *
 * What became of a URL that is known stands in its state, and so does the way that led to it: who
 * linked to it first, who to that one, up to a start URL. Of one that is not known the rules can be
 * asked what they would say: those of this command line, for the start URLs that the state has, with
 * the robots.txt that was kept. Whether there is a link to it that was passed over is not known: who
 * finds one looks at it and forgets it.
 *
 * Nothing is changed, but for what opening a state does. */
#include "spider/why.h"
#include "command.h"
#include "spider/columns.h"
#include "spider/crawl.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WAY_MOST = 40, LINKS_MOST = 10, LABEL = 10, PLAIN = 8192 };

/* Into crawl->link. A password is not part of what is known of a URL, and for nobody to see. */
static int parse(struct crawl *crawl, const char *url)
{
    int err = crawl_parse_start(crawl, url);
    if (err == 0)
        weft_url_drop_credentials(&crawl->link);
    return err;
}

/* ---- telling -------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void tell(const char *label, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("  %-*s", LABEL, label);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
}

/* What a server said, and nothing in it that a terminal would obey. Until the next call. */
static const char *plain(struct weft_text text)
{
    static char line[PLAIN];
    return columns_plain(line, sizeof line, text.data, text.size);
}

/* Its text; "?" if that cannot be read. Until the next call. */
static const char *url_of(struct crawl *crawl, weft_crawl_id id, weft_crawl_id *from)
{
    size_t size;
    int err = weft_crawl_url(&crawl->state, id, crawl->text, WEFT_CRAWL_URL_MAX + 1, &size, from);
    return err == 0 ? crawl->text : "?";
}

static void tell_when(const struct weft_crawl_result *result)
{
    char text[32];
    struct tm parts;
    time_t when = (time_t)result->fetched;
    if (when == 0 || gmtime_r(&when, &parts) == NULL)
        return;
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    tell("when", "%s UTC, after %u request%s", text, result->attempts,
         result->attempts == 1 ? "" : "s");
}

/* ---- what became of it ---------------------------------------------------------------------- */

static void tell_saved(const struct weft_crawl_result *result)
{
    bool archived = archive_has_name(result->file);
    tell("file", "%s, %llu bytes", archived ? "in the archive" : plain(result->file),
         (unsigned long long)result->size);
    if (result->media_type.size > 0)
        tell("type", "%s", plain(result->media_type));
    if (result->http_status == 0)
        tell("note", "its file was there before the crawl");
}

/* Where it leads to, step by step; the last result stays in *result. */
static void tell_way_on(struct crawl *crawl, struct weft_crawl_result *result)
{
    for (unsigned hops = 0; hops < CRAWL_REDIRECTS && result->what == WEFT_CRAWL_MOVED; hops++) {
        weft_crawl_id to = result->redirect;
        if (to == 0) {
            tell("moved", "%d, not followed: %s", result->http_status, plain(result->note));
            return;
        }
        const char *fragment = plain(result->note);
        tell("moved", "%d, to %s%s", result->http_status, url_of(crawl, to, NULL), fragment);
        if (weft_crawl_result(&crawl->state, to, result) != 0)
            return;
    }
}

static const char *verdict_of(enum weft_crawl_what what)
{
    switch (what) {
    case WEFT_CRAWL_DONE:
    case WEFT_CRAWL_AGAIN:
        return "is saved";
    case WEFT_CRAWL_MOVED:
        return "leads to another URL";
    case WEFT_CRAWL_FAILED:
        return "failed";
    case WEFT_CRAWL_SKIPPED:
        return "was skipped";
    default:
        return "waits to be fetched";
    }
}

static bool is_saved(const struct weft_crawl_result *result)
{
    return result->what == WEFT_CRAWL_DONE || result->what == WEFT_CRAWL_AGAIN;
}

static int tell_result(struct crawl *crawl, weft_crawl_id id)
{
    struct weft_crawl_result result;
    int err = weft_crawl_result(&crawl->state, id, &result);
    if (err != 0) {
        complain("%s", weft_strerror(err));
        return WHY_NO_STATE;
    }
    printf("%s %s\n", crawl->link.href.data, verdict_of(result.what));
    bool moved = result.what == WEFT_CRAWL_MOVED;
    if (result.note.size > 0 && !moved)
        tell("why", "%s", plain(result.note));
    if (result.http_status != 0 && !moved)
        tell("answer", "%d", result.http_status);
    tell_when(&result);
    tell_way_on(crawl, &result);
    if (is_saved(&result))
        tell_saved(&result);
    else if (moved && result.what != WEFT_CRAWL_MOVED)
        tell("there", "%s", verdict_of(result.what));
    return is_saved(&result) ? WHY_SAVED : WHY_NOT;
}

/* ---- who led to it -------------------------------------------------------------------------- */

static void tell_way_here(struct crawl *crawl, weft_crawl_id id)
{
    weft_crawl_id from = 0, next;
    url_of(crawl, id, &from);
    tell("depth", "%u link%s from a start URL", weft_crawl_depth(&crawl->state, id),
         weft_crawl_depth(&crawl->state, id) == 1 ? "" : "s");
    if (from == 0)
        tell("found", "it is a start URL");
    for (unsigned steps = 0; from != 0 && steps < WAY_MOST; steps++, from = next) {
        next = 0;
        bool moved = weft_crawl_what(&crawl->state, from) == WEFT_CRAWL_MOVED;
        const char *url = url_of(crawl, from, &next);
        tell(steps == 0 ? "found" : "", "%s %s%s", moved ? "by a redirect of" : "on", url,
             next == 0 ? ", a start URL" : "");
    }
}

struct links {
    struct crawl *crawl;
    weft_crawl_id to, first; /* who was named already */
    unsigned count, named;
    weft_crawl_id before[LINKS_MOST];
};

static int see_edge(struct edge edge, void *context)
{
    struct links *links = context;
    bool new = edge.to == links->to &&edge.from != links->first &&edge.from != edge.to;
    for (unsigned i = 0; i < links->named && new; i++)
        new = links->before[i] != edge.from;
    if (!new)
        return 0;
    links->count++;
    if (links->named == LINKS_MOST)
        return 0;
    links->before[links->named++] = edge.from;
    tell(links->count == 1 ? "also" : "", "on %s", url_of(links->crawl, edge.from, NULL));
    return 0;
}

/* Only who keeps links (--report) knows more than the first. */
static void tell_links(struct crawl *crawl, weft_crawl_id id)
{
    struct links links = {.crawl = crawl, .to = id};
    if (!edges_exist(crawl->folder_path) ||
        edges_open(&crawl->edges, crawl->folder_path, crawl->state.known) != 0)
        return;
    url_of(crawl, id, &links.first);
    edges_each(&crawl->edges, see_edge, &links);
    if (links.count > links.named)
        tell("", "and more");
}

/* ---- one that is not known ------------------------------------------------------------------ */

/* What the user may have meant: with a slash or without, the other scheme. */
static void tell_similar(struct crawl *crawl)
{
    struct weft_text url = crawl->link.href;
    char *other = weft_alloc(url.size + 2);
    if (other == NULL)
        return;
    bool slash = url.data[url.size - 1] == '/', secure = weft_text_starts(url, "https:");
    const char *rest = url.data + (secure ? 5 : 4);
    for (unsigned i = 0; i < 2; i++) {
        if (i == 0 && slash)
            snprintf(other, url.size + 2, "%.*s", (int)url.size - 1, url.data);
        else if (i == 0)
            snprintf(other, url.size + 2, "%s/", url.data);
        else
            snprintf(other, url.size + 2, "%s%s", secure ? "http" : "https", rest);
        weft_crawl_id id = weft_crawl_find(&crawl->state, weft_text_of(other));
        if (id != 0)
            tell("similar", "%s is known, and %s", other,
                 verdict_of(weft_crawl_what(&crawl->state, id)));
    }
    weft_free(other);
}

static int add_start(struct weft_crawl *state, weft_crawl_id id, struct weft_text url,
                     const struct weft_crawl_result *result, void *context)
{
    struct crawl *crawl = context;
    (void)result;
    if (weft_crawl_depth(state, id) != 0)
        return 0;
    int err = weft_url_parse(&crawl->other, url, NULL);
    return err == 0 ? scope_add_start(&crawl->scope, &crawl->other) : err;
}

/* The rules of this command line, from where the crawl began. */
static enum scope_verdict ask_scope(struct crawl *crawl, const char *url, int *err)
{
    *err = crawl_open_scope(crawl);
    if (*err == 0)
        *err = crawl_recall_scope(crawl);
    if (*err == 0)
        *err = weft_crawl_each(&crawl->state, add_start, crawl);
    if (*err == 0)
        *err = parse(crawl, url); /* what it was parsed into is in use by others, too */
    return *err == 0 ? scope_check(&crawl->scope, &crawl->link, follow_is_requisite(&crawl->link))
                     : SCOPE_IN;
}

static void tell_robots(struct crawl *crawl)
{
    struct weft_robots robots = {0};
    char origin[400];
    snprintf(origin, sizeof origin, "%.*s", (int)crawl->link.path_begin, crawl->link.href.data);
    if (crawl->settings->no_robots)
        tell("robots", "nobody asks it");
    else if (!robots_recall(crawl, origin, &robots))
        tell("robots",
             "what it says today is not known: %s/robots.txt was not asked for, or too "
             "long ago",
             origin);
    else
        tell("robots", "%s",
             weft_robots_allows(&robots, weft_url_target(&crawl->link)) ? "allows it"
                                                                        : "forbids it");
    weft_robots_free(&robots);
}

static int tell_rules(struct crawl *crawl)
{
    int err;
    char traps[WHY_TRAPS];
    enum scope_verdict verdict = ask_scope(crawl, crawl->settings->why, &err);
    if (err == 0)
        err = why_traps(crawl, traps);
    if (err != 0)
        return err;
    if (verdict != SCOPE_IN)
        tell("rules", "a link to it would not be followed: %s", scope_reason(verdict));
    else
        tell("rules", "they have nothing against a link to it");
    if (!crawl_has_rules(crawl))
        tell("", "(the last run had others: give the options that it had, too)");
    tell("traps", "%s", traps);
    return 0;
}

static int tell_unknown(struct crawl *crawl)
{
    printf("%s is not known: no link to it was followed\n", crawl->link.href.data);
    tell_similar(crawl);
    int err = tell_rules(crawl);
    if (err != 0) {
        complain("%s", weft_strerror(err));
        return WHY_NO_STATE;
    }
    tell_robots(crawl);
    tell("nofollow", "%s",
         crawl->settings->no_robots ? "nobody heeds it"
                                    : "links to pages that say so are not followed");
    tell("nesting", "links are followed %s", crawl_nesting_text(crawl));
    return WHY_NOT;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static int open_state(struct crawl *crawl)
{
    char path[4096];
    const char *why = NULL;
    snprintf(path, sizeof path, "%s/.weft", crawl->folder_path);
    if (access(path, F_OK) != 0) {
        complain("there is no crawl in '%s': say with -o where it is", crawl->folder_path);
        return WHY_NO_STATE;
    }
    int err = weft_crawl_open(&crawl->state, crawl->folder_path, &why);
    if (err == UV_EBUSY)
        complain("a crawl in '%s' is under way: ask again when it has ended", crawl->folder_path);
    else if (err != 0)
        complain("%s", why != NULL ? why : weft_strerror(err));
    return err == 0 ? WHY_SAVED : WHY_NO_STATE;
}

static int answer(struct crawl *crawl)
{
    int err = parse(crawl, crawl->settings->why);
    if (err != 0) {
        complain("'%.200s' is no http or https URL", crawl->settings->why);
        return WHY_USAGE;
    }
    weft_crawl_id id = weft_crawl_find(&crawl->state, crawl->link.href);
    if (id == 0)
        return tell_unknown(crawl);
    int status = tell_result(crawl, id);
    tell_way_here(crawl, id);
    tell_links(crawl, id);
    return status;
}

int why_run(const struct settings *settings)
{
    static struct crawl crawl;
    crawl = (struct crawl){
        .settings = settings, .folder_path = settings->folder, .folder = SAVE_FOLDER_CLOSED};
    crawl.text = weft_alloc(WEFT_CRAWL_URL_MAX + 1);
    if (crawl.text == NULL)
        complain("%s", weft_strerror(UV_ENOMEM));
    crawl_set_agent(&crawl);
    int status = crawl.text == NULL ? WHY_NO_STATE : open_state(&crawl);
    if (status == WHY_SAVED)
        status = answer(&crawl);
    crawl_close(&crawl);
    return status;
}
