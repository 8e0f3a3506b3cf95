/* Text that grows, JSON into it, and numbers in the two forms that are wanted: short for a browser,
 * readable for people. */
#include "trace/output.h"
#include "trace/table.h"
#include "trace/utf8.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>
#include <weft/alloc.h>

/* ---- text ----------------------------------------------------------------------------------- */

static bool reserve(struct out *out, size_t size)
{
    while (!out->failed && out->capacity - out->size < size) {
        char *data = grow(out->data, out->capacity, &out->capacity, 1);
        if (data == NULL)
            out->failed = true;
        else
            out->data = data;
    }
    return !out->failed;
}

void out_text(struct out *out, struct weft_text text)
{
    if (text.size == 0 || !reserve(out, text.size))
        return;
    memcpy(out->data + out->size, text.data, text.size);
    out->size += text.size;
}

void out_string(struct out *out, const char *string)
{
    out_text(out, weft_text_of(string));
}

void out_format(struct out *out, const char *format, ...)
{
    va_list arguments;
    char line[1024];
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (size > 0)
        out_text(out, weft_text(line, (size_t)size < sizeof line ? (size_t)size : sizeof line - 1));
}

void out_insert(struct out *out, size_t at, const char *string)
{
    size_t size = strlen(string);
    if (at > out->size)
        at = out->size;
    size_t behind = out->size - at;
    out_string(out, string);
    if (out->failed || size == 0)
        return;
    memmove(out->data + at + size, out->data + at, behind);
    memcpy(out->data + at, string, size);
}

void out_free(struct out *out)
{
    weft_free(out->data);
    *out = (struct out){0};
}

int out_write(const struct out *out, int fd)
{
    size_t done = 0;
    while (done < out->size) {
        ssize_t more = write(fd, out->data + done, out->size - done);
        if (more > 0)
            done += (size_t)more;
        else if (errno == EAGAIN)
            uv_sleep(1); /* a pipe that somebody else has made so */
        else if (errno != EINTR)
            return uv_translate_sys_error(errno);
    }
    return 0;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* May it stand in quotes as it is? JSON would let more of them: but what drives a terminal, or turns the
 * direction of text, would do that to whoever looks at the file. */
static bool is_plain(uint32_t code, bool in_html)
{
    if (code == '"' || code == '\\')
        return false;
    if (in_html && (code == '<' || code == '>' || code == '&' || code == '\''))
        return false;
    return utf8_is_harmless(code);
}

/* How many bytes of well-formed characters that need no escape there are. */
static size_t plain_size(struct weft_text text, bool in_html)
{
    struct utf8_state state = {0};
    size_t good = 0;
    for (size_t i = 0; i < text.size; i++) {
        enum utf8_step step = utf8_step(&state, (unsigned char)text.data[i]);
        if (step == UTF8_MORE)
            continue;
        if (step != UTF8_DONE || !is_plain(state.code, in_html))
            break;
        good = i + 1;
    }
    return good;
}

/* The first character, or a byte that is none: how many bytes that was. All that is escaped has 16
 * bits at most. */
static size_t put_escape(struct out *out, struct weft_text text)
{
    struct utf8_state state = {0};
    enum utf8_step step = UTF8_MORE;
    size_t size = 0;
    while (step == UTF8_MORE && size < text.size)
        step = utf8_step(&state, (unsigned char)text.data[size++]);
    if (step != UTF8_DONE) {
        out_format(out, "\\u%04x", (unsigned)UTF8_REPLACEMENT);
        return 1;
    }
    if (state.code == '"' || state.code == '\\')
        out_format(out, "\\%c", (char)state.code);
    else
        out_format(out, "\\u%04x", (unsigned)state.code);
    return size;
}

static void put_quoted(struct out *out, struct weft_text text, bool in_html)
{
    out_string(out, "\"");
    while (text.size > 0) {
        size_t plain = plain_size(text, in_html);
        out_text(out, weft_text(text.data, plain));
        text = weft_text(text.data + plain, text.size - plain);
        if (text.size == 0)
            break;
        size_t escaped = put_escape(out, text);
        text = weft_text(text.data + escaped, text.size - escaped);
    }
    out_string(out, "\"");
}

void out_json_text(struct out *out, struct weft_text text)
{
    put_quoted(out, text, true);
}

void out_json_bytes(struct out *out, struct weft_text bytes)
{
    put_quoted(out, bytes, false);
}

void out_json_comma(struct out *out)
{
    char last = out->size > 0 ? out->data[out->size - 1] : '{';
    if (last != '{' && last != '[')
        out_string(out, ",");
}

void out_json_name(struct out *out, const char *name)
{
    out_json_comma(out);
    out_format(out, "\"%s\":", name);
}

void out_json_number(struct out *out, const char *name, int64_t number)
{
    out_json_name(out, name);
    out_format(out, "%" PRId64, number);
}

void out_json_member(struct out *out, const char *name, struct weft_text text)
{
    out_json_name(out, name);
    out_json_text(out, text);
}

void out_json_flag(struct out *out, const char *name, bool flag)
{
    out_json_name(out, name);
    out_string(out, flag ? "true" : "false");
}

/* ---- numbers -------------------------------------------------------------------------------- */

void out_varint(struct out *out, uint64_t number)
{
    char bytes[10];
    size_t size = 0;
    for (; number >= 0x80; number >>= 7)
        bytes[size++] = (char)(number | 0x80);
    bytes[size++] = (char)number;
    out_text(out, weft_text(bytes, size));
}

void out_base64(struct out *out, const struct out *from)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out->failed = out->failed || from->failed;
    for (size_t at = 0; at < from->size; at += 3) {
        size_t left = from->size - at;
        uint32_t bits = (uint32_t)(unsigned char)from->data[at] << 16;
        if (left > 1)
            bits |= (uint32_t)(unsigned char)from->data[at + 1] << 8;
        if (left > 2)
            bits |= (unsigned char)from->data[at + 2];
        char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                        left > 1 ? digits[bits >> 6 & 63] : '=',
                        left > 2 ? digits[bits & 63] : '='};
        out_text(out, weft_text(four, sizeof four));
    }
}

/* Three digits that count, but for nanoseconds, of which there is no part. */
char *out_show_time(int64_t ns, char buffer[OUT_TIME_SIZE])
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double value = (double)ns;
    unsigned unit = 0;
    while (value >= 999.5 && unit < 3) {
        value /= 1000;
        unit++;
    }
    int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(buffer, OUT_TIME_SIZE, "%.*f %s", digits, value, units[unit]);
    return buffer;
}
