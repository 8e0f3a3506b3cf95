/* Four machines and one Redis that remembers: workers are killed and stopped, links are cut, Redis is killed and
 * stopped. Every chunk of every part is recorded once, and the sum of the parts is that of the whole.
 *
 * A machine is a network namespace with one cable to ours; ours is one, too, so that the addresses exist
 * nowhere else, and all of it is gone with this process. Where that may not be (no CAP_SYS_ADMIN, no ip) the
 * workers are plain processes on the loopback, and no link is cut.
 * ctest: shuffle=no labels=stress timeout=900 */
#include "redis_kit.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft/jobs.h>

enum {
    MACHINES = 4,
    PARTS = 48,
    STEPS = 12,
    STEP_MS = 8,
    NUMBERS = 1000, /* of a part */
    LEASE_MS = 500,
    COMMAND_MS = 300,
    WORDS_MAX = 24
};

struct machine {
    pid_t pid; /* of its worker; 0: none */
    int net;   /* its namespace; -1: there is none */
    bool stopped, cut;
    uint64_t until_ms; /* when it goes on, or the link is restored */
};

static struct {
    struct world w;
    struct redis_server server;
    bool real; /* machines, not only processes */
    struct machine machines[MACHINES];
    struct weft_jobs jobs;
    struct weft_jobs_run run;
    uint64_t sum;
    unsigned chunks[PARTS];
    uint64_t redis_until_ms;
    bool redis_stopped, redis_down;
    unsigned troubles, kills, stops, cuts, redis_kills, redis_stops;
    uint64_t random;
} m;

/* ---- a worker: sums numbers, a few at a time ------------------------------------------------ */

struct summing {
    struct weft_jobs_task task;
    struct weft_jobs_emit emit;
    struct weft_sleep nap;
    unsigned long from, to, at; /* the numbers, and which one comes next */
    bool deadly;
    char data[64], checkpoint[32];
};

static void sum_some(struct summing *summing);

static void sum_said(struct weft_op *op, struct weft_op *emit)
{
    if (emit->status != 0)
        weft_finish(op, emit->status);
    else
        sum_some(weft_owner(op, struct summing, task.op));
}

static void sum_slept(struct weft_op *op, struct weft_op *nap)
{
    struct summing *summing = weft_owner(op, struct summing, task.op);
    unsigned long step = (summing->to - summing->from) / STEPS + 1, sum = 0;
    if (nap->status != 0) {
        weft_finish(op, nap->status);
        return;
    }
    if (summing->deadly)
        raise(SIGKILL);
    for (unsigned long i = 0; i < step && summing->at < summing->to; i++)
        sum += summing->at++;
    snprintf(summing->data, sizeof summing->data, "%u %lu", (unsigned)summing->task.chunks, sum);
    snprintf(summing->checkpoint, sizeof summing->checkpoint, "%lu", summing->at);
    weft_jobs_emit(op, &summing->emit, &summing->task, weft_text_of(summing->data),
                   weft_text_of(summing->checkpoint), sum_said);
}

static void sum_some(struct summing *summing)
{
    if (summing->at >= summing->to)
        weft_finish(&summing->task.op, 0);
    else
        weft_sleep(&summing->task.op, &summing->nap, STEP_MS, sum_slept);
}

static void sum_begin(struct weft_op *op)
{
    struct summing *summing = weft_owner(op, struct summing, task.op);
    const struct weft_jobs_task *task = &summing->task;
    char word[8] = "";
    sscanf(task->payload.data, "%lu %lu %7s", &summing->from, &summing->to, word);
    summing->deadly = strcmp(word, "die") == 0;
    summing->at =
        task->checkpoint.size > 0 ? strtoul(task->checkpoint.data, NULL, 10) : summing->from;
    sum_some(summing);
}

static struct {
    struct weft_jobs_worker worker;
    uv_signal_t term;
} mine;

static void told_to_leave(uv_signal_t *signal, int number)
{
    (void)number;
    uv_close((uv_handle_t *)signal, NULL);
    weft_jobs_worker_close(&mine.worker);
}

static void set_redis(struct weft_redis *redis)
{
    redis->backoff_ms = 5;
    redis->backoff_max_ms = 40;
    redis->command_ms = redis->connect_ms = COMMAND_MS;
}

/* The parent's connections are none of ours: they are to end when it ends them. */
static void close_sockets(void)
{
    struct stat about;
    for (int fd = 3; fd < 256; fd++) {
        if (fstat(fd, &about) == 0 && S_ISSOCK(about.st_mode))
            close(fd);
    }
}

