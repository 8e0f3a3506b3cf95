/* What the importers of Trace Event files need, held against a file: see valid_trace. */
#ifndef TESTS_TRACE_VALID_H
#define TESTS_TRACE_VALID_H

#include "check.h"
#include "json.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of one resource. */
struct life {
    uint64_t id;
    const struct json *begin;
    bool ended, flow_out, flow_in, ran;
};

enum { VALID_THREADS = 256, VALID_DEPTH = 256 };

struct lane {
    long tid;
    bool named;
    int depth;
    struct {
        int64_t begin, end;
        uint64_t id;
    } open[VALID_DEPTH];
};

struct valid {
    struct json *all;
    const struct json *events;
    struct life *lives; /* a hash table */
    size_t room;
    struct lane lanes[VALID_THREADS];
    size_t lane_count;
    int64_t last_ns;
    /* what it found */
    size_t begins, ends, calls, work, flows, turns, awaits, processes;
    uint64_t kept, lost, unfinished;
};

#define VALID(holds, event, text)                                                                  \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            print_error("%s: ph %s, id %s, name %s\n", text, json_text(event, "ph").data,          \
                        json_text(event, "id").data, json_text(event, "name").data);               \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

static inline double valid_number(const struct json *object, const char *name)
{
    const struct json *number = json_get(object, name);
    VALID(number != NULL && number->kind == JSON_NUMBER, object, name);
    return number->number;
}

static inline int64_t valid_ns(const struct json *event, const char *name)
{
    return (int64_t)(valid_number(event, name) * 1000 + 0.5);
}

static inline uint64_t valid_id(const struct json *object, const char *name)
{
    const char *text = json_text(object, name).data;
    VALID(text != NULL && strncmp(text, "0x", 2) == 0, object, "there is no id");
    return strtoull(text, NULL, 16);
}

static inline struct life *valid_life(struct valid *valid, uint64_t id)
{
    size_t at = (size_t)(id * 0x9e3779b97f4a7c15U >> 40) % valid->room;
    while (valid->lives[at].id != 0 && valid->lives[at].id != id)
        at = (at + 1) % valid->room;
    return &valid->lives[at];
}

static inline struct lane *valid_lane(struct valid *valid, const struct json *event)
{
    long tid = (long)valid_number(event, "tid");
    for (size_t i = 0; i < valid->lane_count; i++) {
        if (valid->lanes[i].tid == tid)
            return &valid->lanes[i];
    }
    assert_true(valid->lane_count < VALID_THREADS);
    valid->lanes[valid->lane_count] = (struct lane){.tid = tid};
    return &valid->lanes[valid->lane_count++];
}

static inline void valid_begin(struct valid *valid, const struct json *event)
{
    struct life *life = valid_life(valid, valid_id(event, "id"));
    VALID(life->id == 0, event, "an id is used twice");
    const struct json *args = json_get(event, "args");
    *life = (struct life){.id = valid_id(event, "id"), .begin = event};
    valid_id(args, "parent");
    const struct json *handle = json_get(args, "handle");
    VALID(handle == NULL || handle->kind == JSON_BOOL, event, "handle is true or is not there");
    if (json_get(args, "for") != NULL) {
        VALID(valid_id(args, "for") != 0, event, "it waits for nothing");
        valid->awaits++;
    }
    valid->begins++;
}

static inline void valid_end(struct valid *valid, const struct json *event)
{
    struct life *life = valid_life(valid, valid_id(event, "id"));
    VALID(life->id != 0, event, "an end without a begin");
    VALID(!life->ended, event, "it ends twice");
    VALID(weft_text_equal(json_text(life->begin, "cat"), json_text(event, "cat")) &&
              weft_text_equal(json_text(life->begin, "name"), json_text(event, "name")),
          event, "an end that looks different from its begin");
    VALID(valid_ns(event, "ts") >= valid_ns(life->begin, "ts"), event, "an end before its begin");
    life->ended = true;
    valid->ends++;
}

static inline void valid_turn(struct valid *valid, const struct json *event)
{
    struct life *life = valid_life(valid, valid_id(event, "id"));
    VALID(life->id != 0 && !life->ended, event, "the turn of nobody");
    VALID(weft_text_equal(json_text(life->begin, "cat"), json_text(event, "cat")) &&
              weft_text_equal(json_text(life->begin, "name"), json_text(event, "name")),
          event, "a turn that looks different from its begin");
    valid_id(json_get(event, "args"), "queue");
    valid->turns++;
}

static inline void valid_call(struct valid *valid, const struct json *event)
{
    struct lane *lane = valid_lane(valid, event);
    int64_t begin = valid_ns(event, "ts"), end = begin + valid_ns(event, "dur");
    uint64_t id = valid_id(json_get(event, "args"), "id");
    struct life *life = valid_life(valid, id);
    VALID(life->id != 0, event, "a callback of nobody");
    VALID(!life->ended, event, "a callback after the end");
    VALID(weft_text_equal(json_text(life->begin, "name"), json_text(event, "name")), event,
          "a callback with another name");
    VALID(json_text(json_get(event, "args"), "entry").size > 0, event, "no entry");
    while (lane->depth > 0 && lane->open[lane->depth - 1].end <= begin)
        lane->depth--;
    VALID(lane->depth == 0 || end <= lane->open[lane->depth - 1].end, event, "does not nest");
    assert_true(lane->depth < VALID_DEPTH);
    lane->open[lane->depth].begin = begin;
    lane->open[lane->depth].end = end;
    lane->open[lane->depth++].id = id;
    life->ran = true;
    valid->calls++;
    if (json_get(json_get(event, "args"), "work") != NULL) {
        VALID(weft_text_is(json_text(event, "cat"), "thread"), event, "work of another group");
        VALID(json_get(json_get(event, "args"), "status") == NULL, event, "work with a status");
        valid->work++;
    }
}

