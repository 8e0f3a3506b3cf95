/* ctest: labels=stress timeout=120 shuffle=no */
/* The power goes, at any moment: what was not synced is gone, or half of it is.
 *
 * LMDB is a shared library, and the functions here that are called like the system's are those that it
 * finds: pwrite, writev, write, fdatasync and the others write as ever, and keep a record beside it. The record has
 * two parts: the file as it would be on the disk for certain, and what was written since, in pieces of
 * a sector. A write through a descriptor with O_DSYNC is certain when it returns; the others are when a
 * sync of the file returns. Now and then, in the middle of all this, a picture is taken: what is
 * certain, and of the rest whatever the dice say, in their order or not. Together with it is kept how
 * many sales were acknowledged by then. Later each picture is opened as a ledger. */
#define _GNU_SOURCE
#include "kit.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum { SECTOR = 512, DISK = 4 << 20, PENDING = 1 << 14, PICTURES = 400 };

/* ---- the disk ------------------------------------------------------------------------------- */

struct piece {
    size_t at, size;
    char bytes[SECTOR];
};

struct picture {
    char *bytes;
    size_t size;
    uint64_t acknowledged;
};

static struct {
    ino_t file; /* that is watched; 0: none */
    dev_t device;
    char certain[DISK];
    size_t size;
    struct piece pending[PENDING];
    size_t count;
    struct picture pictures[PICTURES];
    size_t taken;
    unsigned every; /* a picture after so many calls, on the average */
    bool forgetful; /* syncs are not done: the test has to notice */
    uint64_t seed, calls;
    uint64_t acknowledged; /* the loop's thread writes it, a thread of the pool reads it */
} disk;

static uint64_t draw(uint64_t below)
{
    disk.seed = disk.seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (disk.seed >> 33) % below;
}

static void put(char *bytes, size_t *size, const struct piece *piece)
{
    memcpy(bytes + piece->at, piece->bytes, piece->size);
    if (*size < piece->at + piece->size)
        *size = piece->at + piece->size;
}

static void take_picture(void)
{
    if (disk.taken == PICTURES || draw(disk.every) != 0)
        return;
    struct picture *picture = &disk.pictures[disk.taken++];
    size_t size = disk.size;
    char *bytes = calloc(1, DISK);
    memcpy(bytes, disk.certain, disk.size);
    uint64_t chance = draw(5);
    for (size_t i = 0; i < disk.count; i++) {
        if (draw(4) < chance)
            put(bytes, &size, &disk.pending[i]);
    }
    picture->bytes = realloc(bytes, size);
    picture->size = size;
    picture->acknowledged = __atomic_load_n(&disk.acknowledged, __ATOMIC_ACQUIRE);
}

/* Into pieces that are written as a whole or not at all. */
static void note_write(const char *data, size_t size, size_t at, bool certain)
{
    while (size > 0) {
        size_t part = SECTOR - at % SECTOR < size ? SECTOR - at % SECTOR : size;
        struct piece piece = {.at = at, .size = part};
        if (at + part > DISK || disk.count == PENDING)
            abort();
        memcpy(piece.bytes, data, part);
        if (certain)
            put(disk.certain, &disk.size, &piece);
        else
            disk.pending[disk.count++] = piece;
        data += part;
        at += part;
        size -= part;
    }
}

static void note_sync(void)
{
    for (size_t i = 0; i < disk.count; i++)
        put(disk.certain, &disk.size, &disk.pending[i]);
    disk.count = 0;
}

static bool is_watched(int fd)
{
    struct stat st;
    return disk.file != 0 && fstat(fd, &st) == 0 && st.st_ino == disk.file &&
           st.st_dev == disk.device;
}

/* ---- what LMDB calls ------------------------------------------------------------------------ */

