/* ctest: labels=model,stress timeout=300 shuffle=no */
/* A state and a naive model of it, through the same random calls: with commits, with openings in
 * between, and with processes that are killed at any moment, also in the middle of a commit. What
 * they had reported is there when the state is opened again; the one call that was under way may
 * have happened or not. */
#include "kit.h"
#include "model.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

enum { URLS = 150, KEYS = 8, TEXT = 40 };

/* ---- the model ------------------------------------------------------------------------------ */

struct page {
    char url[TEXT], file[TEXT];
    unsigned depth, what, attempts, referrer;
};

struct model {
    unsigned known;
    struct page pages[URLS + 1]; /* by number */
    char things[KEYS][TEXT];
};

/* One call, drawn without a look at the state. */
struct call {
    unsigned kind, which, number;
};

static struct call draw(struct dice *dice)
{
    struct call call;
    call.kind = (unsigned)roll(dice, 10);
    call.which = (unsigned)roll(dice, URLS);
    call.number = (unsigned)roll(dice, 1000);
    return call;
}

static void url_of(char url[TEXT], unsigned which)
{
    snprintf(url, TEXT, "http://host-%u/%0*u", which % 7, 1 + (int)which % 20, which);
}

static unsigned model_find(const struct model *model, const char *url)
{
    for (unsigned id = 1; id <= model->known; id++) {
        if (strcmp(model->pages[id].url, url) == 0)
            return id;
    }
    return 0;
}

static int model_see(struct model *model, struct call call)
{
    char url[TEXT];
    url_of(url, call.which);
    unsigned id = model_find(model, url);
    if (id == 0) {
        struct page *page = &model->pages[++model->known];
        *page = (struct page){
            .depth = call.number, .what = WEFT_CRAWL_WAITING, .referrer = call.number / 10};
        memcpy(page->url, url, TEXT);
        return WEFT_CRAWL_NEW;
    }
    if (call.number >= model->pages[id].depth)
        return WEFT_CRAWL_KNOWN;
    model->pages[id].depth = call.number;
    return WEFT_CRAWL_NEARER;
}

/* What the call does to the model, and what it returns. */
static int model_call(struct model *model, struct call call)
{
    unsigned id = model->known > 0 ? 1 + call.which % model->known : 0;
    struct page *page = &model->pages[id];
    if (call.kind < 5)
        return model_see(model, call);
    if (call.kind < 9 && id == 0)
        return UV_EINVAL;
    if (call.kind < 7) {
        page->what = 1 + call.number % 6;
        page->attempts = call.number;
        snprintf(page->file, TEXT, "file-%u", call.number);
    } else if (call.kind < 9) {
        page->what = 1 + call.number % 6;
    } else if (call.number % 5 == 0) {
        model->things[call.which % KEYS][0] = '\0';
    } else {
        snprintf(model->things[call.which % KEYS], TEXT, "value-%u", call.number);
    }
    return 0;
}

/* The same call on the state itself; id is what the model makes of it. */
static int real_call(struct weft_crawl *crawl, struct call call)
{
    char text[TEXT], key[TEXT];
    weft_crawl_id id = crawl->known > 0 ? 1 + call.which % crawl->known : 0;
    if (call.kind < 5) {
        url_of(text, call.which);
        return weft_crawl_see(crawl, T(text), call.number, call.number / 10, NULL);
    }
    enum weft_crawl_what what = (enum weft_crawl_what)(1 + call.number % 6);
    if (call.kind < 7) {
        snprintf(text, TEXT, "file-%u", call.number);
        struct weft_crawl_result result = {.what = what, .attempts = call.number, .file = T(text)};
        return weft_crawl_settle(crawl, id, &result);
    }
    if (call.kind < 9)
        return weft_crawl_set(crawl, id, what);
    snprintf(key, TEXT, "key-%u", call.which % KEYS);
    snprintf(text, TEXT, "value-%u", call.number);
    return weft_crawl_put(crawl, T(key), T(call.number % 5 == 0 ? "" : text));
}

/* ---- do they agree? ------------------------------------------------------------------------- */

static bool page_agrees(struct weft_crawl *crawl, weft_crawl_id id, const struct page *page)
{
    struct weft_crawl_result result;
    char url[TEXT];
    weft_crawl_id referrer;
    return weft_crawl_url(crawl, id, url, sizeof url, NULL, &referrer) == 0 &&
           strcmp(url, page->url) == 0 && referrer == page->referrer &&
           weft_crawl_find(crawl, T(url)) == id && weft_crawl_depth(crawl, id) == page->depth &&
           weft_crawl_what(crawl, id) == (enum weft_crawl_what)page->what &&
           weft_crawl_result(crawl, id, &result) == 0 &&
           result.what == (enum weft_crawl_what)page->what && result.attempts == page->attempts &&
           weft_text_is(result.file, page->file);
}

static bool agrees(struct weft_crawl *crawl, const struct model *model)
{
    uint32_t counts[WEFT_CRAWL_SKIPPED + 1] = {0};
    if (crawl->known != model->known)
        return false;
    for (unsigned id = 1; id <= model->known; id++) {
        counts[model->pages[id].what]++;
        if (!page_agrees(crawl, id, &model->pages[id]))
            return false;
    }
    for (unsigned i = 0; i < KEYS; i++) {
        struct weft_text value;
        char key[TEXT];
        snprintf(key, TEXT, "key-%u", i);
        if (weft_crawl_get(crawl, T(key), &value) != 0 || !weft_text_is(value, model->things[i]))
            return false;
    }
    return memcmp(counts, crawl->counts, sizeof counts) == 0;
}

/* ---- in one process ------------------------------------------------------------------------- */

