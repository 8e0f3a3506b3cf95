/* The emitter. Listeners leave a trace of letters, and change the list while it is walked.
 * ctest: labels=valgrind */
#include "check.h"
#include <stdlib.h>
#include <string.h>
#include <weft/emitter.h>

enum { NEWS = 1, MORE = 2 };

static char trace[64];

/* A listener with a letter, and what it does when it hears something. */
struct ear {
    struct weft_listener listener;
    char name;
    void (*act)(struct ear *ear, struct weft_emitter *emitter);
    struct ear *other;
    unsigned times;
};

static void hear(struct weft_listener *listener, void *about)
{
    struct ear *ear = weft_owner(listener, struct ear, listener);
    size_t length = strlen(trace);
    assert_true(length + 1 < sizeof trace);
    trace[length] = ear->name;
    trace[length + 1] = '\0';
    if (ear->act != NULL)
        ear->act(ear, about);
}

/* Emits the event with the emitter itself as what it is about. */
static unsigned emit(struct weft_emitter *emitter, int event)
{
    trace[0] = '\0';
    return weft_emit(emitter, event, emitter);
}

static struct weft_emitter emitter;
static struct ear ears[5];

/* a, b, c, d, e listen to NEWS. */
static void up(void)
{
    weft_emitter_init(&emitter, "town crier");
    memset(ears, 0, sizeof ears);
    for (int i = 0; i < 5; i++) {
        ears[i].name = (char)('a' + i);
        weft_on(&emitter, NEWS, &ears[i].listener, hear);
    }
}

TEST(listeners_are_called_in_the_order_in_which_they_came)
{
    up();
    assert_int_equal(emit(&emitter, NEWS), 5);
    assert_string_equal(trace, "abcde");
    assert_int_equal(emit(&emitter, NEWS), 5);
    assert_string_equal(trace, "abcde");
    weft_emitter_close(&emitter);
}

TEST(listeners_hear_their_own_event_only)
{
    up();
    weft_on(&emitter, MORE, &ears[1].listener, hear);
    weft_on(&emitter, WEFT_ERROR, &ears[2].listener, hear);
    assert_int_equal(emit(&emitter, NEWS), 3);
    assert_string_equal(trace, "ade");
    assert_int_equal(emit(&emitter, MORE), 1);
    assert_string_equal(trace, "b");
    assert_int_equal(emit(&emitter, WEFT_ERROR), 1);
    assert_string_equal(trace, "c");
    weft_emitter_close(&emitter);
}

TEST(an_event_that_nobody_hears_is_no_fault_unless_it_is_an_error)
{
    weft_emitter_init(&emitter, NULL);
    assert_int_equal(weft_emit(&emitter, NEWS, NULL), 0);
    assert_int_equal(weft_emit(&emitter, INT32_MAX, NULL), 0);
    weft_emitter_close(&emitter);
}

static void emit_an_error_without_a_name(void)
{
    weft_emitter_init(&emitter, NULL);
    weft_emit(&emitter, WEFT_ERROR, NULL);
}

static void emit_an_error_to_others(void)
{
    up();
    weft_emit(&emitter, WEFT_ERROR, NULL);
}

TEST(an_error_that_nobody_hears_names_its_emitter)
{
    dies(emit_an_error_without_a_name, "rule 8", "emitter emitted an error and nobody listens");
    dies(emit_an_error_to_others, "rule 8", "town crier emitted an error and nobody listens");
}

TEST(a_listener_that_was_taken_off_hears_nothing)
{
    up();
    weft_off(&ears[0].listener);
    weft_off(&ears[2].listener);
    weft_off(&ears[4].listener);
    weft_off(&ears[4].listener); /* safe on one that does not listen */
    assert_int_equal(emit(&emitter, NEWS), 2);
    assert_string_equal(trace, "bd");
    weft_on(&emitter, NEWS, &ears[0].listener, hear);
    assert_int_equal(emit(&emitter, NEWS), 3);
    assert_string_equal(trace, "bda");
    weft_emitter_close(&emitter);
}

TEST(heard_says_whether_anybody_listens)
{
    weft_emitter_init(&emitter, "town crier");
    struct ear ear = {.name = 'a'};
    assert_false(weft_heard(&emitter, NEWS));
    weft_on(&emitter, NEWS, &ear.listener, hear);
    assert_true(weft_heard(&emitter, NEWS));
    assert_false(weft_heard(&emitter, MORE));
    assert_false(weft_heard(&emitter, WEFT_ERROR));
    weft_off(&ear.listener);
    assert_false(weft_heard(&emitter, NEWS));
    weft_emitter_close(&emitter);
}

TEST(once_is_for_one_time)
{
    up();
    weft_once(&emitter, NEWS, &ears[1].listener, hear);
    assert_int_equal(emit(&emitter, NEWS), 5);
    assert_string_equal(trace, "acdeb");
    assert_int_equal(emit(&emitter, NEWS), 4);
    assert_string_equal(trace, "acde");
    weft_emitter_close(&emitter);
}

