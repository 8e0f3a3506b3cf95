/* From the path of a request to a path below a folder.
 *
 * The path is cut at its slashes first and each segment is decoded then, once: so %2E%2E is "..",
 * %252E is not, and an encoded slash is seen as what it is and refused. Segments are written one
 * behind the other; ".." takes the last one back. Every byte is written and taken back at most
 * once, so it is linear.
 *
 * Invariant: buffer[0..length) is empty, or segments that each end in '/' (but for the last one),
 * none of them empty, "." or "..". So what comes out cannot leave the folder, whatever went in. RFC
 * 3986 would let ".." stay at the root; clients have done that before they ask, so who sends such a
 * path is trying something, and the answer is no. */
#include "percent.h"

enum { SEGMENT_MAX = 255 }; /* what file systems take */

struct path {
    char *buffer;
    size_t length, size;
};

/* Decode a segment behind what is there. It is not part of the path yet: the length is returned. */
static int decode_segment(struct weft_text segment, const struct path *path)
{
    int length = 0;
    while (segment.size > 0) {
        int c = percent_take(&segment, false);
        if (c <= 0 || c == '/' || c == '\\')
            return UV_EINVAL;
        if (length == SEGMENT_MAX || path->length + (size_t)length + 1 >= path->size)
            return UV_ENAMETOOLONG;
        path->buffer[path->length + (size_t)length++] = (char)c;
    }
    return length;
}

static int take_back(struct path *path)
{
    if (path->length == 0)
        return UV_EACCES;
    path->length--;
    while (path->length > 0 && path->buffer[path->length - 1] != '/')
        path->length--;
    return 0;
}

/* last: no '/' follows. One that names a folder by itself ("..", ".") has no name to end with. */
static int add_segment(struct weft_text text, bool last, struct path *path)
{
    int length = decode_segment(text, path);
    if (length < 0)
        return length;
    struct weft_text segment = weft_text(path->buffer + path->length, (size_t)length);
    if (length == 0 || weft_text_is(segment, "."))
        return 0;
    if (weft_text_is(segment, ".."))
        return take_back(path);
    path->length += segment.size;
    if (last)
        return 0;
    if (path->length + 1 >= path->size)
        return UV_ENAMETOOLONG;
    path->buffer[path->length++] = '/';
    return 0;
}

static int clean_path(struct weft_text text, struct path *path)
{
    if (path->size == 0)
        return UV_ENAMETOOLONG;
    if (!scan_char(&text, '/'))
        return UV_EINVAL;
    while (text.data != NULL) {
        struct weft_text segment = weft_text_cut(&text, '/');
        int err = add_segment(segment, text.data == NULL, path);
        if (err != 0)
            return err;
    }
    return 0;
}

int weft_http_path_clean(struct weft_text path, char *buffer, size_t size, struct weft_text *clean)
{
    struct path made = {buffer, 0, size};
    int err = clean_path(path, &made);
    if (err != 0)
        made.length = 0;
    if (size > 0)
        buffer[made.length] = '\0';
    if (clean != NULL)
        *clean = weft_text(buffer, made.length);
    return err;
}
