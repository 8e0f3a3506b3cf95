/* Who links to whom: what is added comes back in its order, after any end.
 * ctest: shuffle=no */
#include "spider/edges.h"
#include "check.h"
#include "fault.h"
#include "scratch.h"
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft.h>

static struct edges edges;
static char folder[SCRATCH_PATH], file[SCRATCH_PATH];

static void up(void)
{
    char weft[SCRATCH_PATH];
    scratch_empty();
    mkdir(scratch_path(folder, "site"), 0777);
    mkdir(scratch_path(weft, "site/.weft"), 0777);
    scratch_path(file, "site/.weft/edges");
    edges = (struct edges){0};
}

static size_t file_size(void)
{
    struct stat info;
    assert_int_equal(stat(file, &info), 0);
    return (size_t)info.st_size;
}

static void append(const void *data, size_t size)
{
    int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, size), size);
    close(fd);
}

struct seen {
    struct edge edges[16];
    size_t count, stop_at;
};

static int see(struct edge edge, void *context)
{
    struct seen *seen = context;
    if (seen->count < 16)
        seen->edges[seen->count] = edge;
    return ++seen->count == seen->stop_at ? 42 : 0;
}

static struct seen all(void)
{
    struct seen seen = {.count = 0};
    assert_int_equal(edges_each(&edges, see, &seen), 0);
    return seen;
}

TEST(pairs_come_back_in_their_order_also_the_next_time)
{
    up();
    assert_false(edges_exist(folder));
    assert_int_equal(edges_open(&edges, folder, 9), 0);
    assert_true(edges_exist(folder));
    assert_int_equal(edges_add(&edges, 1, 2), 0);
    assert_int_equal(edges_add(&edges, 2, 9), 0);
    edges_close(&edges);
    assert_int_equal(edges_open(&edges, folder, 9), 0);
    assert_int_equal(edges_add(&edges, 9, 1), 0);
    struct seen seen = all();
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.edges[0].from, 1);
    assert_int_equal(seen.edges[0].to, 2);
    assert_int_equal(seen.edges[1].to, 9);
    assert_int_equal(seen.edges[2].from, 9);
    edges_close(&edges);
}

TEST(a_pair_that_was_added_a_moment_ago_is_not_added_again)
{
    up();
    assert_int_equal(edges_open(&edges, folder, 9), 0);
    for (int i = 0; i < 3; i++) {
        edges_add(&edges, 1, 2);
        edges_add(&edges, 1, 3);
    }
    assert_int_equal(all().count, 2);
    edges_add(&edges, 2, 2); /* another page */
    assert_int_equal(all().count, 3);
    edges_close(&edges);
}

TEST(a_pair_with_nobody_in_it_is_none)
{
    up();
    assert_int_equal(edges_open(&edges, folder, 9), 0);
    assert_int_equal(edges_add(&edges, 0, 2), 0);
    assert_int_equal(edges_add(&edges, 2, 0), 0);
    assert_int_equal(all().count, 0);
    edges_close(&edges);
}

TEST(more_than_a_batch_is_written_before_anybody_asks)
{
    up();
    enum { MANY = 3 * EDGES_BATCH + 5 };
    assert_int_equal(edges_open(&edges, folder, MANY), 0);
    for (weft_crawl_id i = 1; i <= MANY; i++)
        assert_int_equal(edges_add(&edges, i, i), 0);
    assert_int_equal(file_size(), 3 * EDGES_BATCH * sizeof(struct edge));
    assert_int_equal(all().count, MANY);
    edges_close(&edges);
}

TEST(what_a_crash_has_left_is_cut_off)
{
    static const struct {
        struct edge pairs[3];
        size_t bytes, good;
    } cases[] = {
        {{{1, 2}, {2, 3}, {3, 1}}, 24, 3}, {{{1, 2}, {2, 3}, {3, 1}}, 23, 2},
        {{{1, 2}, {2, 4}, {3, 1}}, 24, 1}, /* 4 is a number that the state has lost */
        {{{4, 2}, {2, 3}, {3, 1}}, 24, 0}, {{{1, 2}, {0, 0}, {0, 0}}, 24, 1}, /* a hole */
        {{{1, 2}, {4, 0}, {3, 1}}, 24, 1}, {{{1, 2}, {2, 3}, {3, 1}}, 5, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        up();
        append(cases[i].pairs, cases[i].bytes);
        assert_int_equal(edges_open(&edges, folder, 3), 0);
        assert_int_equal(file_size(), cases[i].good * sizeof(struct edge));
        assert_int_equal(edges_add(&edges, 3, 3), 0);
        struct seen seen = all();
        assert_int_equal(seen.count, cases[i].good + 1);
        assert_int_equal(seen.edges[cases[i].good].from, 3);
        edges_close(&edges);
    }
}

TEST(only_the_last_links_of_a_page_count)
{
    up();
    assert_int_equal(edges_open(&edges, folder, 9), 0);
    edges_add(&edges, 1, 2);
    edges_add(&edges, 2, 3);
    assert_int_equal(edges_anew(&edges, 1), 0);
    edges_add(&edges, 1, 2); /* not taken for the one before */
    edges_add(&edges, 1, 4);
    assert_int_equal(all().count, 3);
    edges_close(&edges);
    assert_int_equal(edges_open(&edges, folder, 9), 0);
    struct seen seen = all();
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.edges[0].from, 2);
    assert_int_equal(seen.edges[1].to, 2);
    assert_int_equal(seen.edges[2].to, 4);
    assert_int_equal(edges_anew(&edges, 0), 0);
    assert_int_equal(edges_anew(&edges, 9), 0);
    assert_int_equal(edges_anew(&edges, 1), 0); /* now it has none */
    assert_int_equal(all().count, 1);
    edges_close(&edges);
    assert_int_equal(edges_anew(&edges, 1), 0);
}

