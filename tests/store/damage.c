/* ctest: timeout=120 shuffle=no */
/* Files that are not what was written. Whatever is done to them, a state that opens is the one that
 * was written, and one that does not open says why, by the name of the file. Nothing crashes, and
 * nothing begins anew. */
#include "kit.h"
#include "model.h"
#include "store/crawl/store.h"
#include "store/crawl/wire.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static char folder[SCRATCH_PATH];
static struct weft_crawl crawl;
static struct weft__crawl_key key; /* of the state that fill made */
enum { HEAD = 64, URLS = 400, THINGS = 40 };

/* Everything in the state, as one number. */
struct digest {
    struct weft_crawl_hash hash;
};

static void add_text(struct digest *digest, struct weft_text text)
{
    weft_crawl_hash_add(&digest->hash, &text.size, sizeof text.size);
    weft_crawl_hash_add(&digest->hash, text.data, text.size);
}

static int add_one(struct weft_crawl *open, weft_crawl_id id, struct weft_text url,
                   const struct weft_crawl_result *result, void *context)
{
    unsigned numbers[] = {id, weft_crawl_depth(open, id), result->what,
                          (unsigned)result->http_status, result->attempts};
    weft_crawl_hash_add(&((struct digest *)context)->hash, numbers, sizeof numbers);
    add_text(context, url);
    add_text(context, result->file);
    add_text(context, result->note);
    return 0;
}

/* 0: it cannot be read. */
static uint64_t digest_of(struct weft_crawl *open)
{
    struct digest digest;
    struct weft__crawl_key none = {{1, 2}};
    uint64_t out[2];
    weft__crawl_hash_begin(&none, &digest.hash);
    if (weft_crawl_each(open, add_one, &digest) != 0)
        return 0;
    for (unsigned i = 0; i < THINGS; i++) {
        char name[20];
        struct weft_text value;
        snprintf(name, sizeof name, "host/%u", i);
        if (weft_crawl_get(open, T(name), &value) != 0)
            return 0;
        add_text(&digest, value);
    }
    weft_crawl_hash_end(&digest.hash, out);
    return out[0];
}

/* A state with something of everything, in several commits, and pages that were freed again. */
static void fill(unsigned urls)
{
    static char text[6000];
    memset(text, 'x', sizeof text);
    crawl = (struct weft_crawl){0};
    kit_open(&crawl, kit_folder(folder));
    for (unsigned i = 1; i <= urls; i++) {
        char url[60];
        snprintf(url, sizeof url, "http://a/%u/%*u", i, (int)(i % 40), i);
        struct weft_crawl_result result = {.what = (enum weft_crawl_what)(1 + i % 6),
                                           .http_status = 200,
                                           .attempts = i,
                                           .file = T(url + 7),
                                           .note = weft_text(text, i == 3 ? sizeof text : i % 9)};
        assert_int_equal(weft_crawl_see(&crawl, T(url), 9, i / 2, NULL), WEFT_CRAWL_NEW);
        if (i % 3 == 0)
            assert_int_equal(weft_crawl_settle(&crawl, i, &result), 0);
        if (i % 5 == 0)
            assert_int_equal(weft_crawl_see(&crawl, T(url), 4, 0, NULL), WEFT_CRAWL_NEARER);
        snprintf(url, sizeof url, "host/%u", i % THINGS);
        assert_int_equal(
            weft_crawl_put(&crawl, T(url), weft_text(text, i % 4 == 0 ? 0 : 3 * (size_t)i)), 0);
        if (i % 97 == 0)
            kit_commit(&crawl);
    }
    key = crawl.store_->state.key;
}

