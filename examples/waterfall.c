/* waterfall: steps that hand a value on.
 *
 * Like a series, but each step gets what the one before it handed on: a path, then the file, then
 * its longest line. What the pointers mean is between two neighbours, so a step can be used in
 * other waterfalls. An error ends it, and `then` is the place to clean up. */
#include <weft.h>

struct job {
    struct weft_op op;
    char *path;
    struct weft_waterfall steps;
    struct weft_file_read file;
    struct weft_text longest;
};

static struct job *job_of(struct weft_op *steps)
{
    return weft_owner(steps, struct job, steps.op);
}

static void load(struct weft_op *op, void *path)
{
    struct job *job = job_of(op);
    weft_file_read(op, &job->file, path, NULL); /* NULL: an error ends op */
    weft_hand_on(op, &job->file);
}

static void find_longest_line(struct weft_op *op, void *value)
{
    struct weft_file_read *file = value;
    struct weft_text *longest = &job_of(op)->longest;
    size_t start = 0;
    for (size_t i = 0; i < file->size; i++) {
        if (file->data[i] != '\n')
            continue;
        if (i - start > longest->size)
            *longest = weft_text(file->data + start, i - start);
        start = i + 1;
    }
    weft_hand_on(op, longest);
}

static void report(struct weft_op *op, void *value)
{
    struct weft_text *line = value;
    (void)op;
    printf("\"%.*s\"\n", (int)line->size, line->data);
}

static void job_done(struct weft_op *op, struct weft_op *steps)
{
    struct job *job = job_of(steps);
    if (steps->status != 0)
        printf("%s: %s\n", job->path, weft_strerror(steps->status));
    weft_file_read_free(&job->file);
    weft_finish(op, 0);
}

static void job_begin(struct weft_op *op)
{
    struct job *job = weft_owner(op, struct job, op);
    weft_waterfall(op, &job->steps, job->path, job_done, load, find_longest_line, report);
}

int main(void)
{
    struct job jobs[] = {{.path = "poem.txt"}, {.path = "no such file.txt"}};
    return weft_go(&jobs[0].op, job_begin) != 0 || weft_go(&jobs[1].op, job_begin) != 0;
}
