/* One walk over the state, and one over the links: what there is, and what of it is broken.
 *
 * The walk over the state marks what has failed, a bit for each URL. The walk over the links keeps
 * those that lead to one that is marked. Of what was found before links were kept, who linked to it
 * first is known all the same. */
#include "spider/survey.h"
#include "spider/crawl.h"
#include <stdlib.h>
#include <string.h>

/* ---- types ---------------------------------------------------------------------------------- */

/* "text/html" of "Text/HTML; charset=utf-8". */
static void type_of(struct weft_text field, char name[SURVEY_TYPE])
{
    struct weft_text type = weft_text_trim(weft_text_cut(&field, ';'));
    if (type.size == 0)
        type = weft_text_of("unknown");
    size_t size = type.size < SURVEY_TYPE ? type.size : SURVEY_TYPE - 1;
    for (size_t i = 0; i < size; i++)
        name[i] = weft_text_lower(type.data[i]);
    name[size] = '\0';
}

static void add_type(struct survey *survey, struct weft_text field, uint64_t size)
{
    char name[SURVEY_TYPE];
    unsigned i = 0;
    type_of(field, name);
    while (i < survey->types_count && strcmp(survey->types[i].name, name) != 0)
        i++;
    if (i >= SURVEY_TYPES - 1) {
        i = SURVEY_TYPES - 1;
        memcpy(name, "others", sizeof "others");
    }
    if (i >= survey->types_count) {
        survey->types_count = i + 1;
        memcpy(survey->types[i].name, name, sizeof name);
    }
    survey->types[i].files++;
    survey->types[i].bytes += size;
}

/* ---- what is broken ------------------------------------------------------------------------- */

static int add_broken(struct survey *survey, struct edge edge)
{
    if (survey->broken_count == SURVEY_BROKEN) {
        survey->broken_more = true;
        return 0;
    }
    struct edge *larger =
        grow(survey->broken, survey->broken_count, &survey->broken_room, sizeof *larger);
    if (larger == NULL)
        return UV_ENOMEM;
    survey->broken = larger;
    larger[survey->broken_count++] = edge;
    return 0;
}

static int see_edge(struct edge edge, void *context)
{
    struct survey *survey = context;
    bool failed = survey->failed_[edge.to / 8] >> edge.to % 8 & 1;
    return failed && edge.from != edge.to ? add_broken(survey, edge) : 0;
}

static int compare(const void *left, const void *right)
{
    const struct edge *one = left, *other = right;
    if (one->from != other->from)
        return one->from < other->from ? -1 : 1;
    return one->to < other->to ? -1 : one->to > other->to;
}

static void sort_broken(struct survey *survey)
{
    struct edge *links = survey->broken;
    size_t kept = 0;
    if (survey->broken_count > 0)
        qsort(links, survey->broken_count, sizeof *links, compare);
    for (size_t i = 0; i < survey->broken_count; i++) {
        if (kept == 0 || compare(&links[kept - 1], &links[i]) != 0)
            links[kept++] = links[i];
    }
    survey->broken_count = kept;
    if (kept > SURVEY_SHOWN) {
        survey->broken_count = SURVEY_SHOWN;
        survey->broken_more = true;
    }
}

/* ---- the walk ------------------------------------------------------------------------------- */

struct walk {
    struct survey *survey;
    struct crawl *crawl;
};

/* Who linked to it first may not do so any more: where links are kept, those tell. But of redirects from before
 * they were kept only the state knows. */
static bool is_told_by_edges(const struct crawl *crawl, weft_crawl_id from)
{
    return from != 0 && crawl->edges.open_ &&
           weft_crawl_what(&crawl->state, from) != WEFT_CRAWL_MOVED;
}

static int note_failed(struct walk *walk, weft_crawl_id id)
{
    struct crawl *crawl = walk->crawl;
    weft_crawl_id from;
    size_t size;
    walk->survey->failed_[id / 8] |= (uint8_t)(1u << id % 8);
    int err = weft_crawl_url(&crawl->state, id, crawl->text, WEFT_CRAWL_URL_MAX + 1, &size, &from);
    if (err != 0 || from == id || is_told_by_edges(crawl, from))
        return err;
    return add_broken(walk->survey, (struct edge){from, id});
}

static int see(struct weft_crawl *state, weft_crawl_id id, struct weft_text url,
               const struct weft_crawl_result *result, void *context)
{
    struct walk *walk = context;
    struct survey *survey = walk->survey;
    struct weft_url *parsed = &walk->crawl->other;
    int err = weft_url_parse(parsed, url, NULL);
    if (err == 0)
        err = tree_add(&survey->tree, state, parsed, result);
    if (err == 0 && (result->what == WEFT_CRAWL_DONE || result->what == WEFT_CRAWL_AGAIN)) {
        add_type(survey, result->media_type, result->size);
        tally_top_add(&survey->largest, id, result->http_status, result->size);
    }
    if (err == 0 && result->what == WEFT_CRAWL_FAILED)
        err = note_failed(walk, id);
    return err;
}

int survey_take(struct survey *survey, struct crawl *crawl)
{
    struct walk walk = {survey, crawl};
    survey->failed_ = weft_calloc((size_t)crawl->state.known / 8 + 1, 1);
    int err = survey->failed_ == NULL ? UV_ENOMEM : 0;
    if (err == 0)
        err = weft_crawl_each(&crawl->state, see, &walk);
    if (err == 0)
        err = edges_each(&crawl->edges, see_edge, survey);
    sort_broken(survey);
    return err;
}

void survey_free(struct survey *survey)
{
    tree_free(&survey->tree);
    weft_free(survey->broken);
    weft_free(survey->failed_);
    *survey = (struct survey){0};
}
