/* context: a request's number in every line of the log, passed on by nobody.
 *
 * What is set on an operation is there in everything that is begun under it: in the task that
 * waits in a queue which all requests share, after the sleep, after the visit to the thread pool.
 * The logger gets a text and nothing else; it asks for the operation on whose behalf it was
 * called. */
#include <stdlib.h>
#include <weft.h>
#include <weft/context.h>
#include <weft/hook.h>
#include <weft/sim.h>

enum { REQUESTS = 3 };

static struct weft_key number_key = {.name = "the request's number", .release = free};

static void say(const char *text)
{
    const int *number = weft_context_get(weft_current(), &number_key);
    if (number != NULL)
        printf("request %d: %s\n", *number, text);
    else
        printf("nobody's: %s\n", text);
}

/* ---- three floors down, where nobody knows of requests -------------------------------------- */

static struct weft_queue files; /* one at a time, for all requests */

struct load {
    struct weft_op op;
    struct weft_sleep pause;
    struct weft_file_read file;
};

static void load_read(struct weft_op *op, struct weft_op *file)
{
    struct load *load = weft_owner(op, struct load, op);
    say(file->status == 0 ? "the poem is there" : weft_strerror(file->status));
    weft_file_read_free(&load->file);
    weft_finish(op, file->status);
}

static void load_rested(struct weft_op *op, struct weft_op *pause)
{
    (void)pause;
    say("reading");
    weft_file_read(op, &weft_owner(op, struct load, op)->file, "poem.txt", load_read);
}

static void load_begin(struct weft_op *op)
{
    say("it is my turn");
    weft_sleep(op, &weft_owner(op, struct load, op)->pause, 10, load_rested);
}

/* ---- requests ------------------------------------------------------------------------------- */

static struct request {
    struct weft_op op;
    struct load load;
} requests[REQUESTS];

static void request_begin(struct weft_op *op)
{
    struct request *request = weft_owner(op, struct request, op);
    int *number = malloc(sizeof *number);
    if (number != NULL)
        *number = 1 + (int)(request - requests);
    weft_context_set(op, &number_key, number); /* freed when the last one who has it is over */
    say("waiting");
    weft_queue_push(&files, op, &request->load.op, load_begin, weft_pass);
}

static void begin(struct weft_op *op)
{
    weft_queue_init(&files, weft_loop_of(op), 1);
    for (int i = 0; i < REQUESTS; i++)
        weft_run(op, &requests[i].op, request_begin, NULL);
    say("all have begun");
    weft_join(op);
}

int main(void)
{
    struct weft_op app = {0};
    return weft_sim_go(&app, begin, 0) != 0;
}
