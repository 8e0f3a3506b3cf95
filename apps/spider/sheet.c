/* The page of a report: the files of apps/spider/page/, put together, and what happened in them.
 *
 * page.html is the frame; {{name}} in it stands for another file, and {{data}} for the data: one
 * object of JSON in a <script> that is not run, with nothing in it that ends it. What servers have
 * sent is in there as text, and page.js makes text of it again: none of it is ever read as HTML.
 *
 * Lists are cut to what somebody might read, so the page of a crawl of millions is a few megabytes;
 * where something was left out it says so. */
#include "spider/sheet.h"
#include "embedded.h"
#include "spider/crawl.h"
#include "spider/survey.h"
#include "template.h"
#include <inttypes.h>
#include <time.h>

struct sheet {
    struct crawl *crawl;
    const struct tally *tally;
    struct survey survey;
};

typedef void part_fn(const struct sheet *sheet, struct out *out);

static void put_number(struct out *out, uint64_t number)
{
    out_json_comma(out);
    out_format(out, "%" PRIu64, number);
}

static void put_url(struct out *out, struct weft_text url)
{
    out_json_comma(out);
    out_json_text(out, weft_text(url.data, url.size < SHEET_URL ? url.size : SHEET_URL));
}

static void put_url_of(const struct sheet *sheet, struct out *out, weft_crawl_id id)
{
    struct crawl *crawl = sheet->crawl;
    size_t size = 0;
    if (weft_crawl_url(&crawl->state, id, crawl->text, WEFT_CRAWL_URL_MAX + 1, &size, NULL) != 0)
        size = 0;
    put_url(out, weft_text(crawl->text, size));
}

static void open_list(struct out *out, const char *name)
{
    out_json_name(out, name);
    out_string(out, "[");
}

/* ---- the run -------------------------------------------------------------------------------- */

static void put_date(struct out *out, const char *name, time_t when)
{
    char text[32] = "";
    struct tm parts;
    if (gmtime_r(&when, &parts) != NULL)
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    out_json_member(out, name, weft_text_of(text));
}

static void put_run(const struct sheet *sheet, struct out *out)
{
    const struct crawl *crawl = sheet->crawl;
    const struct settings *settings = crawl->settings;
    out_json_member(out, "weft", weft_text_of(WEFT_VERSION_STRING));
    put_date(out, "ended", time(NULL));
    out_json_member(out, "why", weft_text_of(story_why(crawl)));
    out_json_member(out, "folder", weft_text_of(settings->folder));
    open_list(out, "urls");
    for (size_t i = 0; i < settings->urls_count && i < 10; i++)
        put_url(out, weft_text_of(settings->urls[i]));
    out_string(out, "]");
    out_json_number(out, "urls_count", (int64_t)settings->urls_count);
    if (!settings->endless)
        out_json_number(out, "nesting", settings->nesting);
    out_json_number(out, "concurrency", settings->concurrency);
}

static void put_figures(const struct sheet *sheet, struct out *out)
{
    const struct crawl *crawl = sheet->crawl;
    const uint32_t *counts = crawl->state.counts;
    const struct {
        const char *name;
        uint64_t value;
    } figures[] = {
        {"saved", crawl->saved},
        {"there", crawl->found - crawl->update.same},
        {"same", crawl->update.same},
        {"moved", crawl->moved},
        {"skipped", crawl->skipped},
        {"failed", crawl->failed},
        {"requests", sheet->tally->fetches},
        {"wire", crawl->story.wire},
        {"elapsed_ms", crawl->story.elapsed_ms},
        {"known", crawl->state.known},
        {"all_saved", (uint64_t)counts[WEFT_CRAWL_DONE] + counts[WEFT_CRAWL_AGAIN]},
        {"all_failed", counts[WEFT_CRAWL_FAILED]},
        {"waiting", (uint64_t)counts[WEFT_CRAWL_WAITING] + counts[WEFT_CRAWL_AGAIN]},
        {"half_us", tally_quantile(sheet->tally, 0.5)},
        {"most_us", tally_quantile(sheet->tally, 0.95)},
    };
    out_json_name(out, "figures");
    out_string(out, "{");
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        out_json_number(out, figures[i].name, (int64_t)figures[i].value);
    out_string(out, "}");
}

static void put_statuses(const struct sheet *sheet, struct out *out)
{
    open_list(out, "statuses");
    for (unsigned i = 0; i < TALLY_STATUSES; i++) {
        if (sheet->tally->statuses[i] == 0)
            continue;
        out_json_comma(out);
        out_format(out, "[%u,%" PRIu32 "]", i, sheet->tally->statuses[i]);
    }
    out_string(out, "]");
}

