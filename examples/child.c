/* child: shell commands, what they say, and how each ended.
 *
 * A child process is an operation that lasts as long as the child. Its output and its errors come
 * through pipes, which are streams like any other, and are collected up to a limit; who writes more
 * finds the pipe closed. A deadline on the process ends a child that takes too long, and its whole
 * group with it: otherwise what the shell has started would live on and hold the pipes open. */
#include <weft.h>

enum { OUTPUT_MAX = 4096, SECOND = 1000 };

struct command {
    struct weft_op op;
    const char *script;
    unsigned patience_ms;
    struct weft_process process;
    struct weft_deadline deadline;
    struct weft_stream out, err;
    struct weft_read_all said, complained;
};

/* The end of the pipe, or too much: either way we read no more. */
static void collected(struct weft_op *op, struct weft_op *all)
{
    (void)op;
    weft_stream_close(weft_owner(all, struct weft_read_all, op)->stream);
}

static void run_command(struct weft_op *op)
{
    struct command *command = weft_owner(op, struct command, op);
    struct weft_process *process = &command->process;
    const char *args[] = {"sh", "-c", command->script, NULL};
    weft_stream_open(op, &command->out, NULL);
    weft_stream_open(op, &command->err, NULL);
    process->out = (struct weft_stdio){.kind = WEFT_STDIO_STREAM, .stream = &command->out};
    process->err = (struct weft_stdio){.kind = WEFT_STDIO_STREAM, .stream = &command->err};
    process->group = true;
    weft_process(op, process, args, weft_ignore); /* a command that fails is no error of ours */
    weft_deadline(&process->op, &command->deadline, command->patience_ms);
    weft_read_all(op, &command->said, &command->out, OUTPUT_MAX, collected);
    weft_read_all(op, &command->complained, &command->err, OUTPUT_MAX, collected);
    weft_join(op); /* over when the child is, and both pipes are closed */
}

static struct command commands[] = {
    {.script = "echo hello; echo oh >&2; exit 3", .patience_ms = 60 * SECOND},
    {.script = "sleep 1000 & sleep 1000", .patience_ms = SECOND / 5},
    {.script = "exec yes", .patience_ms = 60 * SECOND},
    {.script = "echo all is well", .patience_ms = 60 * SECOND},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void run_all(struct weft_op *op)
{
    for (int i = 0; i < COMMANDS; i++)
        weft_run(op, &commands[i].op, run_command, NULL);
    weft_join(op);
}

static void show(const char *what, struct weft_read_all *all)
{
    if (all->op.status == UV_EFBIG)
        printf("  %s: too much\n", what);
    else if (all->op.status != 0)
        printf("  %s: %s\n", what, weft_strerror(all->op.status));
    else if (all->size > 0)
        printf("  %s: %s", what, all->data);
    weft_read_all_free(all);
}

int main(void)
{
    struct weft_op all = {0};
    int status = weft_go(&all, run_all);
    for (int i = 0; i < COMMANDS; i++) {
        char how[128];
        printf("%s\n", commands[i].script);
        show("out", &commands[i].said);
        show("err", &commands[i].complained);
        printf("  %s\n", weft_process_explain(&commands[i].process, how, sizeof how));
    }
    return status != 0;
}
