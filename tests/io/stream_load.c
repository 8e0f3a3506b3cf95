/* Many connections, and streams on which everything happens at once, in an order drawn from a seed.
 * ctest: labels=stress,model timeout=180 */
#include "streams.h"
#include "model.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- ten thousand connections --------------------------------------------------------------- */

enum { SLOTS = 32, MESSAGE = 1000 };

struct server {
    struct weft_op op;
    struct weft_stream stream;
    struct weft_accept accept;
    struct weft_read read;
    struct weft_write write;
    char bytes[4096];
};

struct client {
    struct weft_op op;
    struct weft_stream stream;
    struct weft_connect connect;
    struct weft_write write;
    struct weft_stream_wait half;
    struct weft_read_all answer;
    char bytes[MESSAGE];
};

static struct weft_listen listener;
static struct server servers[SLOTS];
static struct client clients[SLOTS];
static unsigned long begun, done, wanted;

static void server_serve(struct weft_op *op, struct weft_op *closed);
static void server_read(struct weft_op *op, struct weft_op *read);

static void server_wrote(struct weft_op *op, struct weft_op *write)
{
    struct server *s = weft_owner(op, struct server, op);
    if (write->status != 0)
        weft_stream_close(&s->stream);
    else
        weft_read(op, &s->read, &s->stream, s->bytes, sizeof s->bytes, server_read);
}

static void server_read(struct weft_op *op, struct weft_op *read)
{
    struct server *s = weft_owner(op, struct server, op);
    if (read->status != 0)
        weft_stream_close(&s->stream); /* its then accepts the next */
    else
        weft_write(op, &s->write, &s->stream, s->bytes, s->read.size, server_wrote);
}

static void server_accepted(struct weft_op *op, struct weft_op *accept)
{
    struct server *s = weft_owner(op, struct server, op);
    if (accept->status == 0)
        weft_read(op, &s->read, &s->stream, s->bytes, sizeof s->bytes, server_read);
}

static void server_serve(struct weft_op *op, struct weft_op *closed)
{
    struct server *s = weft_owner(op, struct server, op);
    if ((closed != NULL && closed->status != 0) || weft_cancelled(op))
        return;
    weft_stream_open(op, &s->stream, server_serve);
    weft_accept(op, &s->accept, &listener, &s->stream, server_accepted);
}

static void server_begin(struct weft_op *op)
{
    server_serve(op, NULL);
}

static void client_answered(struct weft_op *op, struct weft_op *answer)
{
    struct client *c = weft_owner(op, struct client, op);
    assert_int_equal(answer->status, 0);
    assert_int_equal(c->answer.size, MESSAGE);
    assert_memory_equal(c->answer.data, c->bytes, MESSAGE);
    weft_read_all_free(&c->answer);
    weft_end(op, 0);
}

static void client_connected(struct weft_op *op, struct weft_op *connect)
{
    struct client *c = weft_owner(op, struct client, op);
    assert_int_equal(connect->status, 0);
    pattern_fill(c->bytes, begun, MESSAGE);
    weft_write(op, &c->write, &c->stream, c->bytes, MESSAGE, NULL);
    weft_shutdown(op, &c->half, &c->stream, NULL);
    weft_read_all(op, &c->answer, &c->stream, 2 * MESSAGE, client_answered);
}

static void client_begin(struct weft_op *op)
{
    struct client *c = weft_owner(op, struct client, op);
    begun++;
    weft_stream_open(op, &c->stream, NULL);
    weft_connect_address(op, &c->connect, &c->stream, &listener.address, client_connected);
}

static void client_over(struct weft_op *root, struct weft_op *op)
{
    assert_int_equal(op->status, 0);
    done++;
    if (begun < wanted)
        weft_run(root, op, client_begin, client_over);
    else if (done == wanted)
        weft_cancel(root, UV_ECANCELED);
}

static void connect_many(const char *text, unsigned long count)
{
    struct world w;
    struct weft_address address;
    world_up(&w);
    memset(&listener, 0, sizeof listener);
    begun = done = 0;
    wanted = count;
    assert_int_equal(weft_address_parse(&address, text), 0);
    weft_listen(root_of(&w), &listener, &address, noted);
    for (int i = 0; i < SLOTS; i++) {
        weft_run(root_of(&w), &servers[i].op, server_begin, noted);
        weft_run(root_of(&w), &clients[i].op, client_begin, client_over);
    }
    for (int i = 0; i < SLOTS; i++)
        weft_join(&servers[i].op);
    world_down(&w);
    assert_int_equal(done, wanted);
}

