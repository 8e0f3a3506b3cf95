/* The names and values of one tag or doctype, one behind the other in one buffer that is kept for
 * the next tag. What is being read begins at item_at_ and ends with the buffer.
 *
 * Everything has a limit: an item, all items of a tag, the attributes, and the changes between a
 * value and what stands in the document. What goes beyond is thrown away, and cut_ says so. When
 * the buffer moves, the attributes that point into it move too. */
#include "chars.h"
#include "tokenizer.h"
#include <weft/alloc.h>
#include <uv.h>

enum {
    SHORT = 32,
    FIRST_ROOM = 1024,
    FIRST_ATTRIBUTES = 16,
    FIRST_CHANGES = 32,
    CHANGES_MAX = 64 * 1024
};

void weft__html_buffer_reset(struct weft_html *html)
{
    html->buffer_size_ = 0;
    html->item_at_ = 0;
    html->attribute_count_ = 0;
    html->change_count_ = 0;
    html->cut_ = false;
}

static void move_attributes(struct weft_html *html, const char *to)
{
    for (size_t i = 0; i < html->attribute_count_; i++) {
        struct weft_html_attribute *attribute = &html->attributes_[i];
        attribute->name.data = to + (attribute->name.data - html->buffer_);
        attribute->value.data = to + (attribute->value.data - html->buffer_);
    }
}

static bool grow(struct weft_html *html, size_t size)
{
    size_t room = html->buffer_room_ > 0 ? html->buffer_room_ : FIRST_ROOM;
    while (room < size)
        room *= 2;
    char *to = weft_alloc(room);
    if (to == NULL) {
        html->status_ = UV_ENOMEM;
        return false;
    }
    if (html->buffer_size_ > 0)
        memcpy(to, html->buffer_, html->buffer_size_);
    move_attributes(html, to);
    weft_free(html->buffer_);
    html->buffer_ = to;
    html->buffer_room_ = room;
    return true;
}

/* How many of size bytes there is room for, within the limits. */
static size_t reserve(struct weft_html *html, size_t size)
{
    if (size <= html->buffer_room_ - html->buffer_size_ &&
        html->buffer_size_ - html->item_at_ + size <= WEFT_HTML_VALUE_MAX)
        return size;
    size_t left = WEFT_HTML_VALUE_MAX - (html->buffer_size_ - html->item_at_);
    if (left > WEFT_HTML_TAG_MAX - html->buffer_size_)
        left = WEFT_HTML_TAG_MAX - html->buffer_size_;
    if (size > left) {
        html->cut_ = true;
        size = left;
    }
    size_t needed = html->buffer_size_ + size;
    if (needed > html->buffer_room_ && !grow(html, needed))
        return 0;
    return size;
}

void weft__html_put(struct weft_html *html, const char *data, size_t size)
{
    if (html->cut_)
        return;
    size = reserve(html, size);
    if (size > 0)
        memcpy(html->buffer_ + html->buffer_size_, data, size);
    html->buffer_size_ += size;
}

/* Nearly all names are short, and there is room for them: they are copied while their end is looked
 * for. */
const char *weft__html_put_name(struct weft_html *html, const char *at, const char *end,
                                unsigned stops)
{
    size_t size = html->buffer_size_ - html->item_at_;
    if (!html->cut_ && html->buffer_room_ - html->buffer_size_ >= SHORT &&
        size <= WEFT_HTML_VALUE_MAX - SHORT) {
        char *to = html->buffer_ + html->buffer_size_;
        const char *limit = end - at > SHORT ? at + SHORT : end;
        while (at < limit && !html_char(*at, stops))
            *to++ = weft_text_lower(*at++);
        html->buffer_size_ = (size_t)(to - html->buffer_);
    }
    const char *stop = html_find(at, end, stops);
    size_t more = html->cut_ || stop == at ? 0 : reserve(html, (size_t)(stop - at));
    for (size_t i = 0; i < more; i++)
        html->buffer_[html->buffer_size_++] = weft_text_lower(at[i]);
    return stop;
}

static bool grow_changes(struct weft_html *html)
{
    size_t room = html->change_room_ > 0 ? html->change_room_ * 2 : FIRST_CHANGES;
    struct weft_html_change *changes = weft_realloc(html->changes_, room * sizeof *changes);
    if (changes == NULL) {
        html->status_ = UV_ENOMEM;
        return false;
    }
    html->changes_ = changes;
    html->change_room_ = room;
    return true;
}

/* A change that does not fit as a whole ends the value: half a character is of no use. */
void weft__html_put_change(struct weft_html *html, const char *data, size_t size, uint64_t start,
                           uint64_t end)
{
    if (html->cut_ || html->change_count_ == CHANGES_MAX || reserve(html, size) < size) {
        html->cut_ = true;
        return;
    }
    if (html->change_count_ == html->change_room_ && !grow_changes(html))
        return;
    size_t at = html->buffer_size_ - html->item_at_;
    html->changes_[html->change_count_++] = (struct weft_html_change){at, size, start, end};
    weft__html_put(html, data, size);
}

struct weft_html_attribute *weft__html_attribute_add(struct weft_html *html)
{
    if (html->attribute_count_ == html->attribute_room_) {
        size_t room = html->attribute_room_ > 0 ? html->attribute_room_ * 2 : FIRST_ATTRIBUTES;
        struct weft_html_attribute *all = weft_realloc(html->attributes_, room * sizeof *all);
        if (all == NULL) {
            html->status_ = UV_ENOMEM;
            return NULL;
        }
        html->attributes_ = all;
        html->attribute_room_ = room;
    }
    struct weft_html_attribute *attribute = &html->attributes_[html->attribute_count_++];
    memset(attribute, 0, sizeof *attribute);
    return attribute;
}