static void be_worker(unsigned number)
{
    char url[64];
    struct machine *machine = &m.machines[number];
    signal(SIGALRM, SIG_DFL);
    alarm(300);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("CMOCKA_TEST_ABORT", "1", 1);
    if (machine->net >= 0 && setns(machine->net, CLONE_NEWNET) != 0)
        _exit(2);
    close_sockets();
    snprintf(url, sizeof url, "redis://%s%d%s:%u", m.real ? "10.99." : "127.0.0.",
             m.real ? (int)number : 1, m.real ? ".1" : "", m.server.port);
    world_up(&m.w);
    uv_signal_init(&m.w.uv, &mine.term);
    uv_signal_start(&mine.term, told_to_leave, SIGTERM);
    set_redis(&mine.worker.redis);
    mine.worker.redis.url = url;
    mine.worker.queue = "sums";
    mine.worker.concurrency = m.run.parts == PARTS ? 2 : 1; /* who dies takes all it has with it */
    mine.worker.lease_ms = LEASE_MS;
    mine.worker.deliveries = m.run.parts == PARTS ? 1000 : 3;
    mine.worker.begin = sum_begin;
    mine.worker.task_size = WEFT_JOBS_TASK(struct summing, task);
    weft_jobs_worker(weft_root(&m.w.loop), &mine.worker, weft_ignore);
    _exit(weft_loop_run(&m.w.loop) == 0 && mine.worker.op.status == 0 ? 0 : 1);
}

static void worker_start(unsigned number)
{
    struct machine *machine = &m.machines[number];
    machine->pid = fork();
    assert_true(machine->pid >= 0);
    if (machine->pid == 0)
        be_worker(number);
    machine->stopped = false;
}

static void worker_kill(unsigned number)
{
    struct machine *machine = &m.machines[number];
    kill(machine->pid, SIGKILL);
    waitpid(machine->pid, NULL, 0);
    machine->pid = 0;
}

/* ---- machines ------------------------------------------------------------------------------- */