/* Each one is shown once, in order, as the model knows it. */
struct shown {
    const struct model *model;
    weft_crawl_id last;
};

static int is_known(struct weft_crawl *crawl, weft_crawl_id id, struct weft_text url,
                    const struct weft_crawl_result *result, void *context)
{
    struct shown *shown = context;
    (void)crawl;
    agree(id == ++shown->last);
    agree(weft_text_is(url, shown->model->pages[id].url));
    agree(result->what == (enum weft_crawl_what)shown->model->pages[id].what);
    return 0;
}

static void reopen(struct weft_crawl *crawl, const char *folder, const struct model *model)
{
    struct shown shown = {.model = model};
    agree(weft_crawl_close(crawl) == 0);
    agree(weft_crawl_open(crawl, folder, NULL) == 0);
    agree(weft_crawl_each(crawl, is_known, &shown) == 0);
    agree(shown.last == model->known);
}

static void run_schedule(uint64_t seed)
{
    static struct model model;
    struct weft_crawl crawl = {0};
    struct dice dice = {seed};
    struct weft_crawl_commit commit = {0};
    char folder[SCRATCH_PATH];
    struct world w;
    bool committing = false;
    memset(&model, 0, sizeof model);
    model_begin("crawl", seed);
    agree(weft_crawl_open(&crawl, kit_folder(folder), NULL) == 0);
    world_up(&w);
    for (uint64_t left = 50 + roll(&dice, 400); left > 0; left--, schedule.steps++) {
        struct call call = draw(&dice);
        agree(real_call(&crawl, call) == model_call(&model, call));
        if (committing ? chance(&dice, 5) : chance(&dice, 30)) {
            if (!committing)
                weft_crawl_commit(weft_root(&w.loop), &commit, &crawl, noted);
            else
                agree(world_run(&w) == 0 && seen.status == 0);
            committing = !committing;
        } else if (!committing && chance(&dice, 60)) {
            reopen(&crawl, folder, &model);
        }
        if (chance(&dice, 40))
            agree(agrees(&crawl, &model));
    }
    world_down(&w);
    agree(agrees(&crawl, &model));
    reopen(&crawl, folder, &model);
    agree(agrees(&crawl, &model));
    agree(weft_crawl_close(&crawl) == 0);
    scratch_empty();
}

TEST(a_state_does_what_a_simple_model_does)
{
    for (uint64_t i = 0; i < check_scale(200); i++)
        run_schedule(model_first_seed() + i);
}

/* ---- and killed ----------------------------------------------------------------------------- */

/* The child: calls and commits, without end. After each call it says so. */
static void live(const char *folder, struct dice dice, int report)
{
    struct weft_crawl crawl = {0};
    struct weft_crawl_commit commit = {0};
    struct world w;
    if (weft_crawl_open(&crawl, folder, NULL) != 0)
        _exit(1);
    world_up(&w);
    for (;;) {
        struct call call = draw(&dice);
        if (real_call(&crawl, call) < 0 && crawl.known > 0)
            _exit(2);
        if (write(report, "", 1) != 1)
            _exit(3);
        if (weft_running(weft_root(&w.loop)) == 0 && call.number % 7 == 0)
            weft_crawl_commit(weft_root(&w.loop), &commit, &crawl, noted);
        if (call.number % 11 == 0 && (world_run(&w) != 0 || seen.status < 0))
            _exit(4);
    }
}

/* How many bytes come through until the other end is gone. The child is killed after some. */
static unsigned count_calls(int pipe, pid_t child, unsigned limit, unsigned delay_us)
{
    unsigned calls = 0;
    bool killed = false;
    char bytes[64];
    for (;;) {
        ssize_t got = read(pipe, bytes, sizeof bytes);
        if (got <= 0)
            return calls;
        calls += (unsigned)got;
        if (calls >= limit && !killed) {
            if (delay_us > 0)
                usleep(delay_us);
            kill(child, SIGKILL);
            killed = true;
        }
    }
}

/* A life that ends by a kill; the number of calls that it reported. */
static unsigned live_and_die(const char *folder, struct dice *dice)
{
    int ends[2], status;
    unsigned limit = 1 + (unsigned)roll(dice, 300), delay_us = (unsigned)roll(dice, 1500);
    agree(pipe(ends) == 0);
    pid_t child = fork();
    agree(child >= 0);
    if (child == 0) {
        close(ends[0]);
        live(folder, *dice, ends[1]);
    }
    close(ends[1]);
    unsigned calls = count_calls(ends[0], child, limit, delay_us);
    close(ends[0]);
    agree(waitpid(child, &status, 0) == child);
    agree(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    return calls;
}

static void run_lives(uint64_t seed, unsigned lives)
{
    static struct model model, next;
    struct dice dice = {seed};
    char folder[SCRATCH_PATH];
    memset(&model, 0, sizeof model);
    model_begin("killed crawl", seed);
    kit_folder(folder);
    for (; lives > 0; lives--) {
        struct weft_crawl crawl = {0};
        struct dice its = {roll(&dice, UINT64_MAX)};
        /* The child draws from where this leaves its dice. */
        unsigned calls = live_and_die(folder, &its);
        for (unsigned i = 0; i < calls; i++, schedule.steps++)
            model_call(&model, draw(&its));
        next = model;
        model_call(&next, draw(&its));
        agree(weft_crawl_open(&crawl, folder, NULL) == 0);
        if (!agrees(&crawl, &model)) {
            agree(agrees(&crawl, &next));
            model = next;
        }
        agree(weft_crawl_close(&crawl) == 0);
    }
    scratch_empty();
}

TEST(a_process_that_is_killed_loses_nothing_that_it_reported)
{
    for (uint64_t i = 0; i < check_scale(6); i++)
        run_lives(model_first_seed() + i, 8);
}