TEST(ten_thousand_connections_come_and_go)
{
    char text[100];
    snprintf(text, sizeof text, "unix:@weft-load-%d", (int)getpid());
    connect_many(text, check_scale(8000));
    connect_many("127.0.0.1:0", 2000);
}

/* ---- everything at once --------------------------------------------------------------------- */

enum { WRITES = 4, RECORDS = 400, ACTIONS = 300 };

struct record {
    size_t from, size, written;
};

struct side {
    struct weft_stream stream;
    struct weft_read read;
    struct weft_write writes[WRITES];
    struct record *records[WRITES]; /* of the write that runs there */
    struct weft_stream_wait gone, room, half;
    char buffer[70000];
    char *received;
    size_t received_size, received_room;
    struct record log[RECORDS]; /* all writes, in the order in which they were begun */
    size_t logged;
    bool saw_end;
};

static struct side sides[2];
static char text[300000];
static bool tcp;
static struct world chaos;

static void read_over(struct weft_op *root, struct weft_op *op)
{
    struct side *side = weft_owner(op, struct side, read.op);
    size_t size = side->read.size;
    (void)root;
    agree(op->status == 0 ? size > 0 : size == 0);
    if (op->status == UV_EOF)
        side->saw_end = true;
    agree(!side->saw_end || size == 0);
    if (side->received_size + size > side->received_room) {
        side->received_room = 2 * (side->received_size + size);
        side->received = realloc(side->received, side->received_room);
        agree(side->received != NULL);
    }
    if (size > 0)
        memcpy(side->received + side->received_size, side->buffer, size);
    side->received_size += size;
}

static void write_over(struct weft_op *root, struct weft_op *op)
{
    struct weft_write *write = weft_owner(op, struct weft_write, op);
    struct side *side = weft_owner(write->stream, struct side, stream);
    struct record *record = side->records[write - side->writes];
    (void)root;
    record->written = write->written;
    agree(op->status != 0 || write->written == record->size);
    agree(write->written <= record->size);
}

static void over_it_is(struct weft_op *root, struct weft_op *op)
{
    (void)root;
    (void)op;
}

static size_t random_below(size_t limit)
{
    return (size_t)weft_sim_random(&chaos.sim, limit);
}

static void begin_write(struct side *side)
{
    for (int i = 0; i < WRITES; i++) {
        struct weft_write *write = &side->writes[i];
        if (!over(&write->op) || side->logged == RECORDS)
            continue;
        struct record *record = &side->log[side->logged++];
        record->size = random_below(4) == 0 ? random_below(sizeof text / 2) : random_below(2000);
        record->from = random_below(sizeof text - record->size + 1);
        record->written = 0;
        side->records[i] = record;
        size_t cut = record->size > 0 ? random_below(record->size) : 0;
        uv_buf_t parts[2] = {
            uv_buf_init(text + record->from, (unsigned)cut),
            uv_buf_init(text + record->from + cut, (unsigned)(record->size - cut))};
        weft_writev(root_of(&chaos), write, &side->stream, parts, 2, write_over);
        return;
    }
}

static void cancel_something(struct side *side)
{
    struct weft_op *ops[] = {&side->read.op,      &side->gone.op,      &side->room.op,
                             &side->half.op,      &side->writes[0].op, &side->writes[1].op,
                             &side->writes[2].op, &side->writes[3].op};
    weft_cancel(ops[random_below(sizeof ops / sizeof ops[0])], UV_EINTR);
}

static void act(struct side *side)
{
    struct weft_op *root = root_of(&chaos);
    switch (random_below(24)) {
    case 0:
        if (over(&side->gone.op))
            weft_stream_gone(root, &side->gone, &side->stream, over_it_is);
        break;
    case 1:
        if (over(&side->room.op))
            weft_stream_room(root, &side->room, &side->stream, over_it_is);
        break;
    case 2:
        if (random_below(10) == 0 && over(&side->half.op))
            weft_shutdown(root, &side->half, &side->stream, over_it_is);
        break;
    case 3:
        if (random_below(20) == 0)
            weft_stream_close(&side->stream);
        break;
    case 4:
    case 5:
        cancel_something(side);
        break;
    case 6:
    case 7:
    case 8:
    case 9:
    case 10:
        begin_write(side);
        break;
    default:
        if (over(&side->read.op))
            weft_read(root, &side->read, &side->stream, side->buffer,
                      1 + random_below(sizeof side->buffer), read_over);
    }
}

