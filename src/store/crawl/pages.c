/* A look at all the pages of an LMDB file before LMDB does.
 *
 * LMDB maps its file and believes what it reads: a page that is missing is a SIGBUS, an offset that
 * was scribbled over leads anywhere, and a head of a tree that went bad can hide half of it. Our
 * records have checksums, but they are only as good as the way to them. So the whole of that is
 * walked here, in a mapping of our own that is never left: the two heads, the trees below the newer
 * one with every page, node and key in its order, the long values, and the list of free pages.
 * What passes is safe to read, every record in it can be found, and no page is used twice.
 *
 * The format is LMDB's data version 1, that of all of 0.9, with the sizes and the byte order of the
 * machine:
 *
 *   page   number 8, 2 unused, flags 2, lower 2, upper 2 (of a long value: its pages, 4); then the
 *          offsets of its nodes, 2 each, up to lower; the nodes themselves are above upper
 *   node   4 + 2 + 2 + key + data: the size of the data (in a branch: with the flags, the page
 *          below), flags, the size of the key
 *   tree   page size 4 (only in the first), flags 2, depth 2, three counts of pages, entries, root
 *   head   magic 4, version 4, address 8, map size 8, tree of free pages, main tree, last page,
 *          transaction
 *
 * The heads are written in turn, so their transactions follow each other, and the first of all has
 * nothing in it; a newer one that cannot be read must not pass as the older one, silently without
 * what was committed last. */
#include "pages.h"
#include "weft/alloc.h"
#include "weft/error.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <uv.h>

enum {
    PAGE_HEAD = 16,
    PAGE_FLAGS = 10,
    PAGE_LOWER = 12,
    PAGE_UPPER = 14,
    BRANCH = 1,
    LEAF = 2,
    LONG_VALUE = 4,
    HEAD_PAGE = 8,
    NODE_FLAGS = 4,
    NODE_KEY_SIZE = 6,
    NODE_HEAD = 8,
    NODE_LONG = 1,
    NODE_TREE = 2,
    TREE_SIZE = 48,
    TREE_FLAGS = 4,
    TREE_DEPTH = 6,
    TREE_ENTRIES = 32,
    TREE_ROOT = 40,
    INTEGER_KEYS = 8,
    NO_SUBFOLDER = 0x4000,
    DEPTH_MAX = 32,
    HEAD_AT = PAGE_HEAD,
    HEAD_VERSION = 4,
    HEAD_FREE = 24,
    HEAD_MAIN = HEAD_FREE + TREE_SIZE,
    HEAD_LAST = HEAD_MAIN + TREE_SIZE,
    HEAD_TRANSACTION = HEAD_LAST + 8,
    HEAD_SIZE = HEAD_TRANSACTION + 8,
    PAGE_MIN = 512,
    PAGE_MAX = 32768
};
#define MAGIC UINT32_C(0xBEEFC0DE)
#define NO_PAGE UINT64_MAX

struct key {
    const char *data; /* NULL: none yet */
    size_t size;
};

struct walk {
    const char *map;
    uint64_t size;    /* of the file */
    size_t page_size; /* a power of two */
    uint64_t pages;   /* that are in the file, and below the head's last */
    uint64_t last;    /* the head's */
    unsigned char *used, *spare;
    const char *trouble;
};

/* One tree of it. */
struct tree {
    bool numbers;   /* keys are numbers of the machine */
    bool spares;    /* the list of free pages */
    bool main;      /* its values are trees */
    uint64_t found; /* entries */
    struct key last, least;
};

