/* The cache's table and its ghosts, where hashes are chosen to be in one another's way.
 * ctest: labels=valgrind-long shuffle=no */
#include "check.h"
#include "fault.h"
#include "recipes/ghost.h"
#include "recipes/table.h"
#include "weft/alloc.h"
#include <string.h>

enum { CELLS = 400 };

static struct table table;
static struct weft_cell *cells[CELLS];

static struct weft_text name_of(int number)
{
    static char name[8];
    return weft_text(name, (size_t)snprintf(name, sizeof name, "%d", number));
}

/* All of them with the same tag, in so many chunks. */
static uint64_t crowded(int number, int chunks)
{
    return (uint64_t)7 << 56 | (uint64_t)(number % chunks);
}

static void make_cells(int chunks)
{
    for (int i = 0; i < CELLS; i++) {
        cells[i] = weft__cell_make(name_of(i), crowded(i, chunks), NULL, 0);
        assert_non_null(cells[i]);
    }
    assert_int_equal(weft__table_open(&table), 0);
}

static void drop_cells(void)
{
    for (int i = 0; i < CELLS; i++)
        weft_cell_drop(cells[i]);
    weft__table_close(&table);
}

static void add(int number)
{
    assert_int_equal(weft__table_reserve(&table), 0);
    weft__table_add(&table, cells[number]);
}

static bool is_there(int number)
{
    struct weft_cell *cell = weft__table_find(&table, name_of(number), cells[number]->hash);
    assert_true(cell == NULL || cell == cells[number]);
    return cell != NULL;
}

static bool nobody_was_passed(void)
{
    for (size_t i = 0; i <= table.mask; i++) {
        if (table.tags[i * CHUNK_TAGS + CHUNK_SLOTS] != 0)
            return false;
    }
    return true;
}

TEST(cells_that_crowd_one_chunk_are_found_in_those_behind)
{
    for (int chunks = 1; chunks <= 4; chunks++) {
        make_cells(chunks);
        for (int i = 0; i < CELLS; i++) {
            assert_false(is_there(i));
            add(i);
            assert_true(is_there(i));
        }
        for (int i = 0; i < CELLS; i++)
            assert_true(is_there(i));
        assert_int_equal(table.count, CELLS);
        drop_cells();
    }
}

TEST(what_is_removed_leaves_no_trace)
{
    uint64_t random = 1;
    bool there[CELLS] = {false};
    make_cells(3);
    for (int round = 0; round < 20000; round++) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        int number = (int)(random >> 33) % (CELLS / 4);
        if (there[number])
            weft__table_remove(&table, cells[number]);
        else
            add(number);
        there[number] = !there[number];
        assert_int_equal(is_there(number), there[number]);
        int other = (int)(random >> 13 & 0xffff) % CELLS;
        assert_int_equal(is_there(other), there[other]);
    }
    for (int i = 0; i < CELLS; i++) {
        if (there[i])
            weft__table_remove(&table, cells[i]);
    }
    assert_int_equal(table.count, 0);
    assert_true(nobody_was_passed());
    drop_cells();
}

/* More than a byte can count go past one chunk. */
TEST(a_count_that_is_full_stays_full_and_all_are_found)
{
    make_cells(1);
    for (int i = 0; i < CELLS; i++)
        add(i);
    assert_false(nobody_was_passed());
    for (int i = 0; i < CELLS - 1; i++)
        weft__table_remove(&table, cells[i]);
    assert_true(is_there(CELLS - 1));
    assert_false(is_there(0));
    drop_cells();
}

TEST(a_search_ends_where_every_chunk_was_passed)
{
    make_cells(2);
    for (int i = 0; i < 13; i++) /* two chunks from now on */
        add(i * 2);
    assert_int_equal(table.mask, 1);
    for (int i = 13; i < 16; i++)
        add(i * 2); /* one goes on to the second chunk */
    for (int i = 0; i < 12; i++)
        weft__table_remove(&table, cells[i * 2]);
    for (int i = 0; i < 16; i++)
        add(i * 2 + 1); /* and some come back to the first */
    assert_true(table.tags[CHUNK_SLOTS] != 0 && table.tags[CHUNK_TAGS + CHUNK_SLOTS] != 0);
    assert_false(is_there(CELLS - 1));
    assert_false(is_there(CELLS - 2));
    drop_cells();
}

TEST(a_cell_takes_the_slot_of_another)
{
    make_cells(1);
    for (int i = 0; i < 40; i++)
        add(i);
    struct weft_cell *newer = weft__cell_make(name_of(30), cells[30]->hash, "new", 3);
    weft__table_replace(&table, cells[30], newer);
    assert_ptr_equal(weft__table_find(&table, name_of(30), newer->hash), newer);
    assert_int_equal(table.count, 40);
    weft_cell_drop(newer);
    drop_cells();
}

TEST(a_table_that_cannot_grow_stays_as_it_is)
{
    weft_fault_install();
    make_cells(3);
    for (int i = 0; i < 12; i++)
        add(i);
    weft_fault_fail_at(1);
    assert_int_equal(weft__table_reserve(&table), UV_ENOMEM);
    weft_fault_fail_at(0);
    for (int i = 0; i < 12; i++)
        assert_true(is_there(i));
    assert_int_equal(weft__table_reserve(&table), 0);
    drop_cells();
    fault_remove();
}

/* ---- ghosts --------------------------------------------------------------------------------- */

static uint64_t ghost_hash(unsigned number)
{
    return (uint64_t)number << 32;
}

TEST(a_ghost_is_taken_once)
{
    struct ghost ghost = {0};
    weft__ghost_add(&ghost, ghost_hash(1)); /* nothing is kept yet */
    assert_false(weft__ghost_take(&ghost, ghost_hash(1)));
    weft__ghost_grow(&ghost, 2);
    weft__ghost_add(&ghost, ghost_hash(1));
    weft__ghost_add(&ghost, ghost_hash(5));
    assert_true(weft__ghost_take(&ghost, ghost_hash(1)));
    assert_false(weft__ghost_take(&ghost, ghost_hash(1)));
    assert_true(weft__ghost_take(&ghost, ghost_hash(5)));
    assert_false(weft__ghost_take(&ghost, ghost_hash(3)));
    weft__ghost_add(&ghost, ghost_hash(0)); /* empty places have none */
    assert_true(weft__ghost_take(&ghost, ghost_hash(0)));
    assert_false(weft__ghost_take(&ghost, ghost_hash(0)));
    weft__ghost_close(&ghost);
}

TEST(the_oldest_ghost_goes_first_also_after_growing)
{
    struct ghost ghost = {0};
    weft__ghost_grow(&ghost, 1);
    for (unsigned i = 1; i <= GHOST_SET + 4; i++)
        weft__ghost_add(&ghost, ghost_hash(i * 64)); /* one set, however many there are */
    weft__ghost_grow(&ghost, 4);
    weft__ghost_add(&ghost, ghost_hash(1000 * 64));
    for (unsigned i = 1; i <= GHOST_SET + 4; i++)
        assert_int_equal(weft__ghost_take(&ghost, ghost_hash(i * 64)), i > 5);
    weft__ghost_close(&ghost);
}