/* What the stream says of itself is true after every event. */
static void check_side(const struct side *side)
{
    const struct weft_stream *stream = &side->stream;
    size_t waiting = 0;
    if (over(&stream->op) || stream->op.state_ != OP_RUNNING)
        return;
    for (int i = 0; i < WRITES; i++) {
        if (side->writes[i].op.state_ == OP_RUNNING)
            waiting += side->writes[i].size - side->writes[i].written;
    }
    agree(stream->waiting == waiting);
    agree((stream->reader_ != NULL) == (side->read.op.state_ == OP_RUNNING));
    agree((stream->gone_ != NULL) == (side->gone.op.state_ == OP_RUNNING));
    bool awaited = stream->reader_ != NULL || stream->gone_ != NULL || stream->writes_ != NULL;
    agree(stream->watch_.fd_ < 0 || stream->watch_.held_ == awaited);
}

static void check_sides(struct weft_sim *sim)
{
    (void)sim;
    check_side(&sides[0]);
    check_side(&sides[1]);
}

/* What was received is the beginning of what was written; over TCP, if it has come to an end, it is
 * all of it. */
static void compare(const struct side *from, const struct side *to)
{
    size_t at = 0;
    for (size_t i = 0; i < from->logged && at < to->received_size; i++) {
        const struct record *record = &from->log[i];
        size_t size = record->written;
        if (size > to->received_size - at)
            size = to->received_size - at;
        agree(memcmp(to->received + at, text + record->from, size) == 0);
        at += size;
    }
    agree(at == to->received_size);
    size_t written = 0;
    for (size_t i = 0; i < from->logged; i++)
        written += from->log[i].written;
    agree(!tcp || !to->saw_end || written == to->received_size);
}

static void all_at_once(uint64_t seed)
{
    memset(sides, 0, sizeof sides);
    model_begin("streams", seed);
    world_up_sim(&chaos, seed);
    struct ends ends = {0};
    tcp = random_below(2) == 0;
    if (tcp)
        ends_up_tcp(&chaos, &ends);
    else
        ends_up(&chaos, &ends);
    /* Take the descriptors over into the sides. */
    for (int i = 0; i < 2; i++) {
        struct weft_stream *stream = i == 0 ? &ends.a : &ends.b;
        int fd = dup(weft_stream_fd(stream));
        weft_stream_open(root_of(&chaos), &sides[i].stream, over_it_is);
        weft_stream_close(stream);
        await(&chaos, &stream->op);
        assert_int_equal(weft_stream_adopt(&sides[i].stream, fd), 0);
        sides[i].stream.high_water = 1 + random_below(10000);
        sides[i].stream.write_max = 1 + random_below(400000);
        if (random_below(2) == 0)
            make_tiny(fd);
    }
    chaos.sim.invariant = check_sides;
    for (int i = 0; i < ACTIONS; i++) {
        schedule.steps++;
        act(&sides[random_below(2)]);
        check_sides(&chaos.sim);
        for (size_t steps = random_below(6); steps > 0; steps--) {
            struct weft_op turn = {0}; /* so that a step has something to do */
            weft_immediate(root_of(&chaos), &turn, NULL);
            while (!over(&turn))
                weft_sim_step(&chaos.sim);
        }
    }
    weft_stream_close(&sides[0].stream);
    weft_stream_close(&sides[1].stream);
    world_down(&chaos);
    compare(&sides[0], &sides[1]);
    compare(&sides[1], &sides[0]);
    free(sides[0].received);
    free(sides[1].received);
}

static unsigned long ended, received_bytes;

TEST(streams_keep_their_word_whatever_happens_on_them)
{
    uint64_t first = model_first_seed();
    pattern_fill(text, 0, sizeof text);
    for (uint64_t seed = first; seed < first + check_scale(400); seed++) {
        all_at_once(seed);
        ended += sides[0].saw_end + sides[1].saw_end;
        received_bytes += sides[0].received_size + sides[1].received_size;
    }
    assert_true(ended > 0 && received_bytes > 1000000); /* something did happen */
}
