/* Many clients at once, and what comes of it.
 *
 * A paced load is a client for each request, which sleeps until its turn has come: so a slow answer
 * delays nobody's question. A closed loop is a number of clients that ask again at once, until the
 * time is over; what is under way then is awaited and counts, too. */
#include "sales/bench.h"
#include <weft/alloc.h>

struct bench_member {
    struct bench_client client;
    struct bench_load *load;
    char buffer[BENCH_ANSWER_MAX];
};

static void keep_answer(struct bench_load *load, struct weft_text body)
{
    size_t size = body.size < sizeof load->answer ? body.size : sizeof load->answer - 1;
    memcpy(load->answer, body.data, size);
    load->answer[size] = '\0';
    load->answer[strcspn(load->answer, "\r\n")] = '\0';
}

static bool answered(struct bench_client *client)
{
    struct bench_load *load = weft_owner(client, struct bench_member, client)->load;
    uint64_t now = client->took_ns + client->asked_ns;
    load->took_ns = now - load->begun_ns_;
    if (client->status == 200) {
        load->requests++;
        latency_add(&load->latency, client->took_ns);
    } else {
        load->failed++;
        load->status = client->status;
    }
    bool more = now < load->until_ns_;
    if (client->status != 200 || (!more && load->failed == 0))
        keep_answer(load, client->body);
    return more;
}

static void start(struct bench_load *load, size_t index)
{
    struct bench_member *member = &load->members_[index];
    member->load = load;
    member->client.server = load->server;
    member->client.request = load->request;
    member->client.delay_ms = index * load->every_ms;
    member->client.buffer = member->buffer;
    member->client.capacity = sizeof member->buffer;
    member->client.answered = answered;
    bench_client(&load->op, &member->client, NULL);
}

void bench_load_begin(struct weft_op *op)
{
    struct bench_load *load = weft_owner(op, struct bench_load, op);
    uint64_t last_ms = load->every_ms > 0 ? load->clients * load->every_ms : load->for_ms;
    load->members_ = weft_calloc(load->clients, sizeof *load->members_);
    if (load->members_ == NULL) {
        weft_finish(op, UV_ENOMEM);
        return;
    }
    uv_update_time(weft_loop_of(op)->uv); /* or the first ones would come too soon */
    load->begun_ns_ = uv_hrtime();
    load->until_ns_ = load->begun_ns_ + load->for_ms * 1000000;
    weft_deadline(op, &load->deadline_, last_ms + load->patience_ms);
    for (size_t i = 0; i < load->clients; i++)
        start(load, i);
    weft_join(op);
}

void bench_load_free(struct bench_load *load)
{
    weft_free(load->members_);
    load->members_ = NULL;
}