static inline void valid_flow(struct valid *valid, const struct json *event, bool out)
{
    struct lane *lane = valid_lane(valid, event);
    struct life *life = valid_life(valid, valid_id(event, "id"));
    int64_t now = valid_ns(event, "ts");
    VALID(life->id != 0, event, "a flow of nobody");
    VALID(weft_text_is(json_text(event, "cat"), "cause"), event, "a flow's category");
    while (lane->depth > 0 && lane->open[lane->depth - 1].end < now)
        lane->depth--;
    VALID(lane->depth > 0, event, "a flow outside of any callback");
    if (out) {
        VALID(!life->flow_out, event, "a flow that begins twice");
        life->flow_out = true;
        return;
    }
    VALID(life->flow_out && !life->flow_in, event, "a flow that ends but did not begin");
    VALID(weft_text_is(json_text(event, "bp"), "e"), event, "a flow that is bound to nothing");
    VALID(lane->open[lane->depth - 1].begin == now &&
              lane->open[lane->depth - 1].id == valid_id(event, "id"),
          event, "a flow that ends at no callback of its own");
    life->flow_in = true;
    valid->flows++;
}

static inline void valid_name(struct valid *valid, const struct json *event)
{
    VALID(json_text(json_get(event, "args"), "name").size > 0, event, "a name that is none");
    if (weft_text_is(json_text(event, "name"), "process_name"))
        valid->processes++;
    else if (weft_text_is(json_text(event, "name"), "thread_name"))
        valid_lane(valid, event)->named = true;
    else
        VALID(false, event, "an unknown name");
}

static inline void valid_event(struct valid *valid, const struct json *event, double pid)
{
    struct weft_text phase = json_text(event, "ph");
    VALID(phase.size == 1, event, "a phase has one letter");
    VALID(valid_number(event, "pid") == pid, event, "one process");
    int64_t now = valid_ns(event, "ts");
    valid_lane(valid, event);
    VALID(now >= valid->last_ns, event, "time goes back");
    valid->last_ns = now;
    switch (phase.data[0]) {
    case 'M':
        valid_name(valid, event);
        break;
    case 'b':
        valid_begin(valid, event);
        break;
    case 'e':
        valid_end(valid, event);
        break;
    case 'n':
        valid_turn(valid, event);
        break;
    case 'X':
        valid_call(valid, event);
        break;
    case 's':
    case 'f':
        valid_flow(valid, event, phase.data[0] == 's');
        break;
    default:
        VALID(false, event, "an unknown phase");
    }
}

/* Of the file at path: every rule holds. Free it with valid_free. */
static inline struct valid *valid_trace(const char *path)
{
    struct valid *valid = calloc(1, sizeof *valid);
    assert_non_null(valid);
    valid->all = json_load(path);
    assert_non_null(valid->all);
    assert_true(weft_text_is(json_text(valid->all, "displayTimeUnit"), "ns"));
    valid->events = json_get(valid->all, "traceEvents");
    assert_non_null(valid->events);
    valid->room = 2 * valid->events->count + 1;
    valid->lives = calloc(valid->room, sizeof *valid->lives);
    double pid = valid_number(valid->events->first, "pid");
    for (const struct json *it = valid->events->first; it != NULL; it = it->next)
        valid_event(valid, it, pid);
    for (size_t i = 0; i < valid->room; i++)
        assert_true(valid->lives[i].flow_out == valid->lives[i].flow_in);
    assert_int_equal(valid->processes, 1);
    bool empty = valid->begins == 0;
    for (size_t i = 0; i < valid->lane_count; i++)
        assert_true(valid->lanes[i].named || empty);
    const struct json *other = json_get(valid->all, "otherData");
    valid->kept = (uint64_t)valid_number(other, "events");
    valid->lost = (uint64_t)valid_number(other, "lost");
    valid->unfinished = (uint64_t)valid_number(other, "unfinished");
    assert_int_equal(valid->unfinished, valid->begins - valid->ends);
    assert_true(valid->kept >= valid->begins + valid->ends + valid->calls + valid->turns);
    return valid;
}

static inline void valid_free(struct valid *valid)
{
    json_free(valid->all);
    free(valid->lives);
    free(valid);
}

/* The first event with this phase and name; NULL: there is none. */
static inline const struct json *valid_find(const struct valid *valid, const char *phase,
                                            const char *name)
{
    for (const struct json *it = valid->events->first; it != NULL; it = it->next) {
        if (weft_text_is(json_text(it, "ph"), phase) && weft_text_is(json_text(it, "name"), name))
            return it;
    }
    return NULL;
}

#endif
