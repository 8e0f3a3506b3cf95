/* Eight real processes and one Redis: one load, the same answer everywhere, whatever is killed.
 * ctest: shuffle=no */
#include "shared_kit.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES = 8 };

static struct crowd {
    pid_t pids[PROCESSES];
    int ready[2], go[2], answers[2]; /* pipes */
    char loads[SCRATCH_PATH];        /* a byte for each load, of anybody */
} crowd;

/* ---- in a process of the crowd -------------------------------------------------------------- */

static uint64_t load_takes_ms;

static void counted_done(struct weft_op *op, struct weft_op *nap)
{
    struct job *job = weft_owner(op, struct job, flight.promise.op);
    char value[VALUE];
    if (nap->status != 0) {
        weft_finish(op, nap->status);
        return;
    }
    snprintf(value, sizeof value, "%.*s of %d", WEFT_TEXT_ARGS(job->flight.key), (int)getpid());
    weft_flight_answer(&job->flight, value, strlen(value));
}

static void counted_begin(struct weft_op *op)
{
    struct job *job = weft_owner(op, struct job, flight.promise.op);
    int fd = open(crowd.loads, O_WRONLY | O_APPEND | O_CREAT, 0600);
    assert_int_equal(write(fd, ".", 1), 1);
    close(fd);
    weft_sleep(op, &job->nap, load_takes_ms, counted_done);
}

static void join_crowd(void)
{
    world_up(&s.w);
    side_up(&s.one, "one");
    until(&s.w, side_ready(&s.one));
}

static void settings(void)
{
    s.one.shared.lease_ms = 400;
    s.one.shared.load = counted_begin;
}

/* Say that this one is ready, and wait until all are. */
static void meet(void)
{
    char byte = 0;
    assert_int_equal(write(crowd.ready[1], "r", 1), 1);
    while (read(crowd.go[0], &byte, 1) < 0 && errno == EINTR)
        ;
}

static void report(const char *value)
{
    char line[VALUE] = "";
    snprintf(line, sizeof line, "%s", value);
    assert_int_equal(write(crowd.answers[1], line, sizeof line), sizeof line);
}

static void leave(void)
{
    weft_shared_close(&s.one.shared);
    world_down(&s.w);
    _exit(0);
}

/* ---- the crowd ------------------------------------------------------------------------------ */

static void crowd_up(void (*life)(unsigned number))
{
    memset(&s, 0, sizeof s);
    redis_server_up(&s.server, NULL);
    assert_int_equal(pipe(crowd.ready) + pipe(crowd.go) + pipe(crowd.answers), 0);
    scratch_new_path(crowd.loads, "loads");
    for (unsigned i = 0; i < PROCESSES; i++) {
        crowd.pids[i] = fork();
        assert_true(crowd.pids[i] >= 0);
        if (crowd.pids[i] == 0) {
            setenv("CMOCKA_TEST_ABORT", "1", 1);
            close(crowd.go[1]);
            alarm(30);
            life(i);
            leave();
        }
    }
    close(crowd.go[0]);
    for (unsigned i = 0; i < PROCESSES; i++) {
        char byte;
        assert_int_equal(read(crowd.ready[0], &byte, 1), 1);
    }
}

static void crowd_go(void)
{
    close(crowd.go[1]);
}

static void answer_of_one(char line[VALUE])
{
    assert_int_equal(read(crowd.answers[0], line, VALUE), VALUE);
}

static unsigned long loads_so_far(void)
{
    int fd = open(crowd.loads, O_RDONLY);
    off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    if (fd >= 0)
        close(fd);
    return (unsigned long)size;
}

static void crowd_down(unsigned killed)
{
    unsigned well = 0;
    for (unsigned i = 0; i < PROCESSES; i++) {
        int how;
        assert_int_equal(waitpid(crowd.pids[i], &how, 0), crowd.pids[i]);
        well += WIFEXITED(how) && WEXITSTATUS(how) == 0;
    }
    assert_int_equal(well, PROCESSES - killed);
    close(crowd.ready[0]), close(crowd.ready[1]);
    close(crowd.answers[0]), close(crowd.answers[1]);
    redis_server_down(&s.server);
}

/* ---- the tests ------------------------------------------------------------------------------ */

static void ask_once(unsigned number)
{
    (void)number;
    load_takes_ms = 100;
    settings();
    join_crowd();
    meet();
    report(get(&s.one, "total"));
}

TEST(eight_processes_ask_and_one_loads)
{
    char first[VALUE], line[VALUE];
    crowd_up(ask_once);
    crowd_go();
    answer_of_one(first);
    assert_non_null(strstr(first, "total of "));
    for (unsigned i = 1; i < PROCESSES; i++) {
        answer_of_one(line);
        assert_string_equal(line, first);
    }
    assert_int_equal(loads_so_far(), 1);
    crowd_down(0);
}

static void forget_and_look(unsigned number)
{
    char before[VALUE];
    settings();
    join_crowd();
    snprintf(before, sizeof before, "%s", get(&s.one, "total"));
    meet();
    if (number == 0)
        assert_int_equal(forget(&s.one, "total"), 0);
    else
        until(&s.w, s.one.shared.stats.forgets == 1);
    until(&s.w, strcmp(get(&s.one, "total"), before) != 0 || loads_so_far() == 2);
    report(get(&s.one, "total"));
}

TEST(what_one_process_forgets_all_forget)
{
    char first[VALUE], line[VALUE];
    crowd_up(forget_and_look);
    assert_int_equal(loads_so_far(), 1);
    crowd_go();
    answer_of_one(first);
    for (unsigned i = 1; i < PROCESSES; i++) {
        answer_of_one(line);
        assert_string_equal(line, first);
    }
    assert_int_equal(loads_so_far(), 2);
    crowd_down(0);
}

static void ask_all_the_time(unsigned number)
{
    (void)number;
    char key[16];
    settings();
    join_crowd();
    meet();
    for (unsigned i = 0; s.one.shared.redis.connects < 2 || i < 50; i++) {
        snprintf(key, sizeof key, "%u", i);
        get(&s.one, key); /* requires that it succeeds */
        run_for(&s.w, 2);
    }
    until(&s.w, side_ready(&s.one));
    report("well");
}

TEST(redis_is_killed_under_eight_processes_and_no_get_fails)
{
    char line[VALUE];
    crowd_up(ask_all_the_time);
    crowd_go();
    usleep(30 * 1000);
    redis_server_down(&s.server);
    usleep(50 * 1000);
    redis_server_again(&s.server);
    for (unsigned i = 0; i < PROCESSES; i++)
        answer_of_one(line);
    crowd_down(0);
}

static void die_with_the_lease(unsigned number)
{
    settings();
    load_takes_ms = number == 0 ? 60000 : 0;
    join_crowd();
    if (number == 0) {
        request_begin(&s.one, &s.more[0], "total");
        until(&s.w, s.one.shared.stats.leases == 1);
        meet();
        until(&s.w, false);
    }
    meet();
    report(get(&s.one, "total"));
}

TEST(a_process_is_killed_while_it_loads_and_another_one_takes_over)
{
    char first[VALUE], line[VALUE];
    crowd_up(die_with_the_lease);
    kill(crowd.pids[0], SIGKILL);
    crowd_go();
    answer_of_one(first);
    for (unsigned i = 2; i < PROCESSES; i++) {
        answer_of_one(line);
        assert_string_equal(line, first);
    }
    assert_int_equal(loads_so_far(), 2);
    crowd_down(1);
}