/* "ip" with these words, in the namespace net; -1: in ours. */
static bool ip(int net, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool ip(int net, const char *format, ...)
{
    char line[256], *words[WORDS_MAX] = {"ip"}, *rest = line;
    int count = 1, how;
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    while (count < WORDS_MAX - 1 && (words[count] = strsep(&rest, " ")) != NULL)
        count++;
    pid_t pid = fork();
    if (pid == 0) {
        if (net >= 0 && setns(net, CLONE_NEWNET) != 0)
            _exit(126);
        execvp("ip", words);
        _exit(127);
    }
    return waitpid(pid, &how, 0) == pid && WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

/* A namespace of its own, held by a descriptor. */
static int new_net(void)
{
    char path[64];
    int ready[2], go[2], fd = -1;
    char byte;
    assert_int_equal(pipe(ready) + pipe(go), 0);
    pid_t pid = fork();
    if (pid == 0) {
        byte = unshare(CLONE_NEWNET) == 0 ? 'y' : 'n';
        if (write(ready[1], &byte, 1) != 1)
            _exit(1);
        close(go[1]);
        _exit(read(go[0], &byte, 1) == 0 ? 0 : 1);
    }
    if (read(ready[0], &byte, 1) == 1 && byte == 'y') {
        snprintf(path, sizeof path, "/proc/%d/ns/net", (int)pid);
        fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    close(go[1]), close(go[0]), close(ready[0]), close(ready[1]);
    waitpid(pid, NULL, 0);
    return fd;
}

/* The cable's other end goes there by the descriptor's name, which is ours as long as ip runs. */
static bool machine_up(unsigned number)
{
    struct machine *machine = &m.machines[number];
    machine->net = new_net();
    if (machine->net < 0)
        return false;
    char there[64];
    snprintf(there, sizeof there, "/proc/%d/fd/%d", (int)getpid(), machine->net);
    return ip(-1, "link add veth%u type veth peer name cable%u", number, number) &&
           ip(-1, "link set cable%u netns %s", number, there) &&
           ip(-1, "addr add 10.99.%u.1/24 dev veth%u", number, number) &&
           ip(-1, "link set veth%u up", number) && ip(machine->net, "link set lo up") &&
           ip(machine->net, "addr add 10.99.%u.2/24 dev cable%u", number, number) &&
           ip(machine->net, "link set cable%u up", number);
}

/* Once for all tests of this program. */
static void network_up(void)
{
    static bool tried, real;
    static int nets[MACHINES] = {-1, -1, -1, -1};
    if (!tried) {
        tried = true;
        real = unshare(CLONE_NEWNET) == 0;
        if (real && !ip(-1, "link set lo up"))
            fail_msg("there is a namespace without a loopback: is iproute2 installed?");
        for (unsigned i = 0; real && i < MACHINES; i++)
            real = machine_up(i);
        for (unsigned i = 0; i < MACHINES; i++)
            nets[i] = real ? m.machines[i].net : -1;
        if (!real)
            fputs("no network namespaces here (CAP_SYS_ADMIN, ip): processes on the loopback\n",
                  stderr);
    }
    m.real = real;
    for (unsigned i = 0; i < MACHINES; i++)
        m.machines[i].net = nets[i];
}

static void link_set(unsigned number, bool up)
{
    assert_true(ip(-1, "link set veth%u %s", number, up ? "up" : "down"));
    m.machines[number].cut = !up;
}

/* ---- the producer --------------------------------------------------------------------------- */

static bool add_up(struct weft_jobs_run *run, size_t part, struct weft_text data)
{
    unsigned long chunk, sum;
    (void)run;
    assert_int_equal(sscanf(data.data, "%lu %lu", &chunk, &sum), 2);
    assert_int_equal(chunk, m.chunks[part]++);
    m.sum += sum;
    return true;
}

static int say_part(struct weft_jobs_run *run, size_t part, struct weft_text *payload)
{
    static char text[64];
    bool deadly = run->parts != PARTS && part == 0;
    snprintf(text, sizeof text, "%zu %zu %s", part * NUMBERS, (part + 1) * NUMBERS,
             deadly ? "die" : "live");
    *payload = weft_text_of(text);
    return 0;
}

static void all_up(size_t parts)
{
    memset(&m, 0, sizeof m);
    memset(&mine, 0, sizeof mine);
    m.random = check_seed();
    network_up();
    redis_server_up_kept(&m.server, m.real ? "0.0.0.0" : NULL);
    m.run.parts = parts; /* workers look at it */
    for (unsigned i = 0; i < MACHINES; i++)
        worker_start(i);
    world_up(&m.w);
    set_redis(&m.jobs.redis);
    m.jobs.redis.url = m.server.url;
    m.jobs.queue = "sums";
    m.jobs.unread_max = 4096;
    m.jobs.window = 16;
    weft_jobs(weft_root(&m.w.loop), &m.jobs, weft_ignore);
}

static void run_begin(size_t parts)
{
    memset(&m.run, 0, sizeof m.run);
    memset(m.chunks, 0, sizeof m.chunks);
    m.sum = 0;
    m.run.jobs = &m.jobs;
    m.run.parts = parts;
    m.run.payload = say_part;
    m.run.on_result = add_up;
    weft_jobs_run(weft_root(&m.w.loop), &m.run, weft_ignore);
}

static void is_whole(void)
{
    uint64_t count = (uint64_t)PARTS * NUMBERS;
    until(&m.w, is_over(&m.run.op));
    if (m.run.op.status != 0)
        fail_msg("seed %llu: %s: part %zu: %s", (unsigned long long)check_seed(),
                 weft_error_name(m.run.op.status), m.run.part, m.run.why);
    for (unsigned i = 0; i < PARTS; i++)
        assert_in_range(m.chunks[i], STEPS - 1, STEPS);
    assert_int_equal(m.sum, count * (count - 1) / 2);
}

/* ---- trouble -------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t limit)
{
    m.random = m.random * 6364136223846793005U + 1442695040888963407U;
    return (m.random >> 33) % limit;
}

static void go_on_again(uint64_t now)
{
    for (unsigned i = 0; i < MACHINES; i++) {
        struct machine *machine = &m.machines[i];
        if (now < machine->until_ms)
            continue;
        if (machine->stopped)
            kill(machine->pid, SIGCONT), machine->stopped = false;
        if (machine->cut)
            link_set(i, true);
        if (machine->pid == 0)
            worker_start(i);
    }
    if (now < m.redis_until_ms)
        return;
    if (m.redis_stopped)
        kill(m.server.pid, SIGCONT), m.redis_stopped = false;
    if (m.redis_down)
        redis_server_again(&m.server), m.redis_down = false;
}

static void trouble_machine(unsigned number, uint64_t now)
{
    struct machine *machine = &m.machines[number];
    if (machine->pid == 0 || machine->stopped || machine->cut)
        return;
    machine->until_ms = now + 50 + draw(2 * LEASE_MS);
    switch (m.troubles++ % (m.real ? 3 : 2)) {
    case 0:
        worker_kill(number);
        m.kills++;
        break;
    case 1:
        kill(machine->pid, SIGSTOP);
        machine->stopped = true;
        m.stops++;
        break;
    default:
        link_set(number, false);
        m.cuts++;
        break;
    }
}

static void trouble_redis(uint64_t now)
{
    if (m.redis_stopped || m.redis_down)
        return;
    m.redis_until_ms = now + 20 + draw(2 * COMMAND_MS);
    if (m.redis_kills == m.redis_stops) {
        redis_server_down(&m.server);
        m.redis_down = true;
        m.redis_kills++;
    } else {
        kill(m.server.pid, SIGSTOP);
        m.redis_stopped = true;
        m.redis_stops++;
    }
}

static void trouble(unsigned events)
{
    for (unsigned i = 0; i < events && !is_over(&m.run.op); i++) {
        run_for(&m.w, 30 + draw(120));
        uint64_t now = weft_now(&m.w.loop);
        go_on_again(now);
        if (i % 6 == 3)
            trouble_redis(now);
        else
            trouble_machine((unsigned)draw(MACHINES), now);
    }
    go_on_again(UINT64_MAX);
}

/* ---- the end -------------------------------------------------------------------------------- */

/* All leave as they should, but for those that were dead already. */
static void workers_down(void)
{
    for (unsigned i = 0; i < MACHINES; i++) {
        int how = -1;
        if (m.machines[i].pid == 0)
            continue;
        kill(m.machines[i].pid, SIGTERM);
        assert_int_equal(waitpid(m.machines[i].pid, &how, 0), m.machines[i].pid);
        assert_true((WIFEXITED(how) && WEXITSTATUS(how) == 0) ||
                    (m.run.parts != PARTS && WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL));
    }
}

/* The stream stays if workers were killed, whose names are in the group for a while; but it is empty. */
static void all_down(const char *left)
{
    weft_jobs_close(&m.jobs);
    until(&m.w, is_over(&m.jobs.op));
    workers_down();
    const char *keys = redis_server_say(&m.server, "KEYS *");
    if (strcmp(keys, "*0\r\n") != 0) {
        assert_string_equal(redis_server_say(&m.server, "EXISTS {sums}:jobs"), ":0\r\n");
        assert_string_equal(redis_server_say(&m.server, "XLEN {sums}:parts"), ":0\r\n");
        assert_string_equal(redis_server_say(&m.server, "KEYS {sums}:?:*"), "*0\r\n");
        assert_string_equal(redis_server_say(&m.server, "XLEN {sums}:dead"), left);
    }
    world_down(&m.w);
    redis_server_down(&m.server);
}

TEST(four_machines_sum_what_one_would)
{
    all_up(PARTS);
    run_begin(PARTS);
    is_whole();
    all_down(":0\r\n");
}

TEST(workers_links_and_redis_fail_and_every_part_is_recorded_once)
{
    all_up(PARTS);
    for (unsigned long i = 0; i < check_scale(1); i++) {
        run_begin(PARTS);
        trouble(30);
        is_whole();
    }
    printf("%u killed, %u stopped, %u cut off; Redis %u times killed, %u stopped\n", m.kills,
           m.stops, m.cuts, m.redis_kills, m.redis_stops);
    assert_true(m.kills > 0 && m.stops > 0 && (m.cuts > 0 || !m.real) && m.redis_kills > 0);
    all_down(":0\r\n");
}

static unsigned bury_workers(void)
{
    unsigned deaths = 0;
    for (unsigned i = 0; i < MACHINES; i++) {
        struct machine *machine = &m.machines[i];
        if (machine->pid != 0 && waitpid(machine->pid, NULL, WNOHANG) > 0)
            machine->pid = 0;
        deaths += machine->pid == 0;
    }
    return deaths;
}

/* It kills three workers, and no fourth one; fewer only if one was slow enough to be taken for dead. */
TEST(a_part_that_kills_its_workers_is_given_up)
{
    all_up(4);
    run_begin(4);
    until(&m.w, is_over(&m.run.op));
    assert_string_equal(weft_error_name(m.run.op.status), "EPOISON");
    assert_int_equal(m.run.part, 0);
    assert_in_range(bury_workers(), 1, 3);
    all_down(":1\r\n");
}