/* Open what is there now: it says why not, and that names the file; or it holds what was there. */
static int try_open(const char *file, uint64_t expected)
{
    struct weft_crawl open = {0};
    const char *why = NULL;
    int err = weft_crawl_open(&open, folder, &why);
    assert_non_null(why);
    if (err == 0) {
        uint64_t found = digest_of(&open);
        if (found != expected) {
            /* LMDB reads more than once; what is found later is told later. */
            print_error("it was opened, but it is not what was written\n");
            fail();
        }
        assert_false(open.fresh);
    } else {
        assert_true(err == WEFT_EDAMAGED || err == UV_ENOTSUP);
        if (strstr(why, file) == NULL || strstr(why, folder) == NULL)
            print_error("%s\n", why);
        assert_non_null(strstr(why, file));
        assert_non_null(strstr(why, folder));
    }
    assert_int_equal(weft_crawl_close(&open), 0);
    return err;
}

/* Damage that did no harm to a reader does none to a writer either. */
static void write_on(void)
{
    struct weft_crawl open = {0};
    kit_open(&open, folder);
    kit_see(&open, "http://a/new", 0);
    for (weft_crawl_id id = 1; id < open.known; id += 7)
        kit_settle(&open, id, WEFT_CRAWL_DONE, "a/file");
    assert_int_equal(weft_crawl_put(&open, T("host/0"), T("new")), 0);
    kit_commit(&open);
    uint64_t expected = digest_of(&open);
    assert_true(expected != 0);
    kit_reopen(&open, folder);
    assert_true(digest_of(&open) == expected);
    assert_int_equal(weft_crawl_close(&open), 0);
}

static uint64_t close_filled(void)
{
    uint64_t expected = digest_of(&crawl);
    assert_true(expected != 0);
    assert_int_equal(weft_crawl_close(&crawl), 0);
    return expected;
}

/* ---- the database --------------------------------------------------------------------------- */

TEST(a_byte_that_is_changed_anywhere_is_noticed_or_does_not_matter)
{
    struct dice dice = {check_seed()};
    unsigned noticed = 0, tries = (unsigned)check_scale(400);
    fill(URLS);
    kit_commit(&crawl);
    uint64_t expected = close_filled();
    struct kit_bytes file = kit_read(folder, "state.mdb");
    for (unsigned i = 0; i < tries; i++) {
        size_t at = roll(&dice, file.size);
        char before = file.data[at];
        file.data[at] = (char)(before ^ (char)(1 + roll(&dice, 255)));
        kit_write(folder, "state.mdb", file.data, file.size);
        if (try_open("state.mdb", expected) != 0)
            noticed++;
        else if (i % 4 == 0)
            write_on();
        file.data[at] = before;
    }
    print_message("%u of %u bytes were noticed\n", noticed, tries);
    assert_true(noticed > tries / 10);
    kit_write(folder, "state.mdb", file.data, file.size);
    assert_int_equal(try_open("", expected), 0);
    free(file.data);
    scratch_empty();
}

/* The heads of pages and their offsets are where LMDB itself would lose its way. */
TEST(a_head_of_a_page_that_is_scribbled_over_is_noticed_or_does_not_matter)
{
    struct dice dice = {check_seed()};
    fill(URLS);
    kit_commit(&crawl);
    uint64_t expected = close_filled();
    struct kit_bytes file = kit_read(folder, "state.mdb");
    struct kit_bytes copy = {malloc(file.size), file.size};
    assert_non_null(copy.data);
    for (unsigned i = 0; i < check_scale(300); i++) {
        memcpy(copy.data, file.data, file.size);
        size_t page = roll(&dice, file.size / 4096), at = page * 4096 + roll(&dice, 160);
        for (size_t length = 1 + roll(&dice, 8); length > 0 && at < file.size; length--)
            copy.data[at++] = (char)roll(&dice, 256);
        kit_write(folder, "state.mdb", copy.data, copy.size);
        int err = try_open("state.mdb", expected);
        if (err == 0 && i % 4 == 0)
            write_on();
        assert_true(page > 1 || err != 0 || memcmp(copy.data, file.data, 152) == 0 ||
                    memcmp(copy.data + 4096, file.data + 4096, 152) == 0);
    }
    free(file.data);
    free(copy.data);
    scratch_empty();
}