static void listen_once_more(struct ear *ear, struct weft_emitter *to)
{
    weft_once(to, NEWS, &ear->listener, hear);
}

TEST(a_listener_of_one_time_may_listen_again_when_it_is_called)
{
    weft_emitter_init(&emitter, "town crier");
    struct ear ear = {.name = 'a', .act = listen_once_more};
    weft_once(&emitter, NEWS, &ear.listener, hear);
    assert_int_equal(emit(&emitter, NEWS), 1); /* the next time, not this time */
    assert_int_equal(emit(&emitter, NEWS), 1);
    weft_off(&ear.listener);
    assert_int_equal(emit(&emitter, NEWS), 0);
    weft_emitter_close(&emitter);
}

static void free_ear(struct weft_listener *listener, void *about)
{
    (void)about;
    free(weft_owner(listener, struct ear, listener));
}

TEST(a_listener_of_one_time_may_be_freed_when_it_is_called)
{
    up();
    for (int i = 0; i < 3; i++) {
        struct ear *ear = calloc(1, sizeof *ear);
        weft_once(&emitter, NEWS, &ear->listener, free_ear);
    }
    assert_int_equal(emit(&emitter, NEWS), 8);
    assert_int_equal(emit(&emitter, NEWS), 5);
    weft_emitter_close(&emitter);
}

/* ---- changes while it emits ----------------------------------------------------------------- */

static void off_self(struct ear *ear, struct weft_emitter *from)
{
    (void)from;
    weft_off(&ear->listener);
}

static void off_other(struct ear *ear, struct weft_emitter *from)
{
    (void)from;
    weft_off(&ear->other->listener);
}

static void off_all(struct ear *ear, struct weft_emitter *from)
{
    (void)ear;
    (void)from;
    for (int i = 0; i < 5; i++)
        weft_off(&ears[i].listener);
}

TEST(a_listener_may_take_itself_off)
{
    for (int i = 0; i < 5; i++) {
        up();
        ears[i].act = off_self;
        assert_int_equal(emit(&emitter, NEWS), 5);
        assert_string_equal(trace, "abcde");
        assert_int_equal(emit(&emitter, NEWS), 4);
        assert_null(strchr(trace, ears[i].name));
        weft_emitter_close(&emitter);
    }
}

/* Every pair: before, after, next to and far from each other. */
TEST(a_listener_may_take_any_other_off)
{
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) {
            if (i == j)
                continue;
            up();
            ears[i].act = off_other;
            ears[i].other = &ears[j];
            assert_int_equal(emit(&emitter, NEWS), j < i ? 5 : 4);
            assert_int_equal(strchr(trace, ears[j].name) != NULL, j < i);
            assert_int_equal(emit(&emitter, NEWS), 4);
            assert_null(strchr(trace, ears[j].name));
            weft_emitter_close(&emitter);
        }
    }
}

TEST(a_listener_may_take_all_off)
{
    for (unsigned i = 0; i < 5; i++) {
        up();
        ears[i].act = off_all;
        assert_int_equal(emit(&emitter, NEWS), i + 1);
        assert_int_equal(emit(&emitter, NEWS), 0);
        weft_on(&emitter, NEWS, &ears[i].listener, hear);
        assert_int_equal(emit(&emitter, NEWS), 1);
        weft_emitter_close(&emitter);
    }
}

static void on_other(struct ear *ear, struct weft_emitter *to)
{
    weft_on(to, NEWS, &ear->other->listener, hear);
}

TEST(what_is_added_while_it_emits_waits_for_the_next_time)
{
    up();
    struct ear late = {.name = 'x'};
    ears[4].act = on_other;
    ears[4].other = &late;
    assert_int_equal(emit(&emitter, NEWS), 5);
    assert_string_equal(trace, "abcde");
    ears[4].act = NULL;
    assert_int_equal(emit(&emitter, NEWS), 6);
    assert_string_equal(trace, "abcdex");
    weft_emitter_close(&emitter);
}

TEST(a_listener_that_moves_itself_is_not_called_twice)
{
    up();
    ears[1].act = on_other;
    ears[1].other = &ears[1];
    assert_int_equal(emit(&emitter, NEWS), 5);
    assert_string_equal(trace, "abcde");
    assert_int_equal(emit(&emitter, NEWS), 5);
    assert_string_equal(trace, "acdeb");
    weft_emitter_close(&emitter);
}

TEST(a_listener_that_is_moved_before_its_turn_waits_for_the_next_time)
{
    up();
    ears[1].act = on_other;
    ears[1].other = &ears[2];
    assert_int_equal(emit(&emitter, NEWS), 4);
    assert_string_equal(trace, "abde");
    weft_emitter_close(&emitter);
}