static ssize_t write_noted(int fd, const char *data, size_t size, off_t at)
{
    bool watched = is_watched(fd);
    bool certain = watched && (fcntl(fd, F_GETFL) & O_DSYNC) != 0 && !disk.forgetful;
    if (watched)
        take_picture();
    ssize_t done = syscall(SYS_pwrite64, fd, data, size, at);
    if (watched && done > 0) {
        disk.calls++;
        note_write(data, (size_t)done, (size_t)at, false);
        take_picture(); /* before it has returned it may be there or not */
        if (certain) {
            disk.count -= ((size_t)at % SECTOR + (size_t)done + SECTOR - 1) / SECTOR;
            note_write(data, (size_t)done, (size_t)at, true);
        }
    }
    return done;
}

static struct stat named; /* a folder whose */
static unsigned names;    /* syncs are counted */

static void note_names(int fd)
{
    struct stat st;
    if (fstat(fd, &st) == 0 && st.st_ino == named.st_ino && st.st_dev == named.st_dev)
        names++;
}

static int sync_noted(int fd)
{
    note_names(fd);
    bool watched = is_watched(fd) && !disk.forgetful;
    if (watched) {
        disk.calls++;
        take_picture();
        note_sync();
        take_picture();
    }
    return (int)syscall(SYS_fdatasync, fd);
}

/* Which of the two names LMDB uses depends on how it was built, and which one a definition of pwrite
 * gets on how this is. */
ssize_t pwrite_short(int fd, const void *data, size_t size, off_t at) __asm__("pwrite");
ssize_t pwrite_short(int fd, const void *data, size_t size, off_t at)
{
    return write_noted(fd, data, size, at);
}

ssize_t pwrite_long(int fd, const void *data, size_t size, off_t at) __asm__("pwrite64");
ssize_t pwrite_long(int fd, const void *data, size_t size, off_t at)
{
    return write_noted(fd, data, size, at);
}

/* Those at the place of the descriptor: a file that is watched is written at its offset. */
ssize_t writev(int fd, const struct iovec *parts, int count);
ssize_t writev(int fd, const struct iovec *parts, int count)
{
    if (!is_watched(fd))
        return syscall(SYS_writev, fd, parts, count);
    ssize_t all = 0;
    for (int i = 0; i < count; i++) {
        off_t at = lseek(fd, 0, SEEK_CUR);
        ssize_t done = write_noted(fd, parts[i].iov_base, parts[i].iov_len, at);
        if (done < 0)
            return all > 0 ? all : done;
        all += done;
        lseek(fd, at + done, SEEK_SET);
    }
    return all;
}

ssize_t write(int fd, const void *data, size_t size);
ssize_t write(int fd, const void *data, size_t size)
{
    struct iovec part = {(void *)(uintptr_t)data, size};
    return is_watched(fd) ? writev(fd, &part, 1) : syscall(SYS_write, fd, data, size);
}

int fdatasync(int fd);
int fdatasync(int fd)
{
    return sync_noted(fd);
}

int fsync(int fd);
int fsync(int fd)
{
    return sync_noted(fd);
}

/* ---- sales ---------------------------------------------------------------------------------- */

enum { ADDS = 400, AT_ONCE = 3 };

static struct ledger ledger;
static char folder[SCRATCH_PATH];

struct writer {
    struct weft_op op;
    struct ledger_add adds[AT_ONCE];
    int64_t next;
};

static void add_next(struct writer *writer, struct ledger_add *add);

static void acknowledged(struct weft_op *op, struct weft_op *over)
{
    struct writer *writer = weft_owner(op, struct writer, op);
    struct ledger_add *add = weft_owner(over, struct ledger_add, op);
    assert_int_equal(over->status, 0);
    assert_int_equal(add->id, add->amount);
    if (disk.acknowledged < add->id)
        __atomic_store_n(&disk.acknowledged, add->id, __ATOMIC_RELEASE);
    add_next(writer, add);
}