TEST(a_file_that_is_cut_off_is_noticed)
{
    fill(URLS);
    kit_commit(&crawl);
    uint64_t expected = close_filled();
    struct kit_bytes file = kit_read(folder, "state.mdb");
    static const size_t sizes[] = {0, 1, 15, 16, 100, 151, 152, 4095, 4096, 4097, 8191, 8192, 8193};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        kit_write(folder, "state.mdb", file.data, sizes[i]);
        assert_int_equal(try_open("state.mdb", expected), WEFT_EDAMAGED);
    }
    unsigned whole = 0;
    for (size_t size = 8192; size < file.size; size += 1024) {
        kit_write(folder, "state.mdb", file.data, size);
        whole += try_open("state.mdb", expected) == 0; /* only free pages were cut off */
    }
    assert_true(whole < file.size / 1024 / 2);
    free(file.data);
    scratch_empty();
}

TEST(a_file_of_something_else_is_noticed)
{
    static char text[100000];
    struct dice dice = {check_seed()};
    fill(10);
    kit_commit(&crawl);
    close_filled();
    kit_write(folder, "state.mdb", text, sizeof text);
    assert_int_equal(try_open("state.mdb", 0), WEFT_EDAMAGED);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)roll(&dice, 256);
    kit_write(folder, "state.mdb", text, sizeof text);
    assert_int_equal(try_open("state.mdb", 0), WEFT_EDAMAGED);
    scratch_empty();
}

/* One of the two heads is the older one: its state must not come back in silence. */
TEST(the_last_commit_is_not_lost_with_its_head)
{
    fill(10);
    kit_commit(&crawl);
    kit_see(&crawl, "http://last/", 0);
    kit_commit(&crawl);
    close_filled();
    struct kit_bytes file = kit_read(folder, "state.mdb");
    for (size_t head = 0; head < 2; head++) {
        char *transaction = file.data + head * 4096 + 16 + 24 + 96 + 8;
        char before[8];
        memcpy(before, transaction, 8);
        memset(transaction, 0, 8);
        kit_write(folder, "state.mdb", file.data, file.size);
        assert_int_equal(try_open("state.mdb", 0), WEFT_EDAMAGED);
        memcpy(transaction, before, 8);
    }
    free(file.data);
    scratch_empty();
}

/* Everything is in order but for one record: it was copied from another number. */
TEST(a_record_that_is_not_where_it_belongs_is_noticed)
{
    MDB_txn *txn;
    unsigned one = 1, two = 2;
    MDB_val from = {sizeof one, &one}, to = {sizeof two, &two}, value;
    fill(10);
    kit_commit(&crawl);
    struct weft__crawl_state *state = &crawl.store_->state;
    assert_int_equal(mdb_txn_begin(state->env, NULL, 0, &txn), 0);
    assert_int_equal(mdb_get(txn, state->trees[WEFT__CRAWL_URL], &from, &value), 0);
    char copy[200];
    memcpy(copy, value.mv_data, value.mv_size);
    value.mv_data = copy;
    assert_int_equal(mdb_put(txn, state->trees[WEFT__CRAWL_URL], &to, &value, 0), 0);
    assert_int_equal(mdb_txn_commit(txn), 0);
    assert_int_equal(weft_crawl_url(&crawl, 2, copy, sizeof copy, NULL, NULL), WEFT_EDAMAGED);
    assert_int_equal(weft_crawl_close(&crawl), 0);
    assert_int_equal(try_open("state.mdb", 0), WEFT_EDAMAGED);
    scratch_empty();
}

