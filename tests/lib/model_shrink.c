/* Many schedules, and the smallest one that fails.
 *
 * The schedules run in a child process. This process runs none, so that it is as good as new when
 * the child has died: each attempt to do with fewer or smaller draws is a child of it again, and
 * neither a crash nor a broken rule ends the search. What is searched for ends in the same way as
 * the first one did, by the same signal or in the same disagreement. An attempt that found one is
 * the next to be made smaller, until nothing helps or time is up. */
#include "model_record.h"
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { SECONDS_FOR_ONE = 5, SECONDS_FOR_ALL = 10, DRAWS_FOR_A_THING = 16 };

/* How a child ended. */
struct ending {
    int status;
    char why[sizeof((struct record *)NULL)->why];
};

static struct search {
    void (*one)(uint64_t seed);
    uint64_t seed, begun;
    struct ending ending;
    struct draws best;
    size_t best_used; /* how many draws it made; those after best.count were 0 */
    unsigned tries;
} search;

/* ---- children ------------------------------------------------------------------------------- */

/* To die as it comes, quietly, and not to outlive the parent. */
static void become_a_child(void)
{
    static const int caught_by_cmocka[] = {SIGFPE, SIGILL, SIGSEGV, SIGBUS, SIGSYS, SIGABRT};
    for (size_t i = 0; i < sizeof caught_by_cmocka / sizeof *caught_by_cmocka; i++)
        signal(caught_by_cmocka[i], SIG_DFL);
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    setenv("CMOCKA_TEST_ABORT", "1", 1);
    model_record->in_child = true;
}

static struct ending end_of(pid_t pid)
{
    struct ending ending = {0};
    assert_int_equal(waitpid(pid, &ending.status, 0), pid);
    memcpy(ending.why, model_record->why, sizeof ending.why);
    return ending;
}

static pid_t fork_child(void)
{
    fflush(NULL); /* or the child would write our buffers again */
    model_record->why[0] = '\0';
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        become_a_child();
    return pid;
}

/* The whole test. It ends by exit: that is where the compilers' tools want to be asked. */
static struct ending run_all(void (*one)(uint64_t seed), unsigned long count)
{
    pid_t pid = fork_child();
    if (pid == 0) {
        world_up(model_record->world);
        for (unsigned long i = 0; i < count; i++) {
            one(model_first_seed() + i);
            model_record->all_steps += schedule.steps;
        }
        world_down(model_record->world);
        exit(0);
    }
    return end_of(pid);
}

/* The schedule of the search with the draws that are to be played. */
static struct ending run_one(void)
{
    pid_t pid = fork_child();
    if (pid == 0) {
        if (!model_record->telling && (freopen("/dev/null", "w", stderr) == NULL ||
                                       freopen("/dev/null", "w", stdout) == NULL))
            _exit(1);
        alarm(SECONDS_FOR_ONE);
        world_up(model_record->world);
        search.one(search.seed);
        model_record->schedule = schedule;
        _exit(0);
    }
    return end_of(pid);
}

/* ---- the search ----------------------------------------------------------------------------- */

static size_t length_without_zeros(const struct draws *draws)
{
    size_t count = draws->count;
    while (count > 0 && draws->values[count - 1] == 0)
        count--;
    return count;
}

/* Fewer draws that are not 0, fewer at all, or the first that differs is lower. */
static bool simpler_than_best(const struct draws *made)
{
    size_t length = length_without_zeros(made);
    if (length != search.best.count)
        return length < search.best.count;
    if (made->count != search.best_used)
        return made->count < search.best_used;
    for (size_t i = 0; i < length; i++) {
        if (made->values[i] != search.best.values[i])
            return made->values[i] < search.best.values[i];
    }
    return false;
}

static void keep(const struct draws *made)
{
    search.best = *made;
    search.best.count = length_without_zeros(made);
    search.best_used = made->count;
}

static bool time_is_up(void)
{
    return uv_hrtime() - search.begun > (uint64_t)SECONDS_FOR_ALL * 1000000000;
}

/* Play what is in model_record->played: does it fail in the same way, and is it simpler? */
static bool helps(void)
{
    if (time_is_up())
        return false;
    search.tries++;
    struct ending ending = run_one();
    const struct draws *made = &model_record->made;
    if (ending.status != search.ending.status || strcmp(ending.why, search.ending.why) != 0 ||
        made->count > MODEL_DRAWS || !simpler_than_best(made))
        return false;
    keep(made);
    return true;
}

static void leave_out(struct draws *draws, size_t at, size_t count)
{
    draws->count -= count;
    memmove(draws->values + at, draws->values + at + count,
            (draws->count - at) * sizeof *draws->values);
}

static bool without(size_t at, size_t count)
{
    model_record->played = search.best;
    leave_out(&model_record->played, at, count);
    return helps();
}

static bool with_zeros(size_t at, size_t count)
{
    struct draws *played = &model_record->played;
    *played = search.best;
    memset(played->values + at, 0, count * sizeof *played->values);
    return memcmp(played->values + at, search.best.values + at, count * sizeof *played->values) !=
               0 &&
           helps();
}

static bool with_less(size_t at, uint64_t less)
{
    model_record->played = search.best;
    model_record->played.values[at] -= less;
    return helps();
}

/* From the end, because what was drawn first decides what the rest is drawn for. */
static bool in_pieces_of(size_t size)
{
    bool helped = false;
    for (size_t at = search.best.count; at > 0;) {
        if (at > search.best.count)
            at = search.best.count;
        if (at == 0)
            break;
        size_t count = at < size ? at : size;
        at -= count;
        helped |= without(at, count) || with_zeros(at, count);
    }
    return helped;
}

