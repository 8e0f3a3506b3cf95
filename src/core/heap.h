/* A pairing heap made of the includer's own structs; it allocates nothing.
 *
 * HEAP_NODE names the struct, before() says which of two goes first; both stand in front of the
 * #include, so that the comparison is compiled into the heap. A node's child_ is the first of its
 * children, next_ the sibling, prev_ the sibling before or, for a first child, the parent. A node
 * without prev_ is the top. */
#ifndef WEFT_CORE_HEAP_H
#define WEFT_CORE_HEAP_H

static HEAP_NODE *meld(HEAP_NODE *a, HEAP_NODE *b)
{
    if (a == NULL)
        return b;
    if (b == NULL)
        return a;
    if (before(b, a)) {
        HEAP_NODE *top = b;
        b = a;
        a = top;
    }
    b->next_ = a->child_;
    if (b->next_ != NULL)
        b->next_->prev_ = b;
    b->prev_ = a;
    a->child_ = b;
    a->next_ = a->prev_ = NULL;
    return a;
}

/* Two passes over the children of a removed node: meld pairs left to right, then all of them right
 * to left. */
static HEAP_NODE *meld_children(HEAP_NODE *child)
{
    HEAP_NODE *pairs = NULL, *top = NULL;
    while (child != NULL) {
        HEAP_NODE *a = child, *b = a->next_;
        child = b != NULL ? b->next_ : NULL;
        a->next_ = a->prev_ = NULL;
        if (b != NULL)
            b->next_ = b->prev_ = NULL;
        a = meld(a, b);
        a->next_ = pairs;
        pairs = a;
    }
    while (pairs != NULL) {
        HEAP_NODE *next = pairs->next_;
        pairs->next_ = NULL;
        top = meld(top, pairs);
        pairs = next;
    }
    return top;
}

/* node joins the heap. */
static void heap_insert(HEAP_NODE **heap, HEAP_NODE *node)
{
    node->child_ = node->next_ = node->prev_ = NULL;
    *heap = meld(*heap, node);
}

static void heap_remove(HEAP_NODE **heap, HEAP_NODE *node)
{
    if (node == *heap) {
        *heap = meld_children(node->child_);
        return;
    }
    if (node->prev_->child_ == node)
        node->prev_->child_ = node->next_;
    else
        node->prev_->next_ = node->next_;
    if (node->next_ != NULL)
        node->next_->prev_ = node->prev_;
    *heap = meld(*heap, meld_children(node->child_));
}

#endif
