/* weft trace record: a program under observation.
 *
 * The library records by itself when WEFT_TRACE is set; here a command is run with that in its
 * environment, and afterwards it is told what came of it. The command keeps the terminal, its input
 * and its output. Signals that ask us to end are passed on to it, and we end when it has: what it
 * makes of them is its own affair, and its trace is written at its end. What was sent to our whole
 * group (by a terminal, by timeout) is not passed on, because the command has got it, too: two would
 * be one too many for those who take the second for impatience. */
#include "trace/trace.h"
#include "trace/witness.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft.h>
#include <weft/trace.h>

enum { EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127, EXIT_SIGNAL = 128 };

static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { PASSED_ON = sizeof passed_on / sizeof passed_on[0] };

/* A signal on its way to the command. */
struct passing {
    struct record *record;
    struct weft_signal signal;
    struct weft_timer delay;
    bool waits; /* for the witness: one more of the same changes nothing */
};

struct record {
    struct weft_op op;
    struct weft_process process;
    struct passing passing[PASSED_ON];
    struct witness witness;
    const char *const *args;
    const char *file;   /* as the user named it */
    uint64_t events;    /* 0: as many as the library likes */
    const char **env;   /* of the command */
    char *variables[2]; /* those of ours in it */
    struct stat before; /* of the file; all 0 if there was none */
};

/* ---- signals -------------------------------------------------------------------------------- */

/* So long the witness may take to say that the command has got the signal, too. */
enum { WITNESS_MS = 200 };

static void pass_on(struct weft_timer *timer)
{
    struct passing *passing = weft_owner(timer, struct passing, delay);
    int signum = passing->signal.signum;
    passing->waits = false;
    if (!witness_saw(&passing->record->witness, signum))
        weft_process_kill(&passing->record->process, signum);
}

static void signal_arrived(struct weft_op *op)
{
    struct passing *passing =
        weft_owner(weft_owner(op, struct weft_signal, op), struct passing, signal);
    if (!passing->waits)
        weft_timer_start(weft_loop_of(op), &passing->delay, WITNESS_MS, pass_on);
    passing->waits = true;
}

/* ---- the run -------------------------------------------------------------------------------- */

static void command_over(struct weft_op *op, struct weft_op *process)
{
    struct record *record = weft_owner(op, struct record, op);
    for (size_t i = 0; i < PASSED_ON; i++) {
        weft_timer_stop(weft_loop_of(op), &record->passing[i].delay);
        weft_end(&record->passing[i].signal.op, 0);
    }
    weft_end(op, process->status);
}

static void begin(struct weft_op *op)
{
    struct record *record = weft_owner(op, struct record, op);
    struct weft_process *process = &record->process;
    process->in.kind = process->out.kind = process->err.kind = WEFT_STDIO_INHERIT;
    process->env = record->env;
    for (size_t i = 0; i < PASSED_ON; i++) {
        struct passing *passing = &record->passing[i];
        passing->record = record;
        passing->signal.arrived = signal_arrived;
        weft_signal(op, &passing->signal, passed_on[i], NULL);
    }
    weft_process(op, process, record->args, command_over);
}

/* ---- the environment ------------------------------------------------------------------------ */

static bool is_ours(const char *variable)
{
    return strncmp(variable, "WEFT_TRACE=", 11) == 0 ||
           strncmp(variable, "WEFT_TRACE_EVENTS=", 18) == 0;
}

/* The command may work in another folder than we do: the file is named from the root. */
static char *variable_for_file(const char *file)
{
    char here[4096] = "";
    if (file[0] != '/' && getcwd(here, sizeof here) == NULL)
        return NULL;
    size_t size = sizeof "WEFT_TRACE=/" + strlen(here) + strlen(file);
    char *variable = weft_alloc(size);
    if (variable != NULL)
        snprintf(variable, size, "WEFT_TRACE=%s%s%s", here, file[0] == '/' ? "" : "/", file);
    return variable;
}

static char *variable_for_events(uint64_t events)
{
    enum { SIZE = 48 };
    char *variable = weft_alloc(SIZE);
    if (variable != NULL)
        snprintf(variable, SIZE, "WEFT_TRACE_EVENTS=%" PRIu64, events);
    return variable;
}

static bool set_environment(struct record *record)
{
    size_t count = 0, left = 0;
    while (environ[count] != NULL)
        count++;
    record->env = weft_calloc(count + 3, sizeof *record->env);
    record->variables[0] = variable_for_file(record->file);
    if (record->events > 0)
        record->variables[1] = variable_for_events(record->events);
    if (record->env == NULL || record->variables[0] == NULL ||
        (record->events > 0 && record->variables[1] == NULL)) {
        complain("cannot start '%s': %s", record->args[0], weft_strerror(UV_ENOMEM));
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_ours(environ[i]))
            record->env[left++] = environ[i];
    }
    record->env[left++] = record->variables[0];
    record->env[left] = record->variables[1];
    return true;
}

static void free_environment(struct record *record)
{
    weft_free(record->variables[0]);
    weft_free(record->variables[1]);
    weft_free(record->env);
}

/* ---- what came of it ------------------------------------------------------------------------ */

/* The library writes the number of the process where "%p" stands. */
static void name_file(const struct record *record, char *name, size_t size)
{
    size_t used = 0;
    name[0] = '\0';
    for (const char *at = record->file; *at != '\0' && used < size; at++) {
        bool number = at[0] == '%' && at[1] == 'p';
        int wrote = number ? snprintf(name + used, size - used, "%d", record->process.pid)
                           : snprintf(name + used, size - used, "%c", *at);
        used += wrote > 0 ? (size_t)wrote : 0;
        at += number;
    }
}