TEST(what_does_not_count_any_more_is_cleared_away)
{
    up();
    size_t most = 0;
    for (int round = 0; round < 50; round++) {
        assert_int_equal(edges_open(&edges, folder, 1000), 0);
        edges_tidy(&edges, folder);
        edges_anew(&edges, 1);
        for (weft_crawl_id to = 2; to <= 1000; to++)
            assert_int_equal(edges_add(&edges, 1, to), 0);
        edges_add(&edges, 2, 1);
        struct seen seen = all();
        assert_int_equal(seen.count, 1000 + (size_t)round);
        edges_close(&edges);
        most = file_size() > most ? file_size() : most;
    }
    assert_true(most < 5 * 1000 * sizeof(struct edge));
    char new[SCRATCH_PATH];
    assert_false(scratch_exists(scratch_path(new, "site/.weft/edges.new")));
}

TEST(what_cannot_be_cleared_away_stays_as_it_is)
{
    char new[SCRATCH_PATH];
    up();
    assert_int_equal(mkdir(scratch_path(new, "site/.weft/edges.new"), 0777), 0);
    assert_int_equal(edges_open(&edges, folder, 9), 0);
    for (int i = 0; i < 2 * EDGES_FEW; i++)
        edges_anew(&edges, 1);
    edges_add(&edges, 1, 2);
    assert_int_equal(edges_flush(&edges), 0);
    size_t before = file_size();
    edges_tidy(&edges, folder);
    assert_int_equal(file_size(), before);
    assert_int_equal(all().count, 1);
    edges_close(&edges);
    edges_tidy(&edges, folder); /* one that is not open */
}

TEST(who_has_seen_enough_can_stop)
{
    up();
    assert_int_equal(edges_open(&edges, folder, 9), 0);
    for (weft_crawl_id i = 1; i < 9; i++)
        edges_add(&edges, i, 9);
    struct seen seen = {.stop_at = 3};
    assert_int_equal(edges_each(&edges, see, &seen), 42);
    assert_int_equal(seen.count, 3);
    edges_close(&edges);
}

TEST(one_that_is_not_open_does_nothing)
{
    up();
    struct seen seen = {.count = 0};
    assert_int_equal(edges_add(&edges, 1, 2), 0);
    assert_int_equal(edges_flush(&edges), 0);
    assert_int_equal(edges_each(&edges, see, &seen), 0);
    assert_int_equal(seen.count, 0);
    edges_close(&edges);
    edges_close(&edges);
}

TEST(a_folder_that_is_none_is_an_error_and_one_that_is_open_is_not_opened_again)
{
    up();
    char deep[5000];
    memset(deep, 'x', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_int_equal(edges_open(&edges, "/nonexistent", 1), UV_ENOENT);
    assert_int_equal(edges_open(&edges, deep, 1), UV_ENAMETOOLONG);
    assert_false(edges_exist(deep));
    assert_int_equal(edges_open(&edges, folder, 1), 0);
    assert_int_equal(edges_open(&edges, folder, 1), UV_EINVAL);
    edges_close(&edges);
}

TEST(a_symbolic_link_in_the_way_is_not_followed)
{
    up();
    assert_int_equal(symlink("/dev/null", file), 0);
    assert_int_equal(edges_open(&edges, folder, 1), UV_ELOOP);
}

static void keep_a_few(unsigned long n)
{
    (void)n;
    up();
    int err = edges_open(&edges, folder, 9);
    assert_true(err == 0 || err == UV_ENOMEM);
    assert_int_equal(edges_add(&edges, 1, 2), 0);
    assert_int_equal(all().count, err == 0);
    edges_close(&edges);
}

TEST(keeping_pairs_survives_running_out_of_memory)
{
    fault_ladder(keep_a_few);
    assert_int_equal(fault_ladder_height(), 2);
}

static void clear_away(unsigned long n)
{
    struct seen seen = {.count = 0};
    (void)n;
    up();
    if (edges_open(&edges, folder, 9) != 0)
        return;
    for (int i = 0; i < 2 * EDGES_FEW; i++)
        assert_int_equal(edges_anew(&edges, 1), 0);
    assert_int_equal(edges_add(&edges, 1, 2), 0);
    assert_int_equal(edges_flush(&edges), 0);
    edges_tidy(&edges, folder);
    int err = edges_each(&edges, see, &seen);
    assert_true(err == 0 ? seen.count == 1 : err == UV_ENOMEM);
    edges_close(&edges);
}

TEST(clearing_away_survives_running_out_of_memory)
{
    fault_ladder(clear_away);
    assert_in_range(fault_ladder_height(), 4, 10);
}
