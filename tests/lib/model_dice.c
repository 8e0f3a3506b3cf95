/* Dice, and the record of what they gave.
 *
 * A draw is recorded as a number for which 0 is the simplest that could have come: the lowest, or
 * "no". So a record can be made simpler without knowing what was drawn for what: by numbers that
 * are left out, and by lower ones. A replay that has no more numbers gets 0. */
#include "model_record.h"
#include "core/op.h"
#include "core/sim.h"
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

struct schedule schedule;
struct record *model_record;

/* ---- what is told --------------------------------------------------------------------------- */

void model_tell(const char *format, ...)
{
    if (model_record == NULL || !model_record->telling)
        return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "  %5" PRIu64 "  ", schedule.steps);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

void model_tell_next(const struct world *w)
{
    const struct weft_op *next = w->loop.ready_;
    if (next == NULL)
        model_tell("the loop waits");
    else
        model_tell("the loop %s %s of %s:%d, status %d",
                   next->state_ == OP_READY ? "delivers" : "begins", next->site_->type,
                   file_name(next->site_->file), next->site_->line, next->status);
}

/* The line of the source that stands there; it says best what was drawn. */
static void source_line(struct model_place place, char *line, int size)
{
    FILE *file = fopen(place.file, "r");
    line[0] = '\0';
    for (int i = 0; file != NULL && i < place.line; i++) {
        if (fgets(line, size, file) == NULL)
            line[0] = '\0';
    }
    if (file != NULL)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
    size_t indent = strspn(line, " \t");
    memmove(line, line + indent, strlen(line + indent) + 1);
}

/* What came out as simple as it could is left out: it is most of a shrunk schedule. */
static void tell_draw(struct model_place place, bool simplest, int64_t number)
{
    if (simplest || model_record == NULL || !model_record->telling)
        return;
    char line[200];
    source_line(place, line, sizeof line);
    model_tell("%s:%d drew %" PRId64 ": %s", file_name(place.file), place.line, number, line);
}

/* ---- draws ---------------------------------------------------------------------------------- */

/* drawn, below limit, or what is played instead of it. */
static uint64_t recorded(uint64_t drawn, uint64_t limit)
{
    struct record *record = model_record;
    if (record == NULL)
        return drawn;
    size_t at = record->made.count++;
    if (record->playing) {
        uint64_t played = at < record->played.count ? record->played.values[at] : 0;
        drawn = limit != 0 ? played % limit : 0;
    }
    if (at < MODEL_DRAWS)
        record->made.values[at] = drawn;
    record->schedule = schedule;
    return drawn;
}

static uint64_t below(struct dice *dice, uint64_t limit)
{
    uint64_t number = weft__random(&dice->state);
    return limit != 0 ? number % limit : 0;
}

uint64_t model_roll(struct dice *dice, uint64_t limit, struct model_place place)
{
    uint64_t number = recorded(below(dice, limit), limit);
    tell_draw(place, number == 0, (int64_t)number);
    return number;
}

bool model_chance(struct dice *dice, unsigned one_in, struct model_place place)
{
    bool taken = recorded(below(dice, one_in) == 0, 2);
    tell_draw(place, !taken, 1);
    return taken;
}

int64_t model_between(struct dice *dice, int64_t low, int64_t high, struct model_place place)
{
    uint64_t limit = (uint64_t)(high - low + 1);
    int64_t number = low + (int64_t)recorded(below(dice, limit), limit);
    tell_draw(place, number == low, number);
    return number;
}

/* ---- schedules ------------------------------------------------------------------------------ */

/* Small seeds are spread, so that neighbours (a torture's) do not repeat each other's schedules. */
uint64_t model_first_seed(void)
{
    uint64_t seed = check_seed();
    return seed < UINT64_C(1) << 32 ? seed << 32 : seed;
}

void model_begin(const char *model, uint64_t seed)
{
    schedule = (struct schedule){.model = model, .seed = seed};
    if (model_record == NULL)
        return;
    model_record->schedule = schedule;
    model_record->made.count = 0;
}

void model_disagrees(const char *condition, const char *file, int line)
{
    struct record *record = model_record;
    if (record == NULL || !record->in_child || record->telling)
        print_error("the %s and its model disagree after %" PRIu64 " steps of WEFT_SEED=%" PRIu64
                    ": %s\n",
                    schedule.model, schedule.steps, schedule.seed, condition);
    if (record != NULL && record->telling) {
        fprintf(stderr, "what there is at that moment:\n");
        weft_dump(&record->world->loop, stderr);
    }
    if (record == NULL || !record->in_child) {
        _fail(file, line);
        return;
    }
    record->schedule = schedule;
    snprintf(record->why, sizeof record->why, "%s (%s:%d)", condition, file, line);
    _exit(MODEL_DISAGREED);
}