/* A head of another version of ours, with a good checksum. */
TEST(a_version_that_is_not_known_is_told_and_left_alone)
{
    static const struct weft__crawl_key none;
    MDB_txn *txn;
    MDB_val name = {5, "state"}, value;
    char head[40];
    fill(10);
    kit_commit(&crawl);
    struct weft__crawl_state *state = &crawl.store_->state;
    assert_int_equal(mdb_txn_begin(state->env, NULL, 0, &txn), 0);
    assert_int_equal(mdb_get(txn, state->trees[WEFT__CRAWL_BATCH], &name, &value), 0);
    assert_int_equal(value.mv_size, sizeof head);
    memcpy(head, value.mv_data, sizeof head);
    head[8] = 2;
    wire_put(head + 32, weft__crawl_checksum(&none, 'h', weft_text(NULL, 0), weft_text(head, 32)),
             8);
    value.mv_data = head;
    assert_int_equal(mdb_put(txn, state->trees[WEFT__CRAWL_BATCH], &name, &value, 0), 0);
    assert_int_equal(mdb_txn_commit(txn), 0);
    assert_int_equal(weft_crawl_close(&crawl), 0);
    struct kit_bytes before = kit_read(folder, "state.mdb");
    assert_int_equal(try_open("state.mdb", 0), UV_ENOTSUP);
    struct kit_bytes after = kit_read(folder, "state.mdb");
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.data, after.data, before.size);
    free(before.data);
    free(after.data);
    scratch_empty();
}

TEST(another_version_of_lmdb_is_told)
{
    fill(10);
    kit_commit(&crawl);
    close_filled();
    struct kit_bytes file = kit_read(folder, "state.mdb");
    file.data[20] = 2;
    kit_write(folder, "state.mdb", file.data, file.size);
    assert_int_equal(try_open("state.mdb", 0), WEFT_EDAMAGED);
    file.data[4096 + 20] = 2;
    kit_write(folder, "state.mdb", file.data, file.size);
    assert_int_equal(try_open("state.mdb", 0), UV_ENOTSUP);
    free(file.data);
    scratch_empty();
}

/* ---- journals ------------------------------------------------------------------------------- */

static const char *full_journal(void)
{
    return kit_size(folder, "journal-a") > HEAD ? "journal-a" : "journal-b";
}

/* The state before the last change, and after it; the journal that holds it. */
static struct kit_bytes last_change(uint64_t *before, uint64_t *after, size_t *at)
{
    fill(30);
    *before = digest_of(&crawl);
    *at = kit_size(folder, full_journal());
    assert_int_equal(weft_crawl_put(&crawl, T("host/1"), T("the last change")), 0);
    *after = close_filled();
    return kit_read(folder, full_journal());
}

/* The bytes of the database, to put it back as it was before a journal was replayed. */
TEST(a_change_that_was_not_finished_is_cut_off_in_silence)
{
    uint64_t before, after;
    size_t at;
    struct kit_bytes journal = last_change(&before, &after, &at);
    struct kit_bytes state = kit_read(folder, "state.mdb");
    const char *name = full_journal();
    for (size_t size = at; size <= journal.size; size++) {
        kit_write(folder, "state.mdb", state.data, state.size);
        kit_write(folder, name, journal.data, size);
        assert_int_equal(try_open(name, size < journal.size ? before : after), 0);
        assert_int_equal(kit_size(folder, name), HEAD);
    }
    free(journal.data);
    free(state.data);
    scratch_empty();
}

TEST(a_journal_without_its_head_is_noticed)
{
    uint64_t before, after;
    size_t at;
    struct kit_bytes journal = last_change(&before, &after, &at);
    const char *name = full_journal();
    for (size_t size = 0; size < HEAD; size++) {
        kit_write(folder, name, journal.data, size);
        assert_int_equal(try_open(name, 0), WEFT_EDAMAGED);
    }
    free(journal.data);
    scratch_empty();
}

TEST(every_byte_of_a_journal_counts)
{
    uint64_t before, after;
    size_t at;
    struct kit_bytes journal = last_change(&before, &after, &at);
    struct kit_bytes state = kit_read(folder, "state.mdb");
    const char *name = full_journal();
    struct dice dice = {check_seed()};
    for (size_t i = 0; i < journal.size; i += i < 200 ? 1 : 1 + roll(&dice, 20)) {
        char byte = journal.data[i];
        journal.data[i] = (char)(byte ^ (char)(1 << roll(&dice, 8)));
        kit_write(folder, name, journal.data, journal.size);
        assert_int_equal(try_open(name, 0), WEFT_EDAMAGED);
        journal.data[i] = byte;
    }
    struct kit_bytes unchanged = kit_read(folder, "state.mdb");
    assert_memory_equal(unchanged.data, state.data, state.size);
    kit_write(folder, name, journal.data, journal.size);
    assert_int_equal(try_open(name, after), 0);
    free(unchanged.data);
    free(state.data);
    free(journal.data);
    scratch_empty();
}