static bool is_new(const struct record *record, const char *name)
{
    struct stat now;
    const struct stat *before = &record->before;
    if (stat(name, &now) != 0)
        return false;
    return now.st_ino != before->st_ino || now.st_dev != before->st_dev ||
           now.st_size != before->st_size || now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
           now.st_mtim.tv_nsec != before->st_mtim.tv_nsec;
}

static const char *signal_name(int signum, char *buffer, size_t size)
{
    static const struct {
        int signum;
        const char *name;
    } names[] = {
        {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
        {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGKILL, "SIGKILL"},
        {SIGSEGV, "SIGSEGV"}, {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"},
        {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].signum == signum)
            return names[i].name;
    }
    snprintf(buffer, size, "signal %d", signum);
    return buffer;
}

static int tell_nothing(const struct record *record, const char *name)
{
    char buffer[24];
    int signum = record->process.term_signal;
    if (signum != 0)
        complain("'%s' was killed by %s before it could write its trace", record->args[0],
                 signal_name(signum, buffer, sizeof buffer));
    else
        complain("'%s' recorded nothing in '%s': is it a program built on libweft, and did it end "
                 "by itself?",
                 record->args[0], name);
    return EXIT_FAILED;
}

/* Reading it all takes a moment, and makes sure that it can be read. */
static int tell(const struct record *record)
{
    char name[4096];
    struct trace_input input = {.path = name, .max_size = TRACE_SIZE_MOST, .top = 1};
    struct trace trace;
    struct analysis analysis;
    name_file(record, name, sizeof name);
    if (!is_new(record, name))
        return tell_nothing(record, name);
    size_t size = strlen(name);
    if (size > 7 && strcmp(name + size - 7, ".folded") == 0) {
        complain("%s: folded stacks", name);
        return EXIT_OK;
    }
    int status = trace_input_read(&input, &trace, &analysis);
    if (status != EXIT_OK)
        return status;
    if (trace.lost > 0)
        complain("%s: %" PRIu64 " events, and %" PRIu64 " older ones lost; --events keeps more",
                 name, trace.events, trace.lost);
    else
        complain("%s: %" PRIu64 " events", name, trace.events);
    analysis_free(&analysis);
    trace_free(&trace);
    return EXIT_OK;
}

static int exit_status(const struct record *record, int status)
{
    if (record->process.pid == 0) {
        complain("cannot run '%s': %s", record->args[0], weft_strerror(status));
        return status == UV_ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
    }
    int told = tell(record);
    if (record->process.term_signal != 0)
        return EXIT_SIGNAL + record->process.term_signal;
    return record->process.exit_code != 0 ? record->process.exit_code : told;
}

/* ---- the command line ----------------------------------------------------------------------- */

/* Does the value of this option stand in the next word? */
static bool takes_next(const struct option *options, const char *word)
{
    for (const struct option *option = options; option->name != NULL; option++) {
        bool named = word[1] == '-' ? strcmp(word + 2, option->name) == 0
                                    : word[1] == option->letter && word[2] == '\0';
        if (named)
            return option->flag == NULL;
    }
    return false;
}

/* The command begins at the first word that is no option, or behind "--"; what follows is its own,
 * options and all. */
static char **split(const struct option *options, int *argc, char **argv)
{
    int i = 1;
    while (i < *argc && argv[i][0] == '-' && argv[i][1] != '\0' && strcmp(argv[i], "--") != 0)
        i += takes_next(options, argv[i]) ? 2 : 1;
    if (i >= *argc)
        return argv + *argc;
    char **command = argv + i + (strcmp(argv[i], "--") == 0);
    *argc = i;
    return command;
}

static int read_command_line(struct record *record, int argc, char **argv)
{
    const struct option options[] = {
        {.name = "output", .letter = 'o', .text = &record->file},
        {.name = "events", .number = &record->events, .least = 1, .most = WEFT_TRACE_EVENTS_MOST},
        {.name = NULL},
    };
    char **command = split(options, &argc, argv), **end = argv + argc;
    char *behind = *end;
    *end = NULL;
    int status = options_read("trace", options, &argc, argv);
    *end = behind;
    if (status != EXIT_OK)
        return status;
    if (command[0] == NULL)
        return misused("trace", "name a command: weft trace record COMMAND");
    if (strcmp(record->file, "-") == 0)
        return misused("trace", "a trace is recorded in a file, not in standard output");
    record->args = (const char *const *)command;
    return EXIT_OK;
}

/* Better than a run for nothing. */
static bool can_be_recorded(const char *file)
{
    int err = weft_trace_check(file);
    if (err == UV_EINVAL)
        complain("nothing can be recorded: '%s' is no regular file", file);
    else if (err == UV_ELOOP)
        complain("nothing can be recorded: '%s' is a link that leads nowhere", file);
    else if (err == UV_ENOTSUP)
        complain("nothing can be recorded: this library is built without hooks");
    else if (err != 0)
        complain("nothing can be recorded: '%s': %s", file, weft_strerror(err));
    return err == 0;
}

int trace_record_run(int argc, char **argv)
{
    struct record record = {.file = "trace.json"};
    int status = read_command_line(&record, argc, argv);
    if (status != EXIT_OK)
        return status;
    if (stat(record.file, &record.before) != 0)
        record.before = (struct stat){0};
    if (!can_be_recorded(record.file))
        return EXIT_FAILED;
    witness_start(&record.witness, passed_on, PASSED_ON);
    if (set_environment(&record))
        status = exit_status(&record, weft_go(&record.op, begin));
    else
        status = EXIT_FAILED;
    free_environment(&record);
    witness_stop(&record.witness);
    return status;
}
