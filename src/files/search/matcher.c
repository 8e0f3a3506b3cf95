/* A matcher is one of two searches, chosen by what it is made for.
 *
 * One keyword whose case matters: a pair of its bytes (pair.h). Anything else: places where three bytes
 * fit (window.h), and there a walk down the tree of all keywords (automaton.h). Either looks at
 * many places at once and tries few; data that make it try many are read by the one way that is never
 * slow, the automaton's (or memmem's for one keyword): as soon as more was spent on tries than a fixed
 * number of times what was passed. That is the bound on the work, whatever data and keywords are.
 *
 * Keywords without letters are the same with and without case, and searched as they are, as long as
 * they are UTF-8: a byte that is no character is not to be found within one. */
#include "matcher.h"
#include "automaton.h"
#include "pair.h"
#include "window.h"
#include "spelling.h"
#include "ways.h"
#include "weft/alloc.h"
#include <uv.h>

enum { TRY_FACTOR = 4, TRY_CREDIT = 1024 };

struct matcher {
    enum matcher_way way;
    size_t reach;
    bool is_pair;
    struct pair pair;
    struct automaton automaton; /* this and the next: not if it is a pair */
    struct window window;
};

/* ---- making ---------------------------------------------------------------------------------- */

bool weft__matcher_can(enum matcher_way way)
{
#if WEFT_SEARCH_LANES
    if (way == MATCHER_AVX2)
        return __builtin_cpu_supports("avx2");
    if (way == MATCHER_SSSE3)
        return __builtin_cpu_supports("ssse3");
#endif
    return way == MATCHER_PLAIN;
}

static int check(const struct weft_text *keywords, size_t count)
{
    size_t size = 0;
    if (keywords == NULL || count == 0)
        return UV_EINVAL;
    if (count > MATCHER_KEYWORDS_MAX)
        return UV_E2BIG;
    for (size_t i = 0; i < count; i++) {
        if (keywords[i].size == 0)
            return UV_EINVAL;
        if (keywords[i].size > MATCHER_KEYWORD_SIZE_MAX)
            return UV_E2BIG;
        size += keywords[i].size;
    }
    return size <= MATCHER_SIZE_MAX ? 0 : UV_E2BIG;
}

/* Whether this keyword is found elsewhere too when case does not matter. */
static bool has_case(struct weft_text keyword)
{
    for (size_t at = 0; at < keyword.size;) {
        struct unit unit = weft__unit_read(keyword.data + at, keyword.size - at);
        uint32_t same[FOLD_CLASS_MAX];
        if (unit.code >= UNIT_STRAY || weft__fold_class(unit.code, same) > 1)
            return true;
        at += unit.size;
    }
    return false;
}

static size_t longest_spelling(struct weft_text keyword, bool folds)
{
    size_t size = 0;
    for (size_t at = 0; at < keyword.size;) {
        struct spellings all = weft__spellings_of(keyword.data + at, keyword.size - at, folds);
        size += all.longest;
        at += all.size;
    }
    return size;
}

static int prepare(struct matcher *matcher, const struct weft_text *keywords, size_t count,
                   bool ignore_case)
{
    bool folds = false;
    for (size_t i = 0; i < count; i++)
        folds = folds || (ignore_case && has_case(keywords[i]));
    for (size_t i = 0; i < count; i++) {
        size_t longest = longest_spelling(keywords[i], folds);
        matcher->reach = longest > matcher->reach ? longest : matcher->reach;
    }
    matcher->is_pair = count == 1 && !folds;
    if (matcher->is_pair)
        return weft__pair_make(&matcher->pair, keywords[0]);
    weft__window_make(&matcher->window, keywords, count, folds);
    return weft__automaton_make(&matcher->automaton, keywords, count, folds);
}

