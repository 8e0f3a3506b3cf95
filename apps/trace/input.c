/* A trace file that a person named, and what to say when it cannot be read. */
#include "trace/trace.h"
#include "units.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>
#include <weft.h>

struct source {
    int fd;
    uint64_t left; /* how much may still come */
};

/* One byte more than is allowed is asked for: so it is known that there is more. */
static int fill(void *context, char *buffer, size_t size)
{
    struct source *source = context;
    if (source->left < size)
        size = (size_t)source->left + 1;
    ssize_t got;
    do
        got = read(source->fd, buffer, size);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return uv_translate_sys_error(errno);
    if ((uint64_t)got > source->left)
        return UV_EFBIG;
    source->left -= (uint64_t)got;
    return (int)got;
}

static void explain(const struct trace_input *input, const struct trace *trace, int status)
{
    const char *name = strcmp(input->path, "-") == 0 ? "standard input" : input->path;
    char size[UNITS_SIZE_MAX];
    size_t length = strlen(name);
    if (status == UV_EINVAL && length > 7 && strcmp(name + length - 7, ".folded") == 0)
        complain("'%s' holds folded stacks, which are for flame graphs; record a .json to look at "
                 "it here",
                 name);
    else if (status == UV_EINVAL)
        complain("%s:%" PRIu64 ":%" PRIu64 ": %s (byte %" PRIu64 ")", name, trace->line,
                 trace->column, trace->problem, trace->offset);
    else if (status == UV_EFBIG)
        complain("'%s' is larger than %s; --max-size allows more", name,
                 units_show_size(input->max_size, size));
    else
        complain("cannot read '%s': %s", name, weft_strerror(status));
}

static int load(const struct trace_input *input, struct trace *trace)
{
    bool standard = strcmp(input->path, "-") == 0;
    struct source source = {.fd = standard ? STDIN_FILENO : open(input->path, O_RDONLY | O_CLOEXEC),
                            .left = input->max_size};
    if (source.fd < 0)
        return uv_translate_sys_error(errno);
    int status = trace_load(trace, fill, &source);
    if (!standard)
        close(source.fd);
    return status;
}

int trace_input_read(const struct trace_input *input, struct trace *trace,
                     struct analysis *analysis)
{
    *trace = (struct trace){0};
    *analysis =
        (struct analysis){.limit = (int64_t)input->limit_ms * 1000000, .top = (size_t)input->top};
    int status = load(input, trace);
    if (status == 0)
        status = analysis_make(analysis, trace);
    if (status == 0)
        return EXIT_OK;
    explain(input, trace, status);
    analysis_free(analysis);
    trace_free(trace);
    return EXIT_FAILED;
}

int trace_input_name(struct trace_input *input, int argc, char **argv)
{
    if (argc < 2)
        return misused("trace", "name a trace file, or '-' for standard input");
    if (argc > 2)
        return misused("trace", "unexpected '%s': one trace can be read", argv[2]);
    input->path = argv[1];
    return EXIT_OK;
}

bool trace_size_parse(const char *text, uint64_t *bytes)
{
    uint64_t size;
    if (!units_size(text, &size) || size == 0 || size > TRACE_SIZE_MOST)
        return false;
    *bytes = size;
    return true;
}
