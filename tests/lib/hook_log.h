/* tests/lib/hook_log.h: a hook that writes down what it is told.
 *
 *     struct hook_log log;
 *     hook_log_init(&log);
 *     weft_hook_enable(&w.loop, &log.hook);
 *     weft_tick(root, &op, noted);
 *     ...
 *     told(&log, "init:tick<loop pre:tick post:tick destroy:tick ");
 *
 * Resources go by the name of their type; the second one of a type that the log sees is tick2. It
 * checks on the way what holds for every hook at every moment: init comes first and destroy last and
 * once, pre and post are nested, a request has one pair at most, a parent is known, and an id is
 * never seen twice. What it is told of the loop itself it leaves out, but for the parent of others;
 * hook_log_of_loop is for those who want to know that too. */
#ifndef TESTS_HOOK_LOG_H
#define TESTS_HOOK_LOG_H

#include "loop.h"
#include <weft/hook.h>

enum { HOOK_LOG_RESOURCES = 256, HOOK_LOG_DEPTH = 64 };

struct hook_log {
    struct weft_hook hook;
    char text[16384];
    struct hook_log_resource {
        uint64_t id, parent;
        char name[48];
        const struct weft_site *site;
        void *resource;
        unsigned pairs;
        bool over;
    } resources[HOOK_LOG_RESOURCES];
    unsigned count, inits, pres, posts, destroys; /* count: of resources */
    uint64_t running[HOOK_LOG_DEPTH];             /* those between their pre and their post */
    unsigned depth;
    weft_entry_fn *entry;            /* of the last pre */
    int outcome;                     /* of the last post */
    uint64_t current_id, trigger_id; /* what weft_current_id and weft_trigger_id said in init */
    bool paused;                     /* write nothing down, check all the same */
};

void hook_log_init(struct hook_log *log);
/* The same, told of the loop as well. */
void hook_log_of_loop(struct hook_log *log);
/* Forget what was written so far; what is open stays known. */
void hook_log_forget(struct hook_log *log);
/* The resource that goes by that name; a failed test if there is none. */
struct hook_log_resource *hook_log_find(struct hook_log *log, const char *name);
/* Nothing is between init and destroy any more. */
void hook_log_check_over(struct hook_log *log);

#define told(log, events) assert_string_equal((log)->text, events)

#endif
