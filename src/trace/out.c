/* Text on its way into a file. A trace has many short pieces and many numbers, which is why there is
 * no printf in it. */
#include "out.h"
#include "io/file.h"

int weft__out_flush(struct weft_out *out)
{
    if (out->status == 0 && out->used != 0)
        out->status = weft__file_write_all(out->fd, out->bytes, out->used, NULL);
    out->used = 0;
    return out->status;
}

void weft__out_bytes(struct weft_out *out, const char *bytes, size_t size)
{
    while (size > 0) {
        if (out->used == sizeof out->bytes)
            weft__out_flush(out);
        size_t room = sizeof out->bytes - out->used, part = size < room ? size : room;
        memcpy(out->bytes + out->used, bytes, part);
        out->used += part;
        bytes += part;
        size -= part;
    }
}

void weft__out_text(struct weft_out *out, const char *text)
{
    weft__out_bytes(out, text, strlen(text));
}

/* ---- numbers -------------------------------------------------------------------------------- */

static void out_digits(struct weft_out *out, uint64_t number, unsigned base, size_t least)
{
    char digits[24];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0 || sizeof digits - at < least);
    weft__out_bytes(out, digits + at, sizeof digits - at);
}

void weft__out_number(struct weft_out *out, uint64_t number)
{
    out_digits(out, number, 10, 1);
}

void weft__out_hex(struct weft_out *out, uint64_t number)
{
    weft__out_bytes(out, "0x", 2);
    out_digits(out, number, 16, 1);
}

void weft__out_us(struct weft_out *out, uint64_t ns)
{
    out_digits(out, ns / 1000, 10, 1);
    weft__out_bytes(out, ".", 1);
    out_digits(out, ns % 1000, 10, 3);
}

/* ---- JSON strings --------------------------------------------------------------------------- */

/* How many bytes the character at the front of text has; 0: it is none. No overlong forms, no halves
 * of surrogate pairs, nothing beyond U+10FFFF. */
static size_t character(const unsigned char *text, size_t size)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = text[0];
    if (first < 0x80)
        return 1;
    size_t length = first >= 0xc0 && first < 0xe0   ? 2
                    : first >= 0xe0 && first < 0xf0 ? 3
                    : first >= 0xf0 && first < 0xf8 ? 4
                                                    : 0;
    if (length == 0 || length > size)
        return 0;
    uint32_t code = first & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    bool good = code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return good ? length : 0;
}

static void out_escaped(struct weft_out *out, unsigned char byte)
{
    if (byte == '"' || byte == '\\') {
        char pair[2] = {'\\', (char)byte};
        weft__out_bytes(out, pair, sizeof pair);
    } else {
        weft__out_bytes(out, "\\u", 2);
        out_digits(out, byte, 16, 4);
    }
}

void weft__out_json(struct weft_out *out, struct weft_text text)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    for (size_t i = 0; i < text.size;) {
        size_t length = character(bytes + i, text.size - i);
        if (length == 0)
            weft__out_text(out, "\xef\xbf\xbd");
        else if (bytes[i] < 0x20 || bytes[i] == '"' || bytes[i] == '\\' || bytes[i] == 0x7f)
            out_escaped(out, bytes[i]);
        else
            weft__out_bytes(out, text.data + i, length);
        i += length != 0 ? length : 1;
    }
}
