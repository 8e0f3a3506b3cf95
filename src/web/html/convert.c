/* Other encodings into UTF-8: windows-1252 by ourselves, all others with ICU, which is loaded by the
 * first text that needs it.
 *
 * A URL is converted on its own, when it is reported and only if it is not ASCII: pages in other
 * encodings are read as they are, because their tags are ASCII. It first becomes UTF-16: what
 * stands in the document from its encoding, what references stood for from UTF-8. Then it becomes
 * UTF-8, all but the query: browsers send that in the document's encoding, percent-encoded, and
 * what the encoding does not have as a decimal reference.
 *
 * UTF-16 and ISO-2022-JP are no such encodings: whole documents are converted, piece by piece. */
#include "../octets.h"
#include "chars.h"
#include "extract.h"
#include "tokenizer.h"
#include <stdio.h>
#include <unicode/utf16.h>
#include <weft/alloc.h>
#include <uv.h>

enum { PIECE = 1024 }; /* UTF-16 units that are converted at once */

static int reserve_wide(struct html_converter *converter, size_t more)
{
    size_t needed = converter->wide_size + more;
    if (needed <= converter->wide_room)
        return 0;
    UChar *wide = weft_realloc(converter->wide, needed * 2 * sizeof *wide);
    if (wide == NULL)
        return UV_ENOMEM;
    converter->wide = wide;
    converter->wide_room = needed * 2;
    return 0;
}

static int reserve_text(struct html_converter *converter, size_t more)
{
    size_t needed = converter->text_size + more;
    if (needed <= converter->text_room)
        return 0;
    char *text = weft_realloc(converter->text, needed * 2);
    if (text == NULL)
        return UV_ENOMEM;
    converter->text = text;
    converter->text_room = needed * 2;
    return 0;
}

/* The converter stays open for the next link, and the next document. */
static int open_icu(struct html_converter *converter, const struct html_encoding *encoding)
{
    if (encoding->icu == NULL || converter->encoding == encoding)
        return 0;
    const struct icu *icu = weft__icu();
    if (icu == NULL)
        return UV_ENOSYS;
    UErrorCode error = U_ZERO_ERROR;
    UConverter *opened = icu->ucnv_open(encoding->icu, &error);
    if (U_SUCCESS(error))
        icu->ucnv_setFromUCallBack(opened, icu->UCNV_FROM_U_CALLBACK_STOP, NULL, NULL, NULL,
                                   &error);
    if (U_FAILURE(error)) {
        icu->ucnv_close(opened);
        return UV_ENOMEM;
    }
    icu->ucnv_close(converter->icu);
    converter->icu = opened;
    converter->encoding = encoding;
    return 0;
}

/* ---- into UTF-16 ----------------------------------------------------------------------------- */

static bool is_utf8(struct weft_text text)
{
    bool valid = true;
    while (text.size > 0 && valid)
        weft__html_utf8_next(&text, &valid);
    return valid;
}

/* What is not UTF-8 is U+FFFD. */
static int widen_utf8(struct html_converter *converter, struct weft_text text)
{
    int status = reserve_wide(converter, text.size);
    if (status != 0)
        return status;
    UChar *wide = converter->wide;
    while (text.size > 0) {
        bool valid;
        uint32_t code = weft__html_utf8_next(&text, &valid);
        U16_APPEND_UNSAFE(wide, converter->wide_size, code);
    }
    return 0;
}

static int widen_windows_1252(struct html_converter *converter, struct weft_text text)
{
    int status = reserve_wide(converter, text.size);
    for (size_t i = 0; i < text.size && status == 0; i++)
        converter->wide[converter->wide_size++] =
            (UChar)html_windows_1252((unsigned char)text.data[i]);
    return status;
}

static int widen(struct html_converter *converter, const struct html_encoding *encoding,
                 struct weft_text text)
{
    if (encoding->kind != HTML_LEGACY)
        return widen_utf8(converter, text);
    if (encoding->icu == NULL)
        return widen_windows_1252(converter, text);
    size_t room = text.size * 2 + 8;
    int status = reserve_wide(converter, room);
    if (status == 0)
        status = open_icu(converter, encoding);
    if (status != 0)
        return status;
    UErrorCode error = U_ZERO_ERROR;
    int32_t size =
        weft__icu()->ucnv_toUChars(converter->icu, converter->wide + converter->wide_size,
                                   (int32_t)room, text.data, (int32_t)text.size, &error);
    if (U_SUCCESS(error))
        converter->wide_size += (size_t)size;
    return 0;
}

