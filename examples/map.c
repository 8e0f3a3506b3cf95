/* map: many files, at most three at once, results in input order.
 *
 * The slots are the limit: three slots, three reads under way. `next` fills a slot when one is
 * free, so the list could as well be endless. `store` puts each result where it belongs, whichever
 * read was first. */
#include <weft.h>

enum { FILES = 5, AT_ONCE = 3 };

struct job {
    struct weft_op op;
    struct weft_each map;
    struct weft_file_read slots[AT_ONCE];
    size_t sizes[FILES];
};

static const char *const paths[FILES] = {"poem.txt", "hello.out", "series.out", "poem.txt",
                                         "hello.out"};

static bool next_file(struct weft_op *slot)
{
    if (weft_index(slot) == FILES)
        return false;
    weft_owner(slot, struct weft_file_read, op)->path = paths[weft_index(slot)];
    return true;
}

static void keep_size(struct weft_op *slot)
{
    struct job *job = weft_owner(slot->parent, struct job, map.op);
    struct weft_file_read *file = weft_owner(slot, struct weft_file_read, op);
    job->sizes[weft_index(slot)] = file->size;
    weft_file_read_free(file);
}

static void job_begin(struct weft_op *op)
{
    struct job *job = weft_owner(op, struct job, op);
    weft_map(op, &job->map, WEFT_SLOTS(job->slots, op), next_file, weft_file_read_begin, keep_size,
             weft_pass);
}

int main(void)
{
    struct job job = {0};
    int status = weft_go(&job.op, job_begin);
    for (size_t i = 0; i < FILES; i++)
        printf("%4zu bytes in %s\n", job.sizes[i], paths[i]);
    return status != 0;
}
