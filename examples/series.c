/* series: three steps, one after the other.
 *
 * A step gets the series' op and starts what it likes under it; it is over when all of that is
 * over. A step that starts nothing is over when it returns. An error ends the series: no step needs
 * an if for the ones before it. */
#include <weft.h>

struct job {
    struct weft_op op;
    struct weft_series steps;
    const char *path;
    struct weft_file_read file;
    size_t lines;
};

static struct job *job_of(struct weft_op *series)
{
    return weft_owner(series, struct job, steps.op);
}

static void load(struct weft_op *op)
{
    weft_file_read(op, &job_of(op)->file, job_of(op)->path, NULL); /* NULL: an error ends op */
}

static void count(struct weft_op *op)
{
    struct job *job = job_of(op);
    for (size_t i = 0; i < job->file.size; i++)
        job->lines += job->file.data[i] == '\n';
}

static void report(struct weft_op *op)
{
    printf("%s: %zu lines\n", job_of(op)->path, job_of(op)->lines);
}

static void job_done(struct weft_op *op, struct weft_op *steps)
{
    weft_file_read_free(&job_of(steps)->file);
    weft_finish(op, steps->status);
}

static void job_begin(struct weft_op *op)
{
    weft_series(op, &weft_owner(op, struct job, op)->steps, job_done, load, count, report);
}

int main(int argc, char **argv)
{
    const char *paths[] = {"poem.txt", "no such file.txt"};
    for (int i = 0; i < 2; i++) {
        struct job job = {.path = argc > 1 ? argv[1] : paths[i]};
        int status = weft_go(&job.op, job_begin);
        if (status != 0)
            printf("%s: %s\n", job.path, weft_strerror(status));
    }
    return 0;
}