static void put_slices(const struct sheet *sheet, struct out *out)
{
    const struct tally *tally = sheet->tally;
    out_json_number(out, "slice_ms", (int64_t)tally->slice_ms);
    open_list(out, "slices");
    for (unsigned i = 0; i < tally->slices_used; i++) {
        const struct tally_slice *slice = &tally->slices[i];
        out_json_comma(out);
        out_format(out, "[%" PRIu32 ",%" PRIu32 ",%" PRIu64 "]", slice->answers, slice->errors,
                   slice->bytes);
    }
    out_string(out, "]");
    open_list(out, "rests");
    for (uint64_t i = 0; i < tally->rests_count && i < TALLY_RESTS; i++) {
        const struct tally_rest *rest = &tally->rests[i];
        out_json_comma(out);
        out_string(out, "[");
        put_url(out, weft_text_of(rest->host));
        put_number(out, rest->begin_ms);
        put_number(out, rest->end_ms);
        out_string(out, "]");
    }
    out_string(out, "]");
    out_json_number(out, "rests_count", (int64_t)tally->rests_count);
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void put_top(const struct sheet *sheet, struct out *out, const char *name,
                    const struct tally_top *top)
{
    open_list(out, name);
    for (unsigned i = 0; i < top->count; i++) {
        out_json_comma(out);
        out_string(out, "[");
        put_url_of(sheet, out, top->pages[i].id);
        put_number(out, (uint64_t)top->pages[i].http_status);
        put_number(out, top->pages[i].value);
        out_string(out, "]");
    }
    out_string(out, "]");
}

static void put_tops(const struct sheet *sheet, struct out *out)
{
    put_top(sheet, out, "slowest", &sheet->tally->slowest);
    put_top(sheet, out, "largest", &sheet->survey.largest);
    open_list(out, "types");
    for (unsigned i = 0; i < sheet->survey.types_count; i++) {
        const struct survey_type *type = &sheet->survey.types[i];
        out_json_comma(out);
        out_string(out, "[");
        put_url(out, weft_text_of(type->name));
        put_number(out, type->files);
        put_number(out, type->bytes);
        out_string(out, "]");
    }
    out_string(out, "]");
}

/* The reason as it was noted, or the answer if nothing was. */
static void put_target(const struct sheet *sheet, struct out *out, weft_crawl_id id)
{
    struct weft_crawl_result result;
    out_json_comma(out);
    out_string(out, "[");
    put_url_of(sheet, out, id);
    if (weft_crawl_result(&sheet->crawl->state, id, &result) != 0)
        result = (struct weft_crawl_result){0};
    put_number(out, (uint64_t)result.http_status);
    put_url(out, result.note);
    out_string(out, "]");
}

/* Targets once each, in the order in which they come up: which one it is is said by its place. */
static void put_targets(const struct sheet *sheet, struct out *out, struct table *places)
{
    const struct survey *survey = &sheet->survey;
    open_list(out, "targets");
    for (size_t i = 0; i < survey->broken_count; i++) {
        uint32_t *place = table_put(places, survey->broken[i].to, 0);
        if (place == NULL) {
            out->failed = true;
            break;
        }
        if (*place != TABLE_NONE)
            continue;
        *place = (uint32_t)(places->count - 1);
        put_target(sheet, out, survey->broken[i].to);
    }
    out_string(out, "]");
}

static void put_holders(const struct sheet *sheet, struct out *out, const struct table *places)
{
    const struct survey *survey = &sheet->survey;
    const struct edge *links = survey->broken;
    open_list(out, "pages");
    for (size_t i = 0; i < survey->broken_count;) {
        weft_crawl_id from = links[i].from;
        bool moved = weft_crawl_what(&sheet->crawl->state, from) == WEFT_CRAWL_MOVED;
        out_json_comma(out);
        out_string(out, "[");
        if (from == 0)
            put_url(out, weft_text(NULL, 0));
        else
            put_url_of(sheet, out, from);
        put_number(out, moved);
        for (; i < survey->broken_count && links[i].from == from; i++)
            put_number(out, table_get(places, links[i].to, 0));
        out_string(out, "]");
    }
    out_string(out, "]");
}

static void put_broken(const struct sheet *sheet, struct out *out)
{
    struct table places = {0};
    out_json_name(out, "broken");
    out_string(out, "{");
    out_json_number(out, "links", (int64_t)sheet->survey.broken_count);
    out_json_flag(out, "more", sheet->survey.broken_more);
    put_targets(sheet, out, &places);
    put_holders(sheet, out, &places);
    out_string(out, "}");
    table_free(&places);
}

/* parent, name, what, status; then all below, and what of it has no node. */
static void put_tree(const struct sheet *sheet, struct out *out)
{
    const struct tree *tree = &sheet->survey.tree;
    open_list(out, "tree");
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_node *node = &tree->nodes[i];
        out_json_comma(out);
        out_format(out, "[%d,", node->parent == TREE_NONE ? -1 : (int)node->parent);
        out_json_text(out, tree_name(tree, node));
        out_format(
            out, ",%d,%d,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64 "]",
            (int)node->what, node->http_status, node->all.urls, node->all.saved, node->all.failed,
            node->all.bytes, node->rest.urls, node->rest.bytes);
    }
    out_string(out, "]");
}

/* ---- frame ---------------------------------------------------------------------------------- */

static void put_data(const struct sheet *sheet, struct out *out)
{
    static part_fn *const parts[] = {put_run,  put_figures, put_statuses, put_slices,
                                     put_tops, put_broken,  put_tree};
    out_string(out, "{");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        parts[i](sheet, out);
        out_string(out, i + 1 < sizeof parts / sizeof *parts ? "\n" : "}");
    }
}

static void put_part(const void *context, struct weft_text name, struct out *out)
{
    if (weft_text_is(name, "data"))
        put_data(context, out);
}

int sheet_write(struct crawl *crawl, struct out *out)
{
    struct sheet sheet = {.crawl = crawl, .tally = crawl->story.tally};
    int err = survey_take(&sheet.survey, crawl);
    if (err == 0)
        template_write(out, spider_page, "page.html", put_part, &sheet);
    survey_free(&sheet.survey);
    return err == 0 && out->failed ? UV_ENOMEM : err;
}
