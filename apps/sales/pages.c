/* A look at the pages of a ledger before LMDB gets to see them.
 *
 * LMDB maps its file and believes it: a page that is missing is a SIGBUS, an offset that was
 * scribbled over leads anywhere. Blocks have checksums, but those are only as good as the way to them.
 * So the way is walked here first, in a map of our own that is never left: the head of a transaction,
 * its two trees with every page, node and key in its order, the long values, the list of free pages.
 * What passes is safe to read, and no page is used twice.
 *
 * Others may write meanwhile. The caller has a transaction open: LMDB leaves its pages alone as long
 * as that lasts. Only the heads are written again and again, in turn, so they are read twice until both
 * readings agree; one that was overtaken by two commits is looked for again (UV_EAGAIN).
 *
 * The format is that of LMDB 0.9 (data version 1), in the sizes and the order of the machine. Both
 * trees of a ledger have keys of eight bytes, which are numbers.
 *
 *   page   number 8, 2 unused, flags 2, lower 2, upper 2 (of a long value: its pages, 4); the offsets
 *          of its nodes, 2 each, up to lower; the nodes are above upper
 *   node   size of the data 4, flags 2 (in a branch the six are the page below), size of the key 2,
 *          key, data
 *   tree   page size 4 (only in the first), flags 2, depth 2, three counts 8, entries 8, root 8
 *   head   magic 4, version 4, address 8, map size 8, tree of free pages, tree, last page 8,
 *          transaction 8 */
#include "sales/ledger_inside.h"
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/alloc.h>

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
    KEY_SIZE = 8,
    TREE_SIZE = 48,
    TREE_FLAGS = 4,
    TREE_DEPTH = 6,
    TREE_ENTRIES = 32,
    TREE_ROOT = 40,
    INTEGER_KEYS = 8,
    NO_SUBFOLDER = 0x4000,
    DEPTH_MAX = 32,
    HEAD_VERSION = 4,
    HEAD_FREE = 24,
    HEAD_MAIN = HEAD_FREE + TREE_SIZE,
    HEAD_LAST = HEAD_MAIN + TREE_SIZE,
    HEAD_TRANSACTION = HEAD_LAST + 8,
    HEAD_SIZE = HEAD_TRANSACTION + 8,
    PAGE_MIN = 512,
    PAGE_MAX = 32768,
    TRIES = 1000
};
#define MAGIC UINT32_C(0xBEEFC0DE)
#define NO_PAGE UINT64_MAX

/* The first bytes of both head pages. */
struct heads {
    char page[2][PAGE_HEAD + HEAD_SIZE];
    size_t page_size;
};

struct walk {
    const char *map;
    size_t page_size;
    uint64_t pages; /* that are in the file */
    uint64_t last;  /* the head's */
    unsigned char *used, *spare;
    const char *trouble;
};

