/* The server of a run.
 *
 *     begin ─► its first line says where it is ─► ready … ─► it ends, or is ended ─► over
 *
 * Its process is a child of the op, so the op is not over before it is reaped. */
#include "benching/benching.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <weft/error.h>

enum { START_MS = 30000 };

static struct bench_server *server_of(struct weft_op *op)
{
    return weft_owner(op, struct bench_server, op);
}

/* The first reason stands; that something ends because we do is none. */
__attribute__((format(printf, 3, 4))) static void fail(struct bench_server *server, int status,
                                                       const char *format, ...)
{
    if (server->why[0] == '\0' && weft_cancelled(&server->op) == 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(server->why, sizeof server->why, format, arguments);
        va_end(arguments);
    }
    weft_end(&server->op, status);
}

/* The line ends with " at http://127.0.0.1:PORT/". */
static bool find_address(struct bench_server *server)
{
    static const char before[] = " at http://";
    char *at = strstr(server->line_, before);
    if (at == NULL)
        return false;
    at += sizeof before - 1;
    at[strcspn(at, "/\n")] = '\0';
    return weft_address_parse(&server->address, at) == 0;
}

static void line_came(struct weft_op *op, struct weft_op *read);

static void read_line(struct bench_server *server)
{
    weft_read(&server->op, &server->read_, &server->out_, server->line_ + server->line_size_,
              sizeof server->line_ - 1 - server->line_size_, line_came);
    weft_deadline(&server->read_.op, &server->deadline_, START_MS);
}

static void line_came(struct weft_op *op, struct weft_op *read)
{
    struct bench_server *server = server_of(op);
    server->line_size_ += server->read_.size;
    if (read->status == UV_EOF)
        return; /* it has ended, or will: process_over says why */
    if (read->status == UV_ETIMEDOUT)
        fail(server, read->status, "the server does not start in %d seconds", START_MS / 1000);
    else if (read->status != 0)
        fail(server, read->status, "the server says nothing: %s", weft_strerror(read->status));
    else if (strchr(server->line_, '\n') != NULL && find_address(server))
        server->ready(server);
    else if (server->line_size_ + 1 < sizeof server->line_ && strchr(server->line_, '\n') == NULL)
        read_line(server);
    else
        fail(server, UV_EPROTO, "the server does not say where it is");
}

static void process_over(struct weft_op *op, struct weft_op *process)
{
    struct bench_server *server = server_of(op);
    char text[128];
    weft_process_explain(&server->process_, text, sizeof text);
    fail(server, process->status != 0 ? process->status : WEFT_EEXIT, "the server has ended: %s",
         text);
}

void bench_server_begin(struct weft_op *op)
{
    struct bench_server *server = server_of(op);
    struct weft_process *process = &server->process_;
    server->why[0] = '\0';
    server->line_size_ = 0;
    memset(server->line_, 0, sizeof server->line_);
    process->group = true; /* Ctrl-C is for us; we tell it */
    process->grace_ms = server->grace_ms;
    process->out = (struct weft_stdio){.kind = WEFT_STDIO_STREAM, .stream = &server->out_};
    process->err = (struct weft_stdio){.kind = WEFT_STDIO_INHERIT};
    weft_stream_open(op, &server->out_, weft_ignore);
    weft_process(op, process, server->words.words, process_over);
    read_line(server);
}