/* Cut off within the head of a change, and what is left of the head is no head. */
TEST(half_a_head_that_cannot_have_been_one_is_noticed)
{
    uint64_t before, after;
    size_t at;
    struct kit_bytes journal = last_change(&before, &after, &at);
    const char *name = full_journal();
    journal.data[at + 3] ^= 1;
    for (size_t size = at + 8; size < at + 16; size++) {
        kit_write(folder, name, journal.data, size);
        assert_int_equal(try_open(name, 0), WEFT_EDAMAGED);
    }
    free(journal.data);
    scratch_empty();
}

TEST(a_journal_of_another_state_is_noticed)
{
    uint64_t before, after;
    size_t at;
    struct kit_bytes journal = last_change(&before, &after, &at);
    fill(30);
    close_filled();
    const char *name = full_journal();
    kit_write(folder, name, journal.data, journal.size);
    assert_int_equal(try_open(name, 0), WEFT_EDAMAGED);
    free(journal.data);
    scratch_empty();
}

/* The database is from a copy that was made before the journal was. */
TEST(a_journal_that_does_not_follow_its_state_is_noticed)
{
    fill(5);
    kit_commit(&crawl);
    struct kit_bytes state = kit_read(folder, "state.mdb");
    kit_see(&crawl, "http://between/", 0);
    kit_commit(&crawl);
    kit_see(&crawl, "http://last/", 0);
    close_filled();
    kit_write(folder, "state.mdb", state.data, state.size);
    assert_int_equal(try_open("journal-", 0), WEFT_EDAMAGED);
    free(state.data);
    scratch_empty();
}

static void boot_another_time(const char *name)
{
    struct kit_bytes journal = kit_read(folder, name);
    journal.data[8] = journal.data[8] == 'f' ? 'e' : 'f';
    wire_put(journal.data + 56,
             weft__crawl_checksum(&key, 'j', weft_text(NULL, 0), weft_text(journal.data, 56)), 8);
    memset(journal.data + HEAD, 0, journal.size - HEAD < 50 ? journal.size - HEAD : 50);
    kit_write(folder, name, journal.data, journal.size);
    free(journal.data);
}

TEST(after_a_power_loss_the_journal_is_dropped_and_the_commits_are_there)
{
    fill(30);
    kit_commit(&crawl);
    uint64_t committed = digest_of(&crawl);
    kit_see(&crawl, "http://not/committed", 0);
    assert_true(close_filled() != committed);
    boot_another_time("journal-a");
    boot_another_time("journal-b");
    for (int i = 0; i < 2; i++)
        assert_int_equal(try_open("", committed), 0);
    assert_int_equal(kit_size(folder, "journal-a"), HEAD);
    kit_open(&crawl, folder);
    kit_see(&crawl, "http://afterwards/", 0);
    uint64_t afterwards = close_filled();
    assert_int_equal(try_open("", afterwards), 0);
    scratch_empty();
}

/* ---- files that are missing, or something else ---------------------------------------------- */

TEST(a_state_without_one_of_its_files_is_not_begun_anew)
{
    static const char *const names[] = {"state.mdb", "journal-a", "journal-b"};
    char path[SCRATCH_PATH];
    fill(30);
    uint64_t expected = close_filled();
    assert_int_equal(unlink(kit_path(path, folder, "state.mdb-lock")), 0); /* it comes back */
    for (unsigned i = 0; i < 3; i++) {
        struct kit_bytes file = kit_read(folder, names[i]);
        assert_int_equal(unlink(kit_path(path, folder, names[i])), 0);
        assert_int_equal(try_open(names[i], 0), WEFT_EDAMAGED);
        assert_false(i == 0 && scratch_exists(path));
        kit_write(folder, names[i], file.data, file.size);
        free(file.data);
    }
    assert_int_equal(try_open("", expected), 0);
    assert_int_equal(unlink(kit_path(path, folder, "state.mdb")), 0); /* with no changes left */
    assert_int_equal(try_open("state.mdb", 0), WEFT_EDAMAGED);
    scratch_empty();
}