/* One tree of it. */
struct tree {
    bool spares;          /* the list of free pages */
    bool begun, promised; /* there is a last key; a branch has promised that the next is no less */
    uint64_t last, least, found;
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

static bool wrong(struct walk *walk, const char *trouble)
{
    walk->trouble = trouble;
    return false;
}

/* true: it was not marked before. */
static bool mark(unsigned char *marks, uint64_t page)
{
    unsigned char bit = (unsigned char)(1U << (page & 7));
    bool fresh = (marks[page >> 3] & bit) == 0;
    marks[page >> 3] |= bit;
    return fresh;
}

static bool use(struct walk *walk, uint64_t page)
{
    if (page < 2 || page > walk->last)
        return wrong(walk, "a page is named that cannot be");
    if (page >= walk->pages)
        return wrong(walk, "its end is missing");
    return mark(walk->used, page) || wrong(walk, "a page is used twice");
}

/* ---- leaves --------------------------------------------------------------------------------- */

/* Where a value lies that has pages of its own. */
static const char *long_value(struct walk *walk, uint64_t page, size_t size)
{
    uint64_t needed = (PAGE_HEAD + (uint64_t)size - 1) / walk->page_size + 1;
    if (!use(walk, page))
        return NULL;
    const char *at = walk->map + page * walk->page_size;
    uint32_t pages = load32(at + PAGE_LOWER);
    if (block_load(at) != page || load16(at + PAGE_FLAGS) != LONG_VALUE || pages < needed) {
        wrong(walk, "a long value has no head");
        return NULL;
    }
    for (uint32_t i = 1; i < pages; i++) {
        if (!use(walk, page + i))
            return NULL;
    }
    return at + PAGE_HEAD;
}

/* How many, and their numbers. */
static bool spare_pages(struct walk *walk, const char *value, size_t size)
{
    if (size < 8 || block_load(value) > size / 8 - 1)
        return wrong(walk, "the list of free pages is cut off");
    for (uint64_t i = 1; i <= block_load(value); i++) {
        uint64_t page = block_load(value + 8 * i);
        if (page < 2 || page > walk->last || !mark(walk->spare, page))
            return wrong(walk, "the list of free pages is wrong");
    }
    return true;
}

/* The node has room for its head and key; room is from there to the end of the page. */
static bool leaf_node(struct walk *walk, struct tree *tree, const char *node, size_t room)
{
    size_t size = load32(node);
    uint16_t flags = load16(node + NODE_FLAGS);
    uint64_t key = block_load(node + NODE_HEAD);
    const char *value = node + NODE_HEAD + KEY_SIZE;
    if ((tree->begun && tree->last >= key) || (tree->promised && tree->least > key))
        return wrong(walk, "keys are out of order");
    tree->begun = true;
    tree->promised = false;
    tree->last = key;
    tree->found++;
    if (flags != 0 && flags != NODE_LONG)
        return wrong(walk, "a value is of no known kind");
    if (room < (flags == NODE_LONG ? 8 : size))
        return wrong(walk, "a value leaves its page");
    if (flags == NODE_LONG)
        value = long_value(walk, block_load(value), size);
    return value != NULL && (!tree->spares || spare_pages(walk, value, size));
}

/* ---- pages ---------------------------------------------------------------------------------- */

static bool walk_page(struct walk *walk, struct tree *tree, uint64_t page, unsigned level);

/* The key of a branch lies between the pages beside it. The first one of each is not used. */
static bool branch_node(struct walk *walk, struct tree *tree, const char *node, unsigned i,
                        unsigned level)
{
    uint64_t below = load32(node) | (uint64_t)load16(node + NODE_FLAGS) << 32;
    if (i > 0) {
        tree->least = block_load(node + NODE_HEAD);
        tree->promised = true;
        if (tree->begun && tree->last >= tree->least)
            return wrong(walk, "keys are out of order");
    }
    return walk_page(walk, tree, below, level - 1);
}

static bool walk_node(struct walk *walk, struct tree *tree, const char *page, unsigned i,
                      unsigned level)
{
    size_t at = load16(page + PAGE_HEAD + (size_t)2 * i);
    if (at < load16(page + PAGE_UPPER) || at > walk->page_size - NODE_HEAD)
        return wrong(walk, "a node lies outside of its page");
    const char *node = page + at;
    size_t room = walk->page_size - at - NODE_HEAD, key_size = load16(node + NODE_KEY_SIZE);
    bool nameless = level > 1 && i == 0 && key_size == 0;
    if (!nameless && (key_size != KEY_SIZE || room < KEY_SIZE))
        return wrong(walk, "a key is of no known size");
    return level > 1 ? branch_node(walk, tree, node, i, level)
                     : leaf_node(walk, tree, node, room - KEY_SIZE);
}

static bool walk_page(struct walk *walk, struct tree *tree, uint64_t page, unsigned level)
{
    if (!use(walk, page))
        return false;
    const char *at = walk->map + page * walk->page_size;
    size_t lower = load16(at + PAGE_LOWER), upper = load16(at + PAGE_UPPER);
    if (block_load(at) != page || load16(at + PAGE_FLAGS) != (level > 1 ? BRANCH : LEAF))
        return wrong(walk, "a page is not what it should be");
    if (lower <= PAGE_HEAD || lower % 2 != 0 || lower > upper || upper > walk->page_size)
        return wrong(walk, "the head of a page is wrong");
    for (unsigned i = 0; i < (lower - PAGE_HEAD) / 2; i++) {
        if (!walk_node(walk, tree, at, i, level))
            return false;
    }
    return true;
}

static bool walk_tree(struct walk *walk, const char *head, bool spares)
{
    struct tree tree = {.spares = spares};
    uint64_t root = block_load(head + TREE_ROOT), entries = block_load(head + TREE_ENTRIES);
    unsigned depth = load16(head + TREE_DEPTH);
    if (root == NO_PAGE)
        return (entries == 0 && depth == 0) || wrong(walk, "a tree has lost its root");
    if (depth == 0 || depth > DEPTH_MAX)
        return wrong(walk, "the head of a tree is wrong");
    if (!walk_page(walk, &tree, root, depth))
        return false;
    return tree.found == entries || wrong(walk, "entries are missing");
}

/* ---- heads ---------------------------------------------------------------------------------- */

static int read_at(int fd, char *buffer, size_t size, off_t at, const char **trouble)
{
    ssize_t got = pread(fd, buffer, size, at);
    if (got < 0)
        return uv_translate_sys_error(errno);
    if ((size_t)got == size)
        return 0;
    *trouble = "its end is missing";
    return WEFT_EDAMAGED;
}

static int read_once(int fd, struct heads *heads, const char **trouble)
{
    int err = read_at(fd, heads->page[0], sizeof heads->page[0], 0, trouble);
    if (err != 0)
        return err;
    heads->page_size = load32(heads->page[0] + PAGE_HEAD + HEAD_FREE);
    if (heads->page_size < PAGE_MIN || heads->page_size > PAGE_MAX ||
        (heads->page_size & (heads->page_size - 1)) != 0) {
        *trouble = "it is no ledger of sales";
        return WEFT_EDAMAGED;
    }
    return read_at(fd, heads->page[1], sizeof heads->page[1], (off_t)heads->page_size, trouble);
}

static int read_heads(int fd, struct heads *heads, const char **trouble)
{
    struct heads before;
    memset(heads, 0, sizeof *heads);
    int err = read_once(fd, heads, trouble);
    for (unsigned i = 0; i < TRIES && err == 0; i++) {
        before = *heads;
        err = read_once(fd, heads, trouble);
        if (err == 0 && memcmp(&before, heads, sizeof before) == 0)
            return 0;
    }
    return err != 0 ? err : UV_EAGAIN;
}

static uint64_t transaction_of(const struct heads *heads, unsigned which)
{
    return block_load(heads->page[which] + PAGE_HEAD + HEAD_TRANSACTION);
}

static bool is_head(const struct heads *heads, unsigned which)
{
    const char *page = heads->page[which], *head = page + PAGE_HEAD;
    return load16(page + PAGE_FLAGS) == HEAD_PAGE && load32(head) == MAGIC &&
           load32(head + HEAD_FREE) == heads->page_size;
}

/* They are written in turn: the even ones are in the first page. A newer one that cannot be read must
 * not pass as the older one, without what was committed last. */
static bool follow_each_other(const struct heads *heads)
{
    uint64_t a = transaction_of(heads, 0), b = transaction_of(heads, 1);
    return a % 2 == 0 && (a + 1 == b || b + 1 == a);
}

int pages_check_heads(int fd, const char **trouble)
{
    struct heads heads;
    struct stat st;
    if (fstat(fd, &st) != 0)
        return uv_translate_sys_error(errno);
    *trouble = "it is no ledger of sales";
    if (!S_ISREG(st.st_mode) || st.st_size == 0)
        return WEFT_EDAMAGED;
    int err = read_heads(fd, &heads, trouble);
    if (err != 0)
        return err;
    if (!is_head(&heads, 0) || !is_head(&heads, 1))
        return WEFT_EDAMAGED;
    for (unsigned i = 0; i < 2; i++) {
        if (load32(heads.page[i] + PAGE_HEAD + HEAD_VERSION) != 1) {
            *trouble = NULL;
            return UV_ENOTSUP;
        }
    }
    *trouble = follow_each_other(&heads) ? NULL : "its two heads do not belong together";
    return *trouble == NULL ? 0 : WEFT_EDAMAGED;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static bool walk_head(struct walk *walk, const char *head)
{
    if ((load16(head + HEAD_FREE + TREE_FLAGS) & ~NO_SUBFOLDER) != INTEGER_KEYS)
        return wrong(walk, "its head is wrong");
    if (load16(head + HEAD_MAIN + TREE_FLAGS) != INTEGER_KEYS)
        return wrong(walk, "it is no ledger of sales");
    if (!walk_tree(walk, head + HEAD_FREE, true) || !walk_tree(walk, head + HEAD_MAIN, false))
        return false;
    for (uint64_t i = 0; i <= walk->last / 8; i++) {
        if ((walk->used[i] & walk->spare[i]) != 0)
            return wrong(walk, "a page in use is called free");
    }
    return true;
}

static int walk_file(struct walk *walk, const char *head)
{
    walk->last = block_load(head + HEAD_LAST);
    /* Pages that were never written may lie behind the end, but only a few: those that one
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

int pages_check(int fd, uint64_t transaction, const char **trouble)
{
    struct heads heads;
    struct stat st;
    int err = read_heads(fd, &heads, trouble);
    if (err != 0)
        return err;
    unsigned which = transaction % 2 != 0;
    if (transaction_of(&heads, which) != transaction)
        return UV_EAGAIN;
    if (fstat(fd, &st) != 0)
        return uv_translate_sys_error(errno);
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return uv_translate_sys_error(errno);
    struct walk walk = {
        .map = map, .page_size = heads.page_size, .pages = (uint64_t)st.st_size / heads.page_size};
    err = walk_file(&walk, heads.page[which] + PAGE_HEAD);
    *trouble = walk.trouble;
    munmap(map, (size_t)st.st_size);
    return err;
}
