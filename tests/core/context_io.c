/* Context through the thread pool, the network and other processes.
 * ctest: labels=threads,valgrind-long timeout=120 needs=hooks */
#include "context_kit.h"
#include "scratch.h"
#include <weft/dns.h>
#include <weft/file.h>
#include <weft/process.h>
#include <weft/stream.h>

struct io {
    struct request request;
    struct weft_work work;
    struct weft_file_read read_file;
    struct weft_file_write write_file;
    struct weft_file_scan scan;
    struct weft_lookup lookup;
    struct weft_process process;
    struct weft_stream near, far;
    struct weft_read read;
    struct weft_write write;
    struct weft_accept accept;
    struct weft_connect connect;
    char path[SCRATCH_PATH], byte;
    void *found; /* on the other thread */
    struct weft_op *current_there;
};
static struct io ios[REQUESTS];
static struct weft_crew crew;

static struct io *io_of(struct weft_op *op)
{
    return weft_owner(op, struct io, request.op);
}

static void run_ios(weft_begin_fn *body, unsigned looks)
{
    world_up(&w);
    requests_run(ios, sizeof ios[0], body, looks);
}

static void part_over(struct weft_op *op, struct weft_op *part)
{
    assert_int_equal(part->status, 0);
    look(&io_of(op)->request, op);
}

/* ---- the thread pool ------------------------------------------------------------------------ */

/* On a thread of the pool: nothing may be asserted here. */
static int work_there(struct weft_work *work)
{
    struct io *io = weft_owner(work, struct io, work);
    io->found = asked_by(&work->op);
    io->current_there = weft_current();
    return 0;
}

static void work_over(struct weft_op *op, struct weft_op *work)
{
    struct io *io = io_of(op);
    assert_ptr_equal(io->found, io);
    assert_ptr_equal(io->current_there, &io->work.op);
    part_over(op, work);
}

static void begin_work(struct weft_op *op)
{
    weft_work(op, &io_of(op)->work, work_there, work_over);
    weft_join(op);
}

static void begin_work_in_a_crew(struct weft_op *op)
{
    io_of(op)->work.crew = &crew;
    begin_work(op);
}

TEST(work_finds_it_on_its_thread)
{
    run_ios(begin_work, 1);
    world_down(&w);
}

TEST(works_that_go_together_find_their_own)
{
    run_ios(begin_work_in_a_crew, 1);
    world_down(&w);
}

/* Two requests that are nobody's work: other values, set while the thread works. */
static struct request others[2];
static uv_sem_t there_now, changed;

static int look_when_changed(struct weft_work *work)
{
    uv_sem_post(&there_now);
    uv_sem_wait(&changed);
    return work_there(work);
}

static void change_both(struct weft_op *root, struct weft_op *tick)
{
    struct io *io = &ios[0];
    struct weft_op *op = &io->request.op;
    (void)root;
    (void)tick;
    uv_sem_wait(&there_now);
    assert_int_equal(weft_context_set(&io->work.op, &request_key, &others[0]), 0);
    assert_int_equal(weft_context_set(op, &request_key, &others[1]), 0);
    assert_int_equal(io->request.released, 0); /* the thread has it */
    uv_sem_post(&changed);
}

static void changed_work_over(struct weft_op *op, struct weft_op *work)
{
    (void)work;
    assert_ptr_equal(io_of(op)->found, io_of(op));
    assert_ptr_equal(asked_by(op), &others[1]);
    assert_int_equal(others[0].released, 0);
    weft_finish(op, 0);
}

TEST(work_keeps_what_it_began_with_whatever_is_set_meanwhile)
{
    static struct weft_op tick;
    struct io *io = &ios[0];
    world_up(&w);
    memset(ios, 0, sizeof ios);
    memset(others, 0, sizeof others);
    assert_int_equal(uv_sem_init(&there_now, 0), 0);
    assert_int_equal(uv_sem_init(&changed, 0), 0);
    weft_run(weft_root(&w.loop), &io->request.op, NULL, noted);
    assert_int_equal(weft_context_set(&io->request.op, &request_key, io), 0);
    weft_work(&io->request.op, &io->work, look_when_changed, changed_work_over);
    weft_tick(weft_root(&w.loop), &tick, change_both);
    world_down(&w);
    assert_int_equal(io->request.released, 1);
    assert_int_equal(others[0].released, 1);
    assert_int_equal(others[1].released, 1);
    uv_sem_destroy(&there_now);
    uv_sem_destroy(&changed);
}

static int piece_there(struct weft_file_scan *scan, const char *data, size_t size)
{
    struct io *io = weft_owner(scan, struct io, scan);
    (void)data;
    (void)size;
    io->found = asked_by(&scan->work.op);
    return 0;
}