/* Killed in its first moments: the journals are there, the database is not, or half. */
TEST(a_state_that_was_never_made_is_made)
{
    char path[SCRATCH_PATH];
    fill(0);
    assert_int_equal(weft_crawl_close(&crawl), 0);
    assert_int_equal(unlink(kit_path(path, folder, "state.mdb")), 0);
    assert_int_equal(unlink(kit_path(path, folder, "state.mdb-lock")), 0);
    kit_write(folder, "state.new", "half", 4);
    kit_open(&crawl, folder);
    assert_true(crawl.fresh);
    kit_see(&crawl, "http://a/", 0);
    kit_reopen(&crawl, folder);
    assert_int_equal(crawl.known, 1);
    assert_int_equal(weft_crawl_close(&crawl), 0);
    assert_false(scratch_exists(kit_path(path, folder, "state.new")));
    scratch_empty();
}

TEST(links_are_not_followed)
{
    static const char *const names[] = {"", "state.mdb", "journal-a", "lock"};
    const char *why;
    char path[SCRATCH_PATH], aside[SCRATCH_PATH];
    for (unsigned i = 0; i < 4; i++) {
        fill(0);
        assert_int_equal(weft_crawl_close(&crawl), 0);
        kit_path(path, folder, names[i]);
        if (i == 0)
            path[strlen(path) - 1] = '\0';
        scratch_new_path(aside, "aside");
        assert_int_equal(rename(path, aside), 0);
        assert_int_equal(symlink(aside, path), 0);
        int err = weft_crawl_open(&crawl, folder, &why);
        assert_true(err == UV_ELOOP || err == UV_ENOTDIR);
        assert_non_null(strstr(why, ".weft"));
    }
    scratch_empty();
}

TEST(a_folder_that_is_none_is_told)
{
    char path[SCRATCH_PATH];
    const char *why = NULL;
    crawl = (struct weft_crawl){0};
    assert_int_equal(weft_crawl_open(&crawl, scratch_path(path, "missing"), &why), UV_ENOENT);
    assert_non_null(strstr(why, "missing"));
    scratch_file(path, "file", "");
    assert_int_equal(weft_crawl_open(&crawl, path, &why), UV_ENOTDIR);
    assert_int_equal(weft_crawl_open(&crawl, "", &why), UV_EINVAL);
    assert_int_equal(weft_crawl_open(&crawl, NULL, NULL), UV_EINVAL);
    kit_open(&crawl, kit_folder(path));
    assert_int_equal(weft_crawl_open(&crawl, path, &why), UV_EINVAL);
    assert_int_equal(weft_crawl_close(&crawl), 0);
    scratch_empty();
}

/* ---- two at once ---------------------------------------------------------------------------- */

/* A child that opens the state, says so, and waits to be killed. */
static pid_t open_in_a_child(int *status)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct weft_crawl open = {0};
        int err = weft_crawl_open(&open, folder, NULL);
        if (write(ends[1], &err, sizeof err) < 0)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ends[0], status, sizeof *status), sizeof *status);
    close(ends[0]);
    close(ends[1]);
    return child;
}

static void end_child(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

TEST(a_second_one_is_refused_until_the_first_is_gone_however_it_goes)
{
    struct weft_crawl second = {0};
    const char *why = NULL;
    int status;
    fill(5);
    assert_int_equal(weft_crawl_open(&second, folder, &why), UV_EBUSY);
    assert_non_null(strstr(why, "another process"));
    pid_t child = open_in_a_child(&status);
    assert_int_equal(status, UV_EBUSY);
    end_child(child);
    uint64_t expected = close_filled();
    child = open_in_a_child(&status);
    assert_int_equal(status, 0);
    assert_int_equal(weft_crawl_open(&second, folder, &why), UV_EBUSY);
    end_child(child);
    assert_int_equal(try_open("", expected), 0);
    scratch_empty();
}
