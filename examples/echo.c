/* echo: a TCP server of connection slots that sees a client leave.
 *
 * Beside the work for each waits weft_stream_gone, without a then: who leaves ends the work. */
#include <weft.h>
enum { SLOTS = 2, WORK_MS = 100 };
struct talk { /* one end of a connection, and what is done there, step by step */
    struct weft_op op;
    struct weft_stream stream;
    struct weft_series steps;
    struct weft_accept accept;
    struct weft_connect connect;
    struct weft_read read;
    struct weft_write write;
    struct weft_stream_wait gone;
    struct weft_sleep work;
    struct weft_deadline patience;
    char text[32];
};
static struct weft_op app;
static struct weft_listen server;
static struct talk slots[SLOTS], client;

static void meet(struct weft_op *steps)
{
    struct talk *t = weft_owner(steps, struct talk, steps.op);
    if (t == &client)
        weft_connect_address(steps, &t->connect, &t->stream, &server.address, NULL);
    else
        weft_accept(steps, &t->accept, &server, &t->stream, NULL);
}

static void hear(struct weft_op *steps)
{
    struct talk *t = weft_owner(steps, struct talk, steps.op);
    weft_read(steps, &t->read, &t->stream, t->text, sizeof t->text, NULL);
}

static void work(struct weft_op *steps)
{
    struct talk *t = weft_owner(steps, struct talk, steps.op);
    printf("server: \"%s\" takes %d ms\n", t->text, WORK_MS);
    weft_stream_gone(&t->op, &t->gone, &t->stream, NULL); /* ends the slot's op, and so the steps */
    weft_sleep(steps, &t->work, WORK_MS, NULL);
}

static void tell(struct weft_op *steps)
{
    struct talk *t = weft_owner(steps, struct talk, steps.op);
    weft_write(steps, &t->write, &t->stream, t->text, sizeof t->text, NULL);
}

static void answered(struct weft_op *op, struct weft_op *steps)
{
    (void)op;
    printf("client: %s\n", steps->status == 0 ? client.text : weft_strerror(steps->status));
    weft_stream_close(&client.stream);
}

static void ask(const char *text, uint64_t patience_ms)
{
    snprintf(client.text, sizeof client.text, "%s", text);
    weft_stream_open(&app, &client.stream, NULL);
    weft_series(&app, &client.steps, answered, meet, tell, hear);
    weft_deadline(&client.steps.op, &client.patience, patience_ms);
}

static void serve(struct weft_op *op)
{
    struct talk *t = weft_owner(op, struct talk, op);
    weft_stream_open(op, &t->stream, NULL);
    weft_series(op, &t->steps, NULL, meet, hear, work, tell);
}

static void client_left(struct weft_op *op, struct weft_op *slot)
{
    bool done = weft_owner(slot, struct talk, op)->steps.op.status == 0;
    if (weft_cancelled(op))
        return;
    printf("server: the client left%s\n", done ? "" : ", the work was stopped");
    weft_run(op, slot, serve, client_left); /* the slot is free for the next */
    if (done)
        ask("and now?", WORK_MS / 4);
    else
        weft_end(op, 0); /* cancels the listener and both slots, and awaits them */
}

static void begin(struct weft_op *op)
{
    weft_address_parse(&server.address, "127.0.0.1:0");
    weft_listen(op, &server, &server.address, NULL);
    for (int i = 0; i < SLOTS; i++)
        weft_run(op, &slots[i].op, serve, client_left);
    ask("is anybody there?", 10 * WORK_MS);
}

int main(void)
{
    return weft_go(&app, begin) != 0;
}