static void scanned(struct weft_op *op, struct weft_op *scan)
{
    assert_ptr_equal(io_of(op)->found, io_of(op));
    part_over(op, scan);
    weft_finish(op, 0);
}

static void file_read(struct weft_op *op, struct weft_op *file)
{
    struct io *io = io_of(op);
    part_over(op, file);
    assert_int_equal(io->read_file.size, 5);
    weft_file_read_free(&io->read_file);
    weft_file_scan(op, &io->scan, io->path, piece_there, scanned);
}

static void file_written(struct weft_op *op, struct weft_op *file)
{
    part_over(op, file);
    weft_file_read(op, &io_of(op)->read_file, io_of(op)->path, file_read);
}

static void begin_files(struct weft_op *op)
{
    struct io *io = io_of(op);
    scratch_new_path(io->path, "file");
    weft_file_write(op, &io->write_file, io->path, "hello", 5, file_written);
}

TEST(files_that_were_written_and_read_have_it)
{
    run_ios(begin_files, 3);
    world_down(&w);
}

static void looked_up(struct weft_op *op, struct weft_op *lookup)
{
    part_over(op, lookup);
    weft_lookup_free(&io_of(op)->lookup);
    weft_finish(op, 0);
}

static void begin_lookup(struct weft_op *op)
{
    weft_lookup(op, &io_of(op)->lookup, "127.0.0.1", "80", looked_up);
}

TEST(a_lookup_has_it)
{
    run_ios(begin_lookup, 1);
    world_down(&w);
}

/* ---- other processes ------------------------------------------------------------------------ */

static void child_over(struct weft_op *op, struct weft_op *process)
{
    part_over(op, process);
    weft_finish(op, 0);
}

static void begin_child(struct weft_op *op)
{
    static const char *const args[] = {"true", NULL};
    weft_process(op, &io_of(op)->process, args, child_over);
}

TEST(the_end_of_a_process_has_it)
{
    run_ios(begin_child, 1);
    world_down(&w);
}

/* ---- streams -------------------------------------------------------------------------------- */

static void said_or_heard(struct weft_op *op, struct weft_op *part)
{
    struct io *io = io_of(op);
    part_over(op, part);
    if (io->byte == 'x' && io->write.written == 1)
        weft_end(op, 0); /* closes both */
}

static void open_ends(struct weft_op *op)
{
    weft_stream_open(op, &io_of(op)->near, weft_ignore);
    weft_stream_open(op, &io_of(op)->far, weft_ignore);
}

static void talk(struct weft_op *op)
{
    struct io *io = io_of(op);
    weft_read(op, &io->read, &io->far, &io->byte, 1, said_or_heard);
    weft_write(op, &io->write, &io->near, "x", 1, said_or_heard);
}

static void begin_pair(struct weft_op *op)
{
    open_ends(op);
    assert_int_equal(weft_stream_pair(&io_of(op)->near, &io_of(op)->far), 0);
    talk(op);
}

TEST(reads_and_writes_have_it)
{
    run_ios(begin_pair, 2);
    world_down(&w);
}

/* All requests connect to one listener, which has a value of its own. Which of them gets whose
 * connection is left to chance: they all say the same. */
static struct request owner;
static struct weft_listen listener;

static void end_connected(struct weft_op *op, struct weft_op *part)
{
    struct io *io = io_of(op);
    part_over(op, part);
    if (weft_stream_connected(&io->near) && weft_stream_connected(&io->far))
        talk(op);
}

static void begin_connecting(struct weft_op *op)
{
    struct io *io = io_of(op);
    open_ends(op);
    weft_accept(op, &io->accept, &listener, &io->far, end_connected);
    weft_connect_address(op, &io->connect, &io->near, &listener.address, end_connected);
}

TEST(connections_have_it_on_both_sides)
{
    struct weft_address address;
    assert_int_equal(weft_address_parse(&address, "127.0.0.1:0"), 0);
    world_up(&w);
    owner = (struct request){.status = 1};
    weft_run(weft_root(&w.loop), &owner.op, NULL, noted);
    assert_int_equal(weft_context_set(&owner.op, &request_key, &owner), 0);
    weft_listen(&owner.op, &listener, &address, weft_ignore);
    requests_start(ios, sizeof ios[0], begin_connecting);
    while (weft_running(weft_root(&w.loop)) > 1 && uv_run(&w.uv, UV_RUN_ONCE) != 0) {
    }
    requests_check(4);
    weft_end(&owner.op, 0);
    world_down(&w);
    assert_int_equal(owner.released, 1);
}
