/* Long stacks: the chain of ops, and the C stacks of where they were begun.
 *
 * A C stack is a sample, taken by a hook when a resource is begun and kept in a ring by its id. Ids
 * never repeat, so one that is over needs no cleaning up: its sample is found by nobody and is
 * overwritten in its turn.
 *
 * Why the unwind tables and not the frame pointers, which are quicker to follow: compilers leave
 * frame pointers out, and then the register holds anything. A walk would have to guess, or every
 * function of ours would pay for it. Tables are there on all common systems, tell the truth without
 * them, and say where they end. It is no signal handler in which they are read, so nothing forbids
 * it. */
#include "report.h"
#include "symbols.h"
#include "weft/alloc.h"
#include "weft/dump.h"
#include <string.h>
#include <unwind.h>

void weft_stack(const struct weft_op *op, FILE *to)
{
    enum { CHAIN = 100 };
    char line[1024];
    struct weft_words words = WORDS_TO_FILE(line, to);
    weft__say_chain(&words, op, CHAIN, true);
}

/* ---- samples -------------------------------------------------------------------------------- */

enum { SAMPLES = 256, FRAMES = 16, OURS = 10 /* at most so many before them are the library's */ };

struct sample {
    uint64_t id;
    const struct weft_site *site;
    uint32_t count;
    uintptr_t at[FRAMES + OURS];
};

struct weft_samples {
    struct weft_hook hook;
    unsigned every, left;
    uint32_t next;
    struct symbols symbols;
    struct sample ring[SAMPLES];
};

static _Unwind_Reason_Code walk_up(struct _Unwind_Context *context, void *data)
{
    struct sample *sample = data;
    uintptr_t at = _Unwind_GetIP(context);
    if (at == 0 || sample->count == FRAMES + OURS)
        return _URC_END_OF_STACK;
    sample->at[sample->count++] = at;
    return _URC_NO_REASON;
}

static void take_sample(struct weft_hook *hook, uint64_t id, const struct weft_site *site,
                        uint64_t parent, void *resource)
{
    (void)parent;
    (void)resource;
    struct weft_samples *samples = weft_owner(hook, struct weft_samples, hook);
    if (site == &weft__loop_site || --samples->left > 0)
        return;
    samples->left = samples->every;
    struct sample *sample = &samples->ring[samples->next++ % SAMPLES];
    sample->id = id;
    sample->site = site;
    sample->count = 0;
    _Unwind_Backtrace(walk_up, sample);
}

static void forget(struct weft_report *report)
{
    if (report->samples == NULL)
        return;
    weft_hook_remove(&report->samples->hook);
    weft__symbols_free(&report->samples->symbols);
    weft_free(report->samples);
    report->samples = NULL;
}

int weft_stacks_sample(struct weft_loop *loop, unsigned every)
{
    if (loop == NULL || loop->handles_ == NULL)
        return UV_EINVAL;
    RULE_THREAD(loop, &loop->root);
    struct weft_report *report = weft__report_of(loop);
    if (every == 0) {
        forget(report);
        return 0;
    }
    if (report->samples == NULL) {
        struct weft_samples *samples = weft_calloc(1, sizeof *samples);
        if (samples == NULL)
            return UV_ENOMEM;
        samples->hook.init = take_sample;
        samples->left = every;
        int err = weft_hook_enable(loop, &samples->hook);
        if (err != 0) {
            weft_free(samples);
            return err;
        }
        report->samples = samples;
    }
    report->samples->every = report->samples->left = every;
    return 0;
}

/* ---- telling them --------------------------------------------------------------------------- */

/* What is kept is where a call returns to: the call itself lies before that. */
static const char *name_at(struct weft_samples *samples, const struct sample *sample, uint32_t i)
{
    return weft__symbol(&samples->symbols, (weft_entry_fn *)(sample->at[i] - 1));
}

/* Compilers put something behind the names of parts and variants: f.part.0, f.constprop.0. */
static bool is_name_of(const char *name, const char *function)
{
    size_t length = strlen(function);
    return strncmp(name, function, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

static bool is_ours(const char *name)
{
    static const char *const ours[] = {"weft_", "tell_", "take_sample", "run_special"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        if (strncmp(name, ours[i], strlen(ours[i])) == 0)
            return true;
    }
    return false;
}

/* Where the caller's frames begin: with the function that the site names; if that was inlined, behind
 * those of ours that led here. */
static uint32_t first_of_caller(struct weft_samples *samples, const struct sample *sample)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < sample->count && i < OURS; i++) {
        if (is_name_of(name_at(samples, sample, i), sample->site->func))
            return i;
    }
    while (first < sample->count && first < OURS && is_ours(name_at(samples, sample, first)))
        first++;
    return first;
}

static void say_frames(struct weft_words *words, struct weft_samples *samples,
                       const struct sample *sample, size_t blanks)
{
    uint32_t first = first_of_caller(samples, sample);
    for (uint32_t i = first; i < sample->count && i < first + FRAMES; i++) {
        weft__say_blanks(words, blanks);
        weft__say(words, "in ");
        weft__say(words, name_at(samples, sample, i));
        weft__say_end(words);
    }
}

void weft__say_function(struct weft_words *words, weft_entry_fn *function)
{
    struct symbols symbols = {.count = 0};
    weft__say(words, weft__symbol(&symbols, function));
    weft__say(words, "()");
    weft__symbols_free(&symbols);
}

void weft__say_sample(struct weft_words *words, const struct weft_loop *loop, uint64_t id,
                      size_t blanks)
{
    struct weft_samples *samples = weft__report_of(loop)->samples;
    for (int i = 0; samples != NULL && i < SAMPLES; i++) {
        if (samples->ring[i].id == id)
            say_frames(words, samples, &samples->ring[i], blanks);
    }
}
