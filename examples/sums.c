/* sums: the CRC-32 of many files, three at once, in input order; Ctrl-C stops it.
 *
 * Files are read in pieces on the thread pool, so that a large one needs no memory. `done` comes in
 * input order and also for what failed: a file that cannot be read is told and the rest goes on.
 * weft_interruptible cancels the whole when SIGINT comes; a second Ctrl-C would end the process.
 * Here an endless file is among the others, and the program interrupts itself to show it. */
#include <signal.h>
#include <weft.h>

enum { AT_ONCE = 3 };

struct file {
    struct weft_file_scan scan;
    uint32_t crc;
};

static struct app {
    struct weft_interruptible interruptible;
    struct weft_op op;
    struct weft_each each;
    struct file slots[AT_ONCE];
    char **paths;
    size_t count, done, failed;
} app;

static int add(struct weft_file_scan *scan, const char *data, size_t size)
{
    struct file *file = weft_owner(scan, struct file, scan);
    for (size_t i = 0; i < size; i++) {
        file->crc ^= (unsigned char)data[i];
        for (int bit = 0; bit < 8; bit++)
            file->crc = file->crc >> 1 ^ (file->crc & 1 ? 0xedb88320 : 0);
    }
    return 0;
}

static void sum_begin(struct weft_op *op)
{
    struct file *file = weft_owner(op, struct file, scan.work.op);
    file->crc = 0xffffffff;
    file->scan.path = app.paths[weft_index(op)];
    file->scan.piece = add;
    weft_file_scan_begin(op);
}

static void sum_done(struct weft_op *each, struct weft_op *op)
{
    struct file *file = weft_owner(op, struct file, scan.work.op);
    if (op->status == 0)
        printf("%08x  %s\n", ~file->crc, file->scan.path);
    else if (!weft_cancelled(op))
        printf("%s: %s\n", file->scan.path, weft_strerror(op->status));
    app.done += op->status == 0;
    app.failed += op->status != 0;
    if (app.done + app.failed + 1 == app.count && !weft_cancelled(each))
        raise(SIGINT); /* only the endless one is left */
}

static void sum_all(struct weft_op *op)
{
    weft_each_in_order(op, &app.each, WEFT_SLOTS(app.slots, scan.work.op), app.count, sum_begin,
                       sum_done, weft_pass);
}

int main(int argc, char **argv)
{
    app.paths = argv + 1;
    app.count = (size_t)argc - 1;
    app.interruptible.task = &app.op;
    app.interruptible.begin = sum_all;
    int status = weft_go(&app.interruptible.op, weft_interruptible_begin);
    printf("%zu of %zu files, %s\n", app.done, app.count,
           app.interruptible.caught != 0 ? "then Ctrl-C" : weft_strerror(status));
    return status != UV_EINTR;
}
