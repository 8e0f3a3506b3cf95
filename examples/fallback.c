/* fallback: one way after the other, until one leads there.
 *
 * The poem from where it should be, else from the copy, else a poem that everybody knows: a way is
 * tried only if those before it have failed. Only if none succeeds is there an error: the last. */
#include <weft.h>

static struct weft_op app;
static struct weft_try_each ways;
static struct weft_file_read file;

static void from_its_place(struct weft_op *op)
{
    printf("looking in its place\n");
    weft_file_read(op, &file, "poems/weft.txt", weft_pass);
}

static void from_copy(struct weft_op *op)
{
    printf("looking for the copy\n");
    weft_file_read(op, &file, "poem.txt", weft_pass);
}

static void from_memory(struct weft_op *op)
{
    printf("trying to remember\n");
    weft_finish(op, UV_ENOSYS);
}

static void begin(struct weft_op *op)
{
    weft_try_each(op, &ways, weft_pass, from_its_place, from_copy, from_memory);
}

int main(void)
{
    int status = weft_go(&app, begin);
    if (status == 0)
        printf("way number %zu has led to %zu bytes\n", ways.won + 1, file.size);
    weft_file_read_free(&file);
    return status != 0;
}
