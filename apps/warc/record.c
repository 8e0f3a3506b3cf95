/* What stands in a record: fields, ids, times, and the head of an answer that was changed on its way.
 *
 *     WARC/1.1 CR LF
 *     WARC-Type: response CR LF  …  Content-Length: N CR LF
 *     CR LF
 *     N bytes: the block
 *     CR LF CR LF
 *
 * A body is kept without its chunks, and unpacked: then the fields that say otherwise would lie. They
 * are kept under another name, as other archives do it: X-Archive-Orig-Transfer-Encoding. */
#include "warc/inside.h"
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

const struct weft_text warc_record_end = {"\r\n\r\n", 4};

void warc_date_show(int64_t date, char text[WARC_DATE])
{
    time_t seconds = (time_t)date;
    struct tm parts;
    if (gmtime_r(&seconds, &parts) == NULL || parts.tm_year > 9999 - 1900 || parts.tm_year < -1900)
        parts = (struct tm){.tm_mday = 1, .tm_year = 70};
    strftime(text, WARC_DATE, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

/* A random one (version 4). The seed is random and nobody else's, so its digest with a number is as
 * good as more random bytes, and costs no visit to the kernel. */
void warc_id_make(struct warc *warc, char id[WARC_ID])
{
    struct sha1 sha1;
    unsigned char d[SHA1_SIZE];
    uint64_t number = __atomic_add_fetch(&warc->made, 1, __ATOMIC_RELAXED);
    sha1_begin(&sha1);
    sha1_add(&sha1, warc->seed, sizeof warc->seed);
    sha1_add(&sha1, &number, sizeof number);
    sha1_end(&sha1, d);
    snprintf(id, WARC_ID,
             "urn:uuid:%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", d[0],
             d[1], d[2], d[3], d[4], d[5], (d[6] & 0x0f) | 0x40, d[7], (d[8] & 0x3f) | 0x80, d[9],
             d[10], d[11], d[12], d[13], d[14], d[15]);
}

void warc_digest(struct weft_text text, char digest[SHA1_TEXT])
{
    struct sha1 sha1;
    unsigned char bytes[SHA1_SIZE];
    sha1_begin(&sha1);
    sha1_add(&sha1, text.data, text.size);
    sha1_end(&sha1, bytes);
    sha1_show(bytes, digest);
}

/* ---- fields --------------------------------------------------------------------------------- */

void warc_field(struct warc_buffer *to, const char *name, struct weft_text value)
{
    warc_add_text(to, weft_text_of(name));
    warc_add(to, ": ", 2);
    warc_add_text(to, value);
    warc_add(to, "\r\n", 2);
}

void warc_record_begin(struct warc_buffer *to, const char *type, const char *id, int64_t date)
{
    char text[WARC_DATE];
    warc_date_show(date, text);
    warc_addf(to, "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <%s>\r\nWARC-Date: %s\r\n", type,
              id, text);
}

void warc_record_block(struct warc_buffer *to, uint64_t size)
{
    warc_addf(to, "Content-Length: %" PRIu64 "\r\n\r\n", size);
}

void warc_add_info(struct warc *warc, struct warc_buffer *to, int64_t date, struct weft_text info)
{
    char digest[SHA1_TEXT];
    warc_digest(info, digest);
    warc_id_make(warc, warc->info_id);
    warc_record_begin(to, "warcinfo", warc->info_id, date);
    warc_field(to, "WARC-Filename", weft_text_of(warc->name));
    warc_field(to, "WARC-Block-Digest", weft_text_of(digest));
    warc_field(to, "Content-Type", weft_text_of("application/warc-fields"));
    warc_record_block(to, info.size);
    warc_add_text(to, info);
    warc_add_text(to, warc_record_end);
}

/* ---- the head of an answer ------------------------------------------------------------------ */

static bool says_length(struct weft_text value, uint64_t size)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, size);
    return weft_text_is(value, digits);
}

/* Does this line say something about the body as it came, that is not so of the one that is kept? */
static bool misleads(struct weft_text line, uint64_t body_size, bool cut)
{
    struct weft_text value = line;
    struct weft_text name = weft_text_cut(&value, ':');
    value = weft_text_trim(value);
    while (name.size > 0 && (name.data[name.size - 1] == ' ' || name.data[name.size - 1] == '\t'))
        name.size--; /* some servers write it so, and some clients read it */
    if (weft_text_same(name, weft_text_of("Transfer-Encoding")) ||
        weft_text_same(name, weft_text_of("Content-Encoding")))
        return !weft_text_same(value, weft_text_of("identity"));
    return !cut && weft_text_same(name, weft_text_of("Content-Length")) &&
           !says_length(value, body_size);
}

void warc_add_head(struct warc_buffer *to, struct weft_text head, uint64_t body_size, bool cut)
{
    while (head.size > 0) {
        struct weft_text line = head, rest = head;
        struct weft_text text = weft_text_cut(&rest, '\n');
        line.size = rest.data != NULL ? text.size + 1 : text.size;
        if (text.size > 0 && text.data[text.size - 1] == '\r')
            text.size--;
        if (misleads(text, body_size, cut))
            warc_add_text(to, weft_text_of("X-Archive-Orig-"));
        warc_add_text(to, line);
        head = rest;
    }
}