/* What stands in the document, and between that what references stand for. A srcset may have many
 * of both: only those within this URL are looked at. */
static int widen_found(struct html_converter *converter, const struct html_encoding *encoding,
                       const struct link_found *found)
{
    const struct weft_html_attribute *attribute = found->attribute;
    const char *at = found->text.data, *end = at + found->text.size;
    size_t count = attribute != NULL ? attribute->change_count : 0, i = 0;
    int status = 0;
    if (count > 0)
        i = weft__html_changes_before(attribute, (size_t)(at - attribute->value.data));
    for (; i < count && status == 0; i++) {
        const struct weft_html_change *change = &attribute->changes[i];
        const char *from = attribute->value.data + change->at, *to = from + change->size;
        if (from >= end)
            break;
        from = from > at ? from : at; /* "&bne;" is '=' and more: a URL may begin within it */
        to = to < end ? to : end;
        status = widen(converter, encoding, weft_text(at, (size_t)(from - at)));
        if (status == 0)
            status = widen_utf8(converter, weft_text(from, (size_t)(to - from)));
        at = to;
    }
    return status == 0 ? widen(converter, encoding, weft_text(at, (size_t)(end - at))) : status;
}

/* ---- out of UTF-16 --------------------------------------------------------------------------- */

static int put_utf8(struct html_converter *converter, const UChar *wide, size_t size)
{
    int status = reserve_text(converter, size * 3 + 1);
    for (size_t at = 0; at < size && status == 0;) {
        char *to = converter->text + converter->text_size;
        uint32_t code = wide[at++];
        if (U16_IS_LEAD(code) && at < size && U16_IS_TRAIL(wide[at]))
            code = (uint32_t)U16_GET_SUPPLEMENTARY(code, wide[at++]);
        if (code == 0) {
            to[0] = '\0';
            converter->text_size++;
        } else {
            converter->text_size += octets_utf8(to, code); /* half of a pair is U+FFFD */
        }
    }
    return status;
}

enum { CHARACTER_MAX = 32 }; /* one character of a query, percent-encoded, at most */

static void put_percent(struct html_converter *converter, unsigned char byte)
{
    static const char digits[] = "0123456789ABCDEF";
    char *to = converter->text + converter->text_size;
    to[0] = '%';
    to[1] = digits[byte >> 4];
    to[2] = digits[byte & 15];
    converter->text_size += 3;
}

static int32_t to_windows_1252(UChar wide, char *byte)
{
    for (unsigned i = 0x80; i <= 0xFF; i++) {
        if (html_windows_1252(i) == wide) {
            *byte = (char)i;
            return 1;
        }
    }
    return 0;
}

/* How many bytes; 0: it has no such character. */
static int32_t encode(struct html_converter *converter, const struct html_encoding *encoding,
                      const UChar *wide, int32_t units, char bytes[8])
{
    if (encoding->icu == NULL)
        return to_windows_1252(wide[0], bytes);
    UErrorCode error = U_ZERO_ERROR;
    int32_t size = weft__icu()->ucnv_fromUChars(converter->icu, bytes, 8, wide, units, &error);
    return U_SUCCESS(error) ? size : 0;
}

/* One character that is not ASCII, in the document's encoding. */
static void put_encoded(struct html_converter *converter, const struct html_encoding *encoding,
                        const UChar *wide, int32_t units)
{
    char bytes[8];
    int32_t size = encode(converter, encoding, wide, units, bytes);
    if (size == 0) {
        UChar32 code = units == 2 ? U16_GET_SUPPLEMENTARY(wide[0], wide[1]) : wide[0];
        converter->text_size += (size_t)snprintf(converter->text + converter->text_size,
                                                 CHARACTER_MAX, "%%26%%23%d%%3B", (int)code);
        return;
    }
    for (int32_t i = 0; i < size; i++) {
        if ((unsigned char)bytes[i] < 0x80)
            converter->text[converter->text_size++] = bytes[i];
        else
            put_percent(converter, (unsigned char)bytes[i]);
    }
}

