/* Percent signs: %XX and back. A '%' that is not followed by two hex digits is an error and is not
 * passed on as it is: what one reader takes literally another might decode. */
#include "percent.h"

/* The end of all functions that fill a buffer. */
static int filled(char *buffer, size_t length, int err, struct weft_text *result)
{
    if (err != 0 && err != UV_EILSEQ)
        length = 0;
    buffer[length] = '\0';
    if (result != NULL)
        *result = weft_text(buffer, length);
    return err;
}

static int no_room(struct weft_text *result)
{
    if (result != NULL)
        *result = weft_text(NULL, 0);
    return UV_ENOBUFS;
}

static int decode(struct weft_text text, bool plus, char *buffer, size_t size,
                  struct weft_text *decoded)
{
    size_t length = 0;
    bool zero = false;
    int c;
    if (size == 0)
        return no_room(decoded);
    while (text.size > 0) {
        if ((c = percent_take(&text, plus)) < 0)
            return filled(buffer, length, UV_EINVAL, decoded);
        if (length + 1 == size)
            return filled(buffer, length, UV_ENOBUFS, decoded);
        zero = zero || c == 0;
        buffer[length++] = (char)c;
    }
    return filled(buffer, length, zero ? UV_EILSEQ : 0, decoded);
}

int weft_http_percent_decode(struct weft_text text, char *buffer, size_t size,
                             struct weft_text *decoded)
{
    return decode(text, false, buffer, size, decoded);
}

int weft_http_form_decode(struct weft_text text, char *buffer, size_t size,
                          struct weft_text *decoded)
{
    return decode(text, true, buffer, size, decoded);
}

static bool is_alphanumeric(char c)
{
    char lower = weft_text_lower(c);
    return (lower >= 'a' && lower <= 'z') || is_digit(c);
}

/* A ':' in the first segment of a relative link would make it a scheme; '&' and '\'' may stand
 * inside of HTML. */
static bool stays(char c, enum weft_http_escape escape)
{
    const char *marks = escape == WEFT_HTTP_ESCAPE_QUERY ? "-._~" : "-._~!$()*+,;=@";
    return is_alphanumeric(c) || (c != '\0' && strchr(marks, c) != NULL);
}

int weft_http_percent_encode(struct weft_text text, enum weft_http_escape escape, char *buffer,
                             size_t size, struct weft_text *encoded)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t length = 0;
    if (size == 0)
        return no_room(encoded);
    for (size_t i = 0; i < text.size; i++) {
        bool plain = stays(text.data[i], escape);
        unsigned char byte = (unsigned char)text.data[i];
        if (size - length <= (plain ? 1U : 3U))
            return filled(buffer, length, UV_ENOBUFS, encoded);
        if (plain) {
            buffer[length++] = text.data[i];
            continue;
        }
        buffer[length++] = '%';
        buffer[length++] = hex[byte >> 4];
        buffer[length++] = hex[byte & 15];
    }
    return filled(buffer, length, 0, encoded);
}