static void add_next(struct writer *writer, struct ledger_add *add)
{
    if (writer->next > ADDS)
        return;
    *add = (struct ledger_add){.ledger = &ledger, .item = T("book"), .amount = writer->next++};
    ledger_add(&writer->op, add, acknowledged);
}

static void write_all(struct weft_op *op)
{
    struct writer *writer = weft_owner(op, struct writer, op);
    for (unsigned i = 0; i < AT_ONCE; i++)
        add_next(writer, &writer->adds[i]);
    weft_join(op);
}

/* ---- pictures ------------------------------------------------------------------------------- */

/* What is wrong with it, or NULL. */
static const char *look_at(const struct picture *picture)
{
    char path[SCRATCH_PATH];
    struct ledger_total total;
    struct ledger found = {0};
    scratch_new_path(path, "picture");
    assert_int_equal(mkdir(path, 0777), 0);
    kit_write(path, picture->bytes, picture->size);
    if (ledger_open(&found, path, LEDGER_WRITE, NULL) != 0)
        return "it does not open";
    int err = kit_try_total(&found, "book", &total);
    kit_close(&found);
    if (err != 0)
        return "a block is damaged";
    int64_t count = (int64_t)total.matched;
    if (total.matched < picture->acknowledged)
        return "a sale that was acknowledged is lost";
    if (count > ADDS || total.sum != count * (count + 1) / 2)
        return "the sales are not those that were added";
    return NULL;
}

static unsigned bad_pictures(void)
{
    unsigned bad = 0;
    for (size_t i = 0; i < disk.taken; i++) {
        const char *problem = look_at(&disk.pictures[i]);
        if (problem != NULL && !disk.forgetful)
            print_error("picture %zu, %llu acknowledged: %s\n", i,
                        (unsigned long long)disk.pictures[i].acknowledged, problem);
        bad += problem != NULL;
        free(disk.pictures[i].bytes);
    }
    return bad;
}

static void watch(bool forgetful)
{
    char path[SCRATCH_PATH];
    struct stat st;
    size_t size;
    char *bytes = kit_read(folder, &size);
    assert_int_equal(stat(kit_file(path, folder), &st), 0);
    memset(&disk, 0, sizeof disk);
    memcpy(disk.certain, bytes, size);
    disk.size = size;
    disk.seed = check_seed();
    disk.every = 6;
    disk.forgetful = forgetful;
    disk.device = st.st_dev;
    disk.file = st.st_ino;
    free(bytes);
}

static unsigned run(bool forgetful)
{
    struct writer writer = {.next = 1};
    kit_new(&ledger, folder);
    watch(forgetful);
    assert_int_equal(weft_go(&writer.op, write_all), 0);
    disk.file = 0;
    assert_int_equal(disk.acknowledged, ADDS);
    kit_close(&ledger);
    assert_true(disk.calls > ADDS / AT_ONCE); /* they are ours, and not the system's */
    assert_true(disk.taken > PICTURES / 8);
    unsigned bad = bad_pictures();
    scratch_empty();
    return bad;
}

TEST(no_power_loss_takes_a_sale_that_was_acknowledged)
{
    assert_int_equal(run(false), 0);
}

TEST(a_disk_that_forgets_what_was_synced_is_noticed_here)
{
    assert_true(run(true) > 0);
}

/* The one who made it may have been killed before it was sure of the name. */
TEST(whoever_opens_a_ledger_to_write_makes_sure_of_its_name_first)
{
    static const char *const folders[] = {".", ".."};
    kit_new(&ledger, folder);
    kit_close(&ledger);
    for (unsigned i = 0; i < 2; i++) {
        char path[SCRATCH_PATH + 4];
        snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
        assert_int_equal(stat(path, &named), 0);
        names = 0;
        kit_open(&ledger, folder, LEDGER_READ);
        kit_close(&ledger);
        assert_int_equal(names, 0);
        kit_open(&ledger, folder, LEDGER_WRITE);
        assert_int_equal(names, 1);
        kit_close(&ledger);
    }
    scratch_empty();
}