static int put_query(struct html_converter *converter, const struct html_encoding *encoding,
                     const UChar *wide, size_t size)
{
    int32_t at = 0, end = (int32_t)size;
    while (at < end) {
        int status = reserve_text(converter, CHARACTER_MAX);
        if (status != 0)
            return status;
        int32_t begin = at;
        U16_FWD_1(wide, at, end);
        if (wide[begin] < 0x80)
            converter->text[converter->text_size++] = (char)wide[begin];
        else
            put_encoded(converter, encoding, wide + begin, at - begin);
    }
    return 0;
}

static size_t find_unit(const struct html_converter *converter, UChar unit, size_t from, size_t to)
{
    while (from < to && converter->wide[from] != unit)
        from++;
    return from;
}

static int put_url(struct html_converter *converter, const struct html_encoding *encoding)
{
    size_t size = converter->wide_size, fragment = find_unit(converter, '#', 0, size);
    size_t query = find_unit(converter, '?', 0, fragment);
    if (encoding->kind != HTML_LEGACY)
        return put_utf8(converter, converter->wide, size);
    int status = open_icu(converter, encoding);
    if (status == 0)
        status = put_utf8(converter, converter->wide, query);
    if (status == 0)
        status = put_query(converter, encoding, converter->wide + query, fragment - query);
    if (status == 0)
        status = put_utf8(converter, converter->wide + fragment, size - fragment);
    return status;
}

int weft__html_convert_url(struct html_converter *converter, const struct html_encoding *encoding,
                           bool guess, const struct link_found *found, struct weft_text *url)
{
    *url = found->text;
    if (encoding->kind == HTML_WIDE) /* converted as a whole, before it was read */
        return 0;
    converter->wide_size = converter->text_size = 0;
    if (encoding->kind == HTML_UTF8 && is_utf8(found->text))
        return 0;
    if (encoding->kind == HTML_UTF8 && guess)
        encoding = weft__html_encoding(weft_text_of("windows-1252"));
    int status = widen_found(converter, encoding, found);
    if (status == 0)
        status = put_url(converter, encoding);
    *url = weft_text(converter->text, converter->text_size);
    return status;
}

/* ---- whole documents ------------------------------------------------------------------------- */

/* Half of a pair at the end waits for the other half. */
static int put_piece(struct html_converter *converter, bool last)
{
    size_t size = converter->wide_size;
    converter->lead = 0;
    if (size > 0 && !last && U16_IS_LEAD(converter->wide[size - 1]))
        converter->lead = converter->wide[--size];
    return put_utf8(converter, converter->wide, size);
}

int weft__html_convert_piece(struct html_converter *converter, const struct html_encoding *encoding,
                             struct weft_text piece, bool last, size_t *used,
                             struct weft_text *text)
{
    *used = 0;
    *text = weft_text(NULL, 0);
    converter->wide_size = converter->text_size = 0;
    int status = reserve_wide(converter, PIECE + 1);
    if (status == 0)
        status = open_icu(converter, encoding);
    if (status != 0)
        return status;
    if (converter->lead != 0)
        converter->wide[converter->wide_size++] = converter->lead;
    UErrorCode error = U_ZERO_ERROR;
    UChar *to = converter->wide + converter->wide_size;
    const char *from = piece.data;
    weft__icu()->ucnv_toUnicode(converter->icu, &to, to + PIECE, &from, piece.data + piece.size,
                                NULL, last, &error);
    converter->wide_size = (size_t)(to - converter->wide);
    *used = (size_t)(from - piece.data);
    bool more = error == U_BUFFER_OVERFLOW_ERROR;
    status = put_piece(converter, last && !more);
    *text = weft_text(converter->text, converter->text_size);
    if (status != 0)
        return status;
    return more ? 1 : 0;
}

void weft__html_converter_reset(struct html_converter *converter)
{
    converter->lead = 0;
    if (converter->icu != NULL)
        weft__icu()->ucnv_reset(converter->icu);
}

void weft__html_converter_free(struct html_converter *converter)
{
    if (converter->icu != NULL)
        weft__icu()->ucnv_close(converter->icu);
    weft_free(converter->wide);
    weft_free(converter->text);
}
