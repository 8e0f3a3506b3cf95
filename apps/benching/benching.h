/* apps/benching/benching.h: what the benches of our servers share.
 *
 *     bench ── run (in a mode) ──┬── server   a child process: this program, serving
 *                                └── clients  that ask it
 *
 * Times are in benching/latency.h. */
#ifndef WEFT_BENCHING_H
#define WEFT_BENCHING_H

#include "command.h"
#include <weft/process.h>
#include <weft/stream.h>
#include <weft/text.h>

/* ---- client.c: one who asks ------------------------------------------------------------------ */

/* Asks over one connection, which is kept as long as the server likes, until answered says that
 * this was the last time. The answer has to tell its length, or to come in chunks, and to fit in
 * the buffer.
 *   WEFT_EHTTP     what came is no answer, or does not fit
 *   UV_EOF         the server hung up instead of answering
 *   the errors of weft_connect_address, weft_write and weft_read */
struct bench_client {
    struct weft_op op;
    const struct weft_address *server;
    struct weft_text request; /* all of its bytes; they stay */
    uint64_t delay_ms;        /* before the first one */
    uint64_t pause_ms;        /* between an answer and the next one, unless the server closes */
    char *buffer;
    size_t capacity;
    /* Called with each answer; false: no more. */
    bool (*answered)(struct bench_client *client);

    int status;            /* of the answer: 200 */
    struct weft_text body; /* in buffer, until answered has returned */
    uint64_t took_ns;      /* from the request to all of the answer */

    uint64_t asked_ns; /* when it asked what was not answered yet; 0: there is nothing */

    size_t size_;
    bool closes_, chunked_, again_;
    struct weft_stream stream_;
    struct weft_connect connect_;
    struct weft_sleep sleep_;
    struct weft_write write_;
    struct weft_read read_;
};
#define bench_client(parent, client, then) weft_run(parent, &(client)->op, bench_client_begin, then)
void bench_client_begin(struct weft_op *op);

/* ---- child.c: this program once more --------------------------------------------------------- */

#define BENCH_SERVER "server-of" /* a kind of child */

/* The words that start `PROGRAM COMMAND bench KIND PID REST…`, as weft_process takes them. All texts
 * stay; rest ends with NULL and has at most BENCH_REST words. */
enum { BENCH_REST = 24, BENCH_NUMBER_MAX = 24 };
struct bench_words {
    const char *words[5 + BENCH_REST + 1];
    char parent[BENCH_NUMBER_MAX];
};
void bench_words(struct bench_words *words, const char *program, const char *command,
                 const char *kind, const char *const *rest);

/* What such a one does. argv[0] is "bench". */
bool bench_is_child(int argc, char **argv, const char *kind);
/* Run, with the words behind PID, until the parent ends, however that is. */
int bench_be_child(int argc, char **argv, command_fn *run);
void bench_end_with_parent(void); /* child_linux.c */

/* ---- server.c: a server for one run ---------------------------------------------------------- */

/* A child that says " at http://ADDRESS:PORT/" at the end of its first line when it is ready. The op
 * lasts as long as the child does; end its parent, or cancel it, to end it. Any other end is an error,
 * with a sentence in why. */
struct bench_server {
    struct weft_op op;
    struct bench_words words;
    uint64_t grace_ms; /* from being asked to go to being killed; 0: weft_process's default */
    void (*ready)(struct bench_server *server);

    struct weft_address address; /* read only, from ready on */
    char why[256];               /* read only, once over; "": it was ended by us */

    struct weft_process process_;
    struct weft_stream out_;
    struct weft_read read_;
    struct weft_deadline deadline_;
    char line_[512];
    size_t line_size_;
};
#define bench_server(parent, server, then) weft_run(parent, &(server)->op, bench_server_begin, then)
void bench_server_begin(struct weft_op *op);

#endif