int weft__matcher_make_way(struct matcher **matcher, const struct weft_text *keywords, size_t count,
                           bool ignore_case, enum matcher_way way)
{
    struct matcher *made = NULL;
    int status = check(keywords, count);
    *matcher = NULL;
    if (status == 0 && !weft__matcher_can(way))
        status = UV_ENOTSUP;
    if (status == 0 && (made = weft_calloc(1, sizeof *made)) == NULL)
        status = UV_ENOMEM;
    if (status != 0)
        return status;
    made->way = way;
    if ((status = prepare(made, keywords, count, ignore_case)) != 0) {
        weft__matcher_free(made);
        return status;
    }
    *matcher = made;
    return 0;
}

int weft__matcher_make(struct matcher **matcher, const struct weft_text *keywords, size_t count,
                       bool ignore_case)
{
    enum matcher_way way = MATCHER_AVX2;
    while (!weft__matcher_can(way))
        way--;
    return weft__matcher_make_way(matcher, keywords, count, ignore_case, way);
}

void weft__matcher_free(struct matcher *matcher)
{
    if (matcher == NULL)
        return;
    weft__pair_close(&matcher->pair);
    weft__automaton_close(&matcher->automaton);
    weft_free(matcher);
}

size_t weft__matcher_reach(const struct matcher *matcher)
{
    return matcher->reach;
}

/* ---- finding --------------------------------------------------------------------------------- */

struct search {
    const struct matcher *matcher;
    struct weft_text data;
    size_t spent; /* on tries */
    struct found found;
    bool is; /* found */
};

/* Whether that is seen of a keyword which begins at data[at]. */
static bool is_seen(const struct window *window, const char *data, size_t at)
{
    uint32_t bytes = 0;
    data += at + window->offset;
    for (unsigned i = 0; i < window->size; i++)
        bytes |= (uint32_t)(unsigned char)data[i] << 8 * i;
    return window_seen(window, bytes);
}

/* Called by the search through the window; it ends with a match, and also when the automaton has read the
 * rest. */
bool weft__search_try(struct search *search, size_t at)
{
    const struct automaton *automaton = &search->matcher->automaton;
    struct weft_text data = search->data;
    if (!is_seen(&search->matcher->window, data.data, at))
        return false;
    if (automaton->folds && !weft__unit_begins(data.data, data.size, at))
        return false;
    if (search->spent > TRY_CREDIT + TRY_FACTOR * at) {
        search->is = weft__automaton_find(automaton, data, at, &search->found);
        return true;
    }
    search->is = weft__automaton_match(automaton, data, at, &search->found, &search->spent);
    return search->is;
}

static bool find_by_window(const struct matcher *matcher, const char *data, size_t size,
                           struct match *match)
{
    struct search search = {.matcher = matcher, .data = weft_text(data, size)};
    const struct window *window = &matcher->window;
    if (size <= window->offset)
        return false;
    const char *seen = data + window->offset;
    size_t seen_size = size - window->offset;
    switch (matcher->way) {
#if WEFT_SEARCH_LANES
    case MATCHER_AVX2:
        weft__window_find_avx2(window, seen, seen_size, &search);
        break;
    case MATCHER_SSSE3:
        weft__window_find_ssse3(window, seen, seen_size, &search);
        break;
#endif
    default:
        weft__window_find_plain(window, seen, seen_size, 0, &search);
    }
    if (search.is)
        *match = (struct match){data + search.found.start, search.found.end - search.found.start,
                                search.found.keyword};
    return search.is;
}

static bool find_pair(const struct matcher *matcher, const char *data, size_t size,
                      struct match *match)
{
    const struct pair *pair = &matcher->pair;
    const char *at;
    switch (matcher->way) {
#if WEFT_SEARCH_LANES
    case MATCHER_AVX2:
        at = weft__pair_find_avx2(pair, data, size);
        break;
    case MATCHER_SSSE3:
        at = weft__pair_find_ssse3(pair, data, size);
        break;
#endif
    default:
        at = weft__pair_find_plain(pair, data, size);
    }
    if (at != NULL)
        *match = (struct match){at, pair->keyword.size, 0};
    return at != NULL;
}

bool weft__matcher_find(const struct matcher *matcher, const char *data, size_t size,
                        struct match *match)
{
    return matcher->is_pair ? find_pair(matcher, data, size, match)
                            : find_by_window(matcher, data, size, match);
}
