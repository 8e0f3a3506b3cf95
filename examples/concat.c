/* concat: several files as one, in one step.
 *
 * Three chapters become a book. The book appears when all of it is there: a second try, with a chapter
 * that is missing, leaves it as it was and says which one; a third, with the book among its own
 * chapters, is refused. "-" is a descriptor of ours here, a pipe. Paths stay until then. */
#include <stdlib.h>
#include <unistd.h>
#include <weft.h>

static char folder[] = "/tmp/weft-example-XXXXXX";
static const char *const texts[] = {"one: warp\n", "two: weft\n", "three: cloth\n"};
static const char *const chapters[] = {"1.txt", "2.txt", "-", "3.txt"};
static const char *const torn[] = {"1.txt", "4.txt", "3.txt"};
static const char *const circle[] = {"1.txt", "book.txt"};

static struct bindery {
    struct weft_op op;
    struct weft_series series;
    struct weft_file_save saves[3];
    struct weft_file_concat concat;
    struct weft_file_read read;
} bindery;

static void write_chapters(struct weft_op *op)
{
    static const char *const names[] = {"1.txt", "2.txt", "3.txt"};
    for (size_t i = 0; i < 3; i++)
        weft_file_save(op, &bindery.saves[i], names[i], texts[i], strlen(texts[i]), NULL);
}

static void bound(struct weft_op *op, struct weft_op *concat)
{
    (void)op;
    const struct weft_file_concat *it = weft_owner(concat, struct weft_file_concat, op);
    if (concat->status == 0)
        printf("a book of %llu bytes\n", (unsigned long long)it->size);
    else
        printf("%s: %s\n", it->sources[it->failed], weft_strerror(concat->status));
}

static void bind_chapters(struct weft_op *op)
{
    weft_file_concat(op, &bindery.concat, chapters, 4, "book.txt", bound);
}

static void bind_what_is_missing(struct weft_op *op)
{
    weft_file_concat(op, &bindery.concat, torn, 3, "book.txt", bound);
}

static void bind_itself(struct weft_op *op)
{
    weft_file_concat(op, &bindery.concat, circle, 2, "book.txt", bound);
}

static void book_read(struct weft_op *op, struct weft_op *read)
{
    (void)op;
    if (read->status == 0)
        fputs(bindery.read.data, stdout);
    weft_file_read_free(&bindery.read);
}

static void read_book(struct weft_op *op)
{
    weft_file_read(op, &bindery.read, "book.txt", book_read);
}

static void work(struct weft_op *op)
{
    weft_series(op, &bindery.series, weft_pass, write_chapters, bind_chapters, bind_what_is_missing,
                bind_itself, read_book);
}

int main(void)
{
    int ends[2];
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 || pipe(ends) != 0)
        return 1;
    if (write(ends[1], "between: a pipe\n", 16) != 16)
        return 1;
    close(ends[1]);
    bindery.concat.input = ends[0];
    int status = weft_go(&bindery.op, work);
    static const char *const made[] = {"1.txt", "2.txt", "3.txt", "book.txt"};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        unlink(made[i]);
    rmdir(folder);
    return status != 0;
}