static uint16_t load16(const char *at)
{
    uint16_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static uint32_t load32(const char *at)
{
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static uint64_t load64(const char *at)
{
    uint64_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static bool wrong(struct walk *walk, const char *trouble)
{
    walk->trouble = trouble;
    return false;
}

/* true: it was not marked before. */
static bool mark(unsigned char *marks, uint64_t page)
{
    unsigned char bit = (unsigned char)(1U << (page & 7));
    if ((marks[page >> 3] & bit) != 0)
        return false;
    marks[page >> 3] |= bit;
    return true;
}

static bool use(struct walk *walk, uint64_t page)
{
    if (page < 2 || page > walk->last)
        return wrong(walk, "a page is named that cannot be");
    if (page >= walk->pages)
        return wrong(walk, "its end is missing");
    return mark(walk->used, page) || wrong(walk, "a page is used twice");
}

/* ---- keys ----------------------------------------------------------------------------------- */

static int compare(const struct tree *tree, struct key one, struct key other)
{
    if (tree->numbers) {
        uint64_t a = one.size == 4 ? load32(one.data) : load64(one.data);
        uint64_t b = other.size == 4 ? load32(other.data) : load64(other.data);
        return (a > b) - (a < b);
    }
    size_t common = one.size < other.size ? one.size : other.size;
    int difference = memcmp(one.data, other.data, common);
    return difference != 0 ? difference : (one.size > other.size) - (one.size < other.size);
}

static bool key_fits(const struct tree *tree, struct key key)
{
    return tree->numbers ? key.size == (tree->spares ? 8 : 4) : key.size > 0 && key.size <= 511;
}

/* A key in a leaf: after the one before it, and not below what the branch above promised. */
static bool leaf_key(struct walk *walk, struct tree *tree, struct key key)
{
    if (!key_fits(tree, key) || (tree->last.data != NULL && compare(tree, tree->last, key) >= 0) ||
        (tree->least.data != NULL && compare(tree, tree->least, key) > 0))
        return wrong(walk, "keys are out of order");
    tree->last = key;
    tree->least.data = NULL;
    return true;
}

/* A key in a branch lies between the pages beside it. The first one of a branch is not used. */
static bool branch_key(struct walk *walk, struct tree *tree, struct key key)
{
    if (!key_fits(tree, key) || (tree->last.data != NULL && compare(tree, tree->last, key) >= 0))
        return wrong(walk, "keys are out of order");
    tree->least = key;
    return true;
}

/* ---- values --------------------------------------------------------------------------------- */

static bool walk_tree(struct walk *walk, const char *head, struct tree *tree);

/* Where the value lies that takes pages of its own. */
static const char *long_value(struct walk *walk, uint64_t page, size_t size)
{
    uint64_t needed = (PAGE_HEAD + (uint64_t)size - 1) / walk->page_size + 1;
    if (!use(walk, page))
        return NULL;
    const char *at = walk->map + page * walk->page_size;
    if (load64(at) != page || load16(at + PAGE_FLAGS) != LONG_VALUE ||
        load32(at + PAGE_LOWER) < needed) {
        wrong(walk, "a long value has no head");
        return NULL;
    }
    for (uint64_t i = 1; i < load32(at + PAGE_LOWER); i++) {
        if (!use(walk, page + i))
            return NULL;
    }
    return at + PAGE_HEAD;
}

/* A list of free pages: how many, and their numbers. */
static bool spare_pages(struct walk *walk, const char *value, size_t size)
{
    if (size < 8 || load64(value) > size / 8 - 1)
        return wrong(walk, "the list of free pages is cut off");
    for (uint64_t i = 1; i <= load64(value); i++) {
        uint64_t page = load64(value + 8 * i);
        if (page < 2 || page > walk->last || !mark(walk->spare, page))
            return wrong(walk, "the list of free pages is wrong");
    }
    return true;
}

static bool inner_tree(struct walk *walk, const char *head, size_t size)
{
    struct tree tree = {0};
    if (size != TREE_SIZE || (load16(head + TREE_FLAGS) & ~INTEGER_KEYS) != 0)
        return wrong(walk, "the head of a tree is wrong");
    tree.numbers = load16(head + TREE_FLAGS) == INTEGER_KEYS;
    return walk_tree(walk, head, &tree);
}

/* The node has room for its head and key; room is from the key's end to the page's. */
static bool leaf_value(struct walk *walk, struct tree *tree, const char *node, size_t room)
{
    size_t size = load32(node);
    uint16_t flags = load16(node + NODE_FLAGS);
    const char *value = node + NODE_HEAD + load16(node + NODE_KEY_SIZE);
    bool is_long = flags == NODE_LONG;
    if (flags != (tree->main ? NODE_TREE : 0) && (!is_long || tree->main))
        return wrong(walk, "a value is of no known kind");
    if (room < (is_long ? 8 : size))
        return wrong(walk, "a value leaves its page");
    if (is_long)
        value = long_value(walk, load64(value), size);
    if (value == NULL)
        return false;
    if (tree->spares)
        return spare_pages(walk, value, size);
    return !tree->main || inner_tree(walk, value, size);
}

/* ---- pages ---------------------------------------------------------------------------------- */

static bool walk_page(struct walk *walk, struct tree *tree, uint64_t page, unsigned level);

static bool walk_node(struct walk *walk, struct tree *tree, const char *page, unsigned i,
                      unsigned level)
{
    size_t at = load16(page + PAGE_HEAD + (size_t)2 * i);
    if (at < load16(page + PAGE_UPPER) || at > walk->page_size - NODE_HEAD)
        return wrong(walk, "a node lies outside of its page");
    const char *node = page + at;
    size_t room = walk->page_size - at - NODE_HEAD;
    struct key key = {node + NODE_HEAD, load16(node + NODE_KEY_SIZE)};
    if (key.size > room)
        return wrong(walk, "a key leaves its page");
    if (level > 1) {
        uint64_t below = load32(node) | (uint64_t)load16(node + NODE_FLAGS) << 32;
        return (i == 0 || branch_key(walk, tree, key)) && walk_page(walk, tree, below, level - 1);
    }
    tree->found++;
    return leaf_key(walk, tree, key) && leaf_value(walk, tree, node, room - key.size);
}

static bool walk_page(struct walk *walk, struct tree *tree, uint64_t page, unsigned level)
{
    if (!use(walk, page))
        return false;
    const char *at = walk->map + page * walk->page_size;
    size_t lower = load16(at + PAGE_LOWER), upper = load16(at + PAGE_UPPER);
    if (load64(at) != page || load16(at + PAGE_FLAGS) != (level > 1 ? BRANCH : LEAF))
        return wrong(walk, "a page is not what it should be");
    if (lower <= PAGE_HEAD || lower % 2 != 0 || lower > upper || upper > walk->page_size)
        return wrong(walk, "the head of a page is wrong");
    for (unsigned i = 0; i < (lower - PAGE_HEAD) / 2; i++) {
        if (!walk_node(walk, tree, at, i, level))
            return false;
    }
    return true;
}

static bool walk_tree(struct walk *walk, const char *head, struct tree *tree)
{
    uint64_t root = load64(head + TREE_ROOT), entries = load64(head + TREE_ENTRIES);
    unsigned depth = load16(head + TREE_DEPTH);
    if (root == NO_PAGE)
        return (entries == 0 && depth == 0) || wrong(walk, "a tree has lost its root");
    if (depth == 0 || depth > DEPTH_MAX)
        return wrong(walk, "the head of a tree is wrong");
    if (!walk_page(walk, tree, root, depth))
        return false;
    return tree->found == entries || wrong(walk, "entries are missing");
}

/* ---- heads ---------------------------------------------------------------------------------- */

static bool is_head(const char *head)
{
    return load16(head - HEAD_AT + PAGE_FLAGS) == HEAD_PAGE && load32(head) == MAGIC;
}

/* The newer one. NULL: wrong. */
static const char *find_head(struct walk *walk)
{
    if (walk->size < HEAD_AT + HEAD_SIZE)
        return wrong(walk, "its end is missing"), NULL;
    const char *first = walk->map + HEAD_AT;
    size_t page_size = load32(first + HEAD_FREE);
    if (!is_head(first) || page_size < PAGE_MIN || page_size > PAGE_MAX ||
        (page_size & (page_size - 1)) != 0)
        return wrong(walk, "its head is wrong"), NULL;
    if (walk->size < 2 * page_size)
        return wrong(walk, "its end is missing"), NULL;
    const char *second = first + page_size;
    uint64_t a = load64(first + HEAD_TRANSACTION), b = load64(second + HEAD_TRANSACTION);
    if (!is_head(second) || load32(second + HEAD_FREE) != page_size ||
        load32(first + HEAD_VERSION) != load32(second + HEAD_VERSION))
        return wrong(walk, "its head is wrong"), NULL;
    if (a % 2 != 0 || (b == 0 ? a != 0 : a + 1 != b && b + 1 != a) ||
        (a == 0 && load64(first + HEAD_MAIN + TREE_ROOT) != NO_PAGE))
        return wrong(walk, "its two heads do not belong together"), NULL;
    walk->page_size = page_size;
    return a >= b ? first : second;
}

static bool walk_head(struct walk *walk, const char *head)
{
    struct tree spares = {.numbers = true, .spares = true}, main = {.main = true};
    if ((load16(head + HEAD_FREE + TREE_FLAGS) & ~NO_SUBFOLDER) != INTEGER_KEYS ||
        load16(head + HEAD_MAIN + TREE_FLAGS) != 0)
        return wrong(walk, "its head is wrong");
    if (!walk_tree(walk, head + HEAD_FREE, &spares) || !walk_tree(walk, head + HEAD_MAIN, &main))
        return false;
    for (uint64_t i = 0; i <= walk->last / 8; i++) {
        if ((walk->used[i] & walk->spare[i]) != 0)
            return wrong(walk, "a page in use is called free");
    }
    return true;
}

static int walk_file(struct walk *walk)
{
    const char *head = find_head(walk);
    if (head == NULL)
        return WEFT_EDAMAGED;
    if (load32(head + HEAD_VERSION) != 1)
        return UV_ENOTSUP;
    walk->last = load64(head + HEAD_LAST);
    walk->pages = walk->size / walk->page_size;
    /* Pages that were never written may lie behind the file's end, but only a few: those that one
     * transaction took and gave back. A last page from nowhere must not ask for much memory. */
    if (walk->last < 1 || walk->last / 16 > walk->pages + 4096) {
        walk->trouble = "its head is wrong";
        return WEFT_EDAMAGED;
    }
    size_t bytes = (size_t)(walk->last / 8 + 1);
    walk->used = weft_calloc(bytes, 1);
    walk->spare = weft_calloc(bytes, 1);
    int err = walk->used == NULL || walk->spare == NULL ? UV_ENOMEM
              : walk_head(walk, head)                   ? 0
                                                        : WEFT_EDAMAGED;
    weft_free(walk->used);
    weft_free(walk->spare);
    return err;
}

int weft__crawl_pages_look(const char *file, size_t size, const char **trouble)
{
    struct walk walk = {.map = file, .size = size};
    int err = walk_file(&walk);
    *trouble = walk.trouble;
    return err;
}

int weft__crawl_pages_check(int fd, const char **trouble)
{
    struct stat st;
    *trouble = NULL;
    if (fstat(fd, &st) != 0)
        return uv_translate_sys_error(errno);
    if (!S_ISREG(st.st_mode) || st.st_size == 0) {
        *trouble = "it is empty";
        return WEFT_EDAMAGED;
    }
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return uv_translate_sys_error(errno);
    int err = weft__crawl_pages_look(map, (size_t)st.st_size, trouble);
    munmap(map, (size_t)st.st_size);
    return err;
}