static bool number_by_number(void)
{
    bool helped = false;
    for (size_t at = 0; at < search.best.count; at++) {
        for (uint64_t less = search.best.values[at] / 2; less > 0; less /= 2) {
            while (at < search.best.count && search.best.values[at] >= less && with_less(at, less))
                helped = true;
        }
    }
    return helped;
}

/* A number is often how many things there are, and each of these has draws of its own: one less,
 * and the draws of one go too. Where those are shows in what comes after them and is not 0. */
static bool with_one_thing_less(size_t at)
{
    struct draws *played = &model_record->played;
    for (size_t after = at + 2; after < search.best.count; after++) {
        if (search.best.values[after] == 0)
            continue;
        for (size_t count = 1; count < after - at && count <= DRAWS_FOR_A_THING; count++) {
            *played = search.best;
            played->values[at]--;
            leave_out(played, after - count, count);
            if (helps())
                return true;
        }
    }
    return false;
}

static bool thing_by_thing(void)
{
    bool helped = false;
    for (size_t at = 0; at < search.best.count; at++) {
        while (at < search.best.count && search.best.values[at] > 0 && with_one_thing_less(at))
            helped = true;
    }
    return helped;
}

static void shrink(void)
{
    bool helped = true;
    while (helped && !time_is_up()) {
        helped = false;
        for (size_t size = search.best.count; size > 0; size /= 2)
            helped |= in_pieces_of(size);
        helped |= number_by_number();
        if (!helped)
            helped = thing_by_thing();
    }
}

/* ---- what is said --------------------------------------------------------------------------- */

static void say_how_it_ended(const struct ending *ending, const struct schedule *failed)
{
    if (ending->why[0] != '\0') {
        print_error("the %s and its model disagree", failed->model);
    } else if (WIFSIGNALED(ending->status)) {
        print_error("\nthe %s died of signal %d (%s)", failed->model, WTERMSIG(ending->status),
                    strsignal(WTERMSIG(ending->status)));
    } else {
        print_error("\nthe %s exited with %d", failed->model, WEXITSTATUS(ending->status));
    }
    print_error(" after %" PRIu64 " steps of WEFT_SEED=%" PRIu64 "%s%s\n", failed->steps,
                failed->seed, ending->why[0] != '\0' ? ": " : "", ending->why);
}

static void say_how_to_repeat_it(void)
{
    print_error("\nagain: WEFT_SEED=%" PRIu64 " WEFT_DRAWS=", search.seed);
    for (size_t i = 0; i < search.best.count; i++)
        print_error("%s%" PRIu64, i > 0 ? "," : "", search.best.values[i]);
    print_error("%s %s\n", search.best.count == 0 ? "0" : "", program_invocation_name);
}

/* The smallest is played once more, aloud. */
static void tell_the_smallest(size_t draws, uint64_t steps)
{
    struct record *record = model_record;
    record->played = search.best;
    run_one();
    print_error("shrunk in %u tries from %zu draws and %" PRIu64 " steps to %zu draws and %" PRIu64
                " steps\n",
                search.tries, draws, steps, record->made.count, record->schedule.steps);
    print_error("draws that were the lowest, or a no, are left out; at each step:\n");
    record->telling = true;
    run_one();
    say_how_to_repeat_it();
}

static void explain(const struct ending *ending, void (*one)(uint64_t seed))
{
    struct record *record = model_record;
    const struct schedule failed = record->schedule;
    size_t draws = record->made.count;
    say_how_it_ended(ending, &failed);
    if (failed.model == NULL || draws > MODEL_DRAWS) {
        print_error("it is not shrunk: it has %zu draws\n", draws);
        return;
    }
    search.one = one;
    search.seed = failed.seed;
    search.begun = uv_hrtime();
    search.ending = *ending;
    search.tries = 0;
    keep(&record->made);
    record->playing = true;
    record->played = search.best;
    struct ending again = run_one();
    if (again.status != ending->status || strcmp(again.why, ending->why) != 0) {
        print_error("it is not shrunk: alone it does not fail\n");
        return;
    }
    shrink();
    tell_the_smallest(draws, failed.steps);
}

/* ---- model_schedules ------------------------------------------------------------------------ */

static void read_draws(struct draws *draws, const char *text)
{
    for (char *end; *text != '\0' && draws->count < MODEL_DRAWS; text = end + (*end == ',')) {
        draws->values[draws->count] = strtoull(text, &end, 10);
        if (end == text)
            break;
        draws->count++;
    }
}

/* WEFT_DRAWS: one schedule in this process. */
static void play_aloud(struct world *w, void (*one)(uint64_t seed), const char *draws)
{
    model_record->playing = model_record->telling = true;
    read_draws(&model_record->played, draws);
    world_up(w);
    one(model_first_seed());
    world_down(w);
}

static struct record *share_a_record(struct world *w)
{
    static struct record *record;
    if (record == NULL)
        record =
            mmap(NULL, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(record != MAP_FAILED);
    memset(record, 0, sizeof *record);
    record->world = w;
    return record;
}

void model_schedules(struct world *w, void (*one)(uint64_t seed), unsigned long count)
{
    const char *draws = getenv("WEFT_DRAWS");
    model_record = share_a_record(w);
    count = check_scale(count);
    if (draws != NULL) {
        play_aloud(w, one, draws);
    } else {
        struct ending ending = run_all(one, count);
        if (ending.status != 0) {
            explain(&ending, one);
            fail();
        }
        print_message("%lu schedules, %" PRIu64 " steps\n", count, model_record->all_steps);
    }
    model_record = NULL;
}
