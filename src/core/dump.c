/* The tree of all that is open.
 *
 * It is walked without recursion and told in a bounded number of lines, however deep it is and
 * however many ops are in it: of siblings in a row that were begun at the same place and are in the
 * same state some are shown and the others counted, and after LINES lines everything is counted.
 *
 * Ops are in the tree always. Resources that are no ops are known only if a hook saw them being
 * opened; they are told by place. */
#include "places.h"
#include "weft/dump.h"
#include <string.h>

enum { ALIKE = 4, LINES = 1000, INDENT = 40, PLACES = 64 };

static bool alike(const struct weft_op *a, const struct weft_op *b)
{
    return a->site_ == b->site_ && a->state_ == b->state_;
}

/* The one that its parent's list has before it. */
static const struct weft_op *sibling_before(const struct weft_op *op)
{
    if (op->sibling_link_ == &op->parent->child_)
        return NULL;
    return weft_owner(op->sibling_link_, struct weft_op, sibling_);
}

static bool one_of_many(const struct weft_op *op)
{
    const struct weft_op *before = op;
    for (int i = 0; i < ALIKE; i++) {
        before = sibling_before(before);
        if (before == NULL || !alike(before, op))
            return false;
    }
    return true;
}

static uint64_t count_below(const struct weft_op *top)
{
    uint64_t count = 0;
    for (const struct weft_op *op = top; (op = op_walk(op, top, true)) != NULL;)
        count++;
    return count;
}

static void say_indent(struct weft_words *words, size_t depth)
{
    weft__say_blanks(words, 2 * (depth < INDENT ? depth : (size_t)INDENT));
}

/* op and the siblings behind it that are like it, counted; the last of them. */
static const struct weft_op *say_many(struct weft_words *words, const struct weft_op *op,
                                      size_t depth)
{
    uint64_t count = 1, below = count_below(op);
    while (op->sibling_ != NULL && alike(op, op->sibling_)) {
        op = op->sibling_;
        count++;
        below += count_below(op);
    }
    say_indent(words, depth);
    weft__say(words, "… ");
    weft__say_number(words, count);
    weft__say(words, " more like that");
    if (below != 0) {
        weft__say(words, ", with ");
        weft__say_number(words, below);
        weft__say(words, " below them");
    }
    weft__say_end(words);
    return op;
}

static void say_one(struct weft_words *words, const struct weft_op *op, size_t depth)
{
    say_indent(words, depth);
    weft__say_op(words, op);
    if (op->flags_ & OP_NAMED)
        weft__say_sample(words, op->loop_, op->id_, 2 * (depth < INDENT ? depth : INDENT) + 4);
}

static void say_rest(struct weft_words *words, const struct weft_op *op, const struct weft_op *root)
{
    uint64_t count = 0;
    for (; op != NULL; op = op_walk(op, root, true))
        count++;
    weft__say(words, "  … and ");
    weft__say_count(words, count, "operation more", "operations more");
    weft__say_end(words);
}

static void say_tree(struct weft_words *words, const struct weft_op *root)
{
    size_t depth = 1, lines = 0;
    for (const struct weft_op *op = root->child_; op != NULL;) {
        if (lines++ == LINES) {
            say_rest(words, op, root);
            return;
        }
        bool down = false;
        if (one_of_many(op)) {
            op = say_many(words, op, depth);
        } else {
            say_one(words, op, depth);
            down = op->child_ != NULL;
        }
        if (down) {
            op = op->child_;
            depth++;
            continue;
        }
        for (; op->sibling_ == NULL && op->parent != root; op = op->parent)
            depth--;
        op = op->sibling_;
    }
}

/* ---- resources that are no ops -------------------------------------------------------------- */

/* Where its set of hooks is kept tells an op from the others. One whose callback runs keeps it in
 * its frame and is not told: it may be gone. */
static bool is_no_op(const struct weft_loop *loop, const struct weft_slot *slot)
{
    const struct weft_op *op = SLOT_GET(slot->resource);
    if (SLOT_GET(slot->id) == 0 || (op != NULL && slot->seen == &op->flags_))
        return false;
    for (const struct weft_frame *frame = loop->frame_; frame != NULL; frame = frame->outer_) {
        if (slot->seen == &frame->seen_)
            return false;
    }
    return true;
}

/* false: there are too many places, and it is not among those that are told. */
static bool count_slot(const struct weft_loop *loop, const struct weft_slot *slot,
                       struct place *places)
{
    struct place *place = place_of(places, PLACES, SLOT_GET(slot->site));
    if (place == NULL)
        return false;
    uint32_t age = (uint32_t)weft__now_ms(loop) - SLOT_GET(slot->since_ms);
    if (place->count == 0 || age > place->oldest_ms) {
        place->oldest = SLOT_GET(slot->id);
        place->oldest_ms = age;
    }
    place_add(place, 1);
    return true;
}

static void say_place(struct weft_words *words, const struct weft_loop *loop,
                      const struct place *place)
{
    weft__say(words, "  ");
    weft__say(words, place->site->type);
    weft__say(words, " [");
    if (place->count > 1) {
        weft__say_number(words, place->count);
        weft__say(words, " of them, the oldest ");
    }
    weft__say_time(words, place->oldest_ms);
    weft__say(words, "]");
    weft__say_site(words, place->site);
    weft__say_end(words);
    weft__say_sample(words, loop, place->oldest, 6);
}

static void say_handles(struct weft_words *words, const struct weft_loop *loop)
{
    struct place places[PLACES];
    uint64_t others = 0;
    memset(places, 0, sizeof places);
    const struct weft_chunk *chunk = loop->observers_->chunks;
    for (; chunk != NULL; chunk = chunk->next) {
        for (int i = 0; i < CHUNK_SLOTS; i++) {
            if (is_no_op(loop, &chunk->slots[i]))
                others += !count_slot(loop, &chunk->slots[i], places);
        }
    }
    for (int i = 0; i < PLACES; i++) {
        if (places[i].count != 0)
            say_place(words, loop, &places[i]);
    }
    if (others == 0)
        return;
    weft__say(words, "  … and ");
    weft__say_number(words, others);
    weft__say(words, " more at other places");
    weft__say_end(words);
}

/* ---- all of it ------------------------------------------------------------------------------ */

void weft_dump(const struct weft_loop *loop, FILE *to)
{
    char line[1024];
    struct weft_words words = WORDS_TO_FILE(line, to);
    if (loop->handles_ == NULL) {
        weft__say(&words, "the loop is closed");
        weft__say_end(&words);
        return;
    }
    weft__say(&words, "open: ");
    weft__say_count(&words, count_below(&loop->root), "operation", "operations");
    weft__say(&words, ", ");
    weft__say_number(&words, loop->root.running_);
    weft__say(&words, " under the root");
    weft__say_end(&words);
    say_tree(&words, &loop->root);
    say_handles(&words, loop);
    weft__say_alive(&words, loop);
}

int weft__stuck(const struct weft_loop *loop)
{
    if (loop->stuck_to != NULL) {
        fputs("weft: nothing can finish these:\n", loop->stuck_to);
        weft_dump(loop, loop->stuck_to);
    }
    return WEFT_ESTUCK;
}