TEST(a_listener_may_move_to_another_emitter)
{
    up();
    struct weft_emitter second;
    weft_emitter_init(&second, "herald");
    weft_on(&second, NEWS, &ears[2].listener, hear);
    assert_int_equal(emit(&emitter, NEWS), 4);
    assert_string_equal(trace, "abde");
    assert_int_equal(emit(&second, NEWS), 1);
    assert_string_equal(trace, "c");
    weft_emitter_close(&second);
    weft_emitter_close(&emitter);
}

/* ---- nested emissions ----------------------------------------------------------------------- */

static void emit_again(struct ear *ear, struct weft_emitter *from)
{
    if (ear->times-- > 0)
        weft_emit(from, NEWS, from);
}

TEST(a_listener_may_emit)
{
    up();
    ears[1].act = emit_again;
    ears[1].times = 1;
    assert_int_equal(emit(&emitter, NEWS), 5);
    assert_string_equal(trace, "ab" /**/ "abcde" /**/ "cde");
    weft_emitter_close(&emitter);
}

TEST(once_is_once_in_nested_emissions_too)
{
    up();
    weft_once(&emitter, NEWS, &ears[1].listener, hear);
    ears[0].act = emit_again;
    ears[0].times = 2;
    assert_int_equal(emit(&emitter, NEWS), 4);
    assert_string_equal(trace, "aa" /**/ "acdeb" /**/ "cde" /**/ "cde");
    weft_emitter_close(&emitter);
}

/* c takes d off in the innermost emission: the outer ones had it before them. */
TEST(what_an_inner_emission_takes_off_is_not_called_by_the_outer_ones)
{
    up();
    ears[1].act = emit_again;
    ears[1].times = 2;
    ears[2].act = off_other;
    ears[2].other = &ears[3];
    assert_int_equal(emit(&emitter, NEWS), 4);
    assert_string_equal(trace, "ababab" /**/ "ce" /**/ "ce" /**/ "ce");
    weft_emitter_close(&emitter);
}

static void off_other_later(struct ear *ear, struct weft_emitter *from)
{
    if (ear->times-- == 0)
        off_other(ear, from);
}

/* b takes c off when it is called by the outer emission, after the inner one has ended. */
TEST(an_outer_emission_goes_on_as_if_there_had_been_no_inner_one)
{
    up();
    ears[0].act = emit_again;
    ears[0].times = 1;
    ears[1].act = off_other_later;
    ears[1].times = 1;
    ears[1].other = &ears[2];
    assert_int_equal(emit(&emitter, NEWS), 4);
    assert_string_equal(trace, "a" /**/ "abcde" /**/ "bde");
    weft_emitter_close(&emitter);
}

TEST(what_an_inner_emission_adds_is_heard_by_no_emission_under_way)
{
    up();
    struct ear late = {.name = 'x'};
    ears[0].act = emit_again;
    ears[0].times = 1;
    ears[4].act = on_other;
    ears[4].other = &late;
    assert_int_equal(emit(&emitter, NEWS), 5);
    assert_string_equal(trace, "a" /**/ "abcde" /**/ "bcde");
    weft_emitter_close(&emitter);
}

/* ---- close ---------------------------------------------------------------------------------- */

TEST(a_closed_emitter_has_let_go_of_its_listeners)
{
    up();
    weft_emitter_close(&emitter);
    assert_false(weft_heard(&emitter, NEWS));
    memset(&emitter, 0xa5, sizeof emitter);
    for (int i = 0; i < 5; i++)
        weft_off(&ears[i].listener);
    weft_emitter_init(&emitter, "second life");
    weft_emitter_close(&emitter);
    weft_emitter_close(&emitter);
}

static void close_and_overwrite(struct ear *ear, struct weft_emitter *from)
{
    if (ear->times-- > 0) {
        weft_emit(from, NEWS, from);
        return;
    }
    weft_emitter_close(from);
    memset(from, 0xa5, sizeof *from);
}

TEST(a_listener_may_close_the_emitter_and_have_its_storage)
{
    up();
    ears[1].act = close_and_overwrite;
    assert_int_equal(emit(&emitter, NEWS), 2);
    assert_string_equal(trace, "ab");
}

TEST(a_listener_may_close_the_emitter_in_a_nested_emission)
{
    up();
    ears[1].act = close_and_overwrite;
    ears[1].times = 2;
    assert_int_equal(emit(&emitter, NEWS), 2);
    assert_string_equal(trace, "ababab");
}

static void close_and_begin_anew(struct ear *ear, struct weft_emitter *from)
{
    weft_emitter_close(from);
    weft_emitter_init(from, "second life");
    weft_on(from, NEWS, &ear->listener, hear);
    ear->act = NULL;
}

TEST(an_emitter_that_was_closed_and_made_anew_is_another_one)
{
    up();
    ears[1].act = close_and_begin_anew;
    assert_int_equal(emit(&emitter, NEWS), 2);
    assert_string_equal(trace, "ab");
    assert_int_equal(emit(&emitter, NEWS), 1);
    assert_string_equal(trace, "b");
    weft_emitter_close(&emitter);
}
