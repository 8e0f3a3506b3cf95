/* settle: all outcomes, the good ones and the others.
 *
 * An error usually ends a collection. Here every file is tried, and how each went is kept beside
 * it: the one that is missing does not keep anybody from the other two. */
#include <weft.h>

enum { FILES = 4, AT_ONCE = 2 };

static const char *const paths[FILES] = {"poem.txt", "no such file.txt", "hello.out", "."};
static struct weft_op app;
static struct weft_settle settle;
static struct weft_file_read slots[AT_ONCE];
static size_t sizes[FILES];
static int statuses[FILES];

static bool next_file(struct weft_op *slot)
{
    size_t index = weft_index(slot);
    if (index == FILES)
        return false;
    weft_owner(slot, struct weft_file_read, op)->path = paths[index];
    return true;
}

static void keep_size(struct weft_op *slot)
{
    struct weft_file_read *file = weft_owner(slot, struct weft_file_read, op);
    sizes[weft_index(slot)] = file->size;
    weft_file_read_free(file);
}

static void begin(struct weft_op *op)
{
    weft_settle(op, &settle, WEFT_SLOTS(slots, op), next_file, weft_file_read_begin, keep_size,
                statuses, FILES, weft_pass);
}

int main(void)
{
    int status = weft_go(&app, begin);
    for (size_t i = 0; i < FILES; i++) {
        if (statuses[i] == 0)
            printf("%s: %zu bytes\n", paths[i], sizes[i]);
        else
            printf("%s: %s\n", paths[i], weft_strerror(statuses[i]));
    }
    printf("%zu of %zu failed\n", settle.failed, settle.count);
    return status != 0;
}
