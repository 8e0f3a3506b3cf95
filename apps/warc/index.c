/* A line of the index, CDXJ: a key, a time, and JSON about where the record is.
 *
 *     org,example)/a 20260131235959 {"url": "http://example.org/a", "mime": "text/html", "status":
 *     "200", "digest": "sha1:…", "length": "1042", "offset": "7715", "filename": "site.warc.gz"}
 *
 * The line is also what makes a record count: see repair.c. So it is read back, but only what we have
 * written ourselves, with the fields in this order. */
#include "warc/inside.h"
#include "warc/surt.h"
#include <inttypes.h>
#include <stdlib.h>

static const char revisit_type[] = "warc/revisit";

static void add_time(struct warc_buffer *line, int64_t date)
{
    char text[WARC_DATE];
    warc_date_show(date, text);
    warc_add(line, " ", 1);
    for (const char *at = text; *at != '\0'; at++) {
        if (*at >= '0' && *at <= '9')
            warc_add(line, at, 1);
    }
    warc_add(line, " ", 1);
}

static struct weft_text media_of(const struct warc_exchange *exchange)
{
    struct weft_text rest = exchange->media_type;
    struct weft_text type = weft_text_trim(weft_text_cut(&rest, ';'));
    if (exchange->revisit)
        return weft_text_of(revisit_type);
    /* A server may say what it likes, but not that this is a revisit. */
    bool known = type.size > 0 && !weft_text_same(type, weft_text_of(revisit_type));
    return known ? type : weft_text_of("unk");
}

void warc_line_begin(struct warc_buffer *line, const struct warc_exchange *exchange,
                     const char *digest)
{
    warc_add_surt(line, exchange->url);
    add_time(line, exchange->date);
    warc_add_text(line, weft_text_of("{\"url\": \""));
    warc_add_json(line, exchange->url);
    warc_add_text(line, weft_text_of("\", \"mime\": \""));
    warc_add_json(line, media_of(exchange));
    warc_addf(line, "\", \"status\": \"%d\", \"digest\": \"%s\", ", exchange->status, digest);
}

void warc_line_end(struct warc_buffer *line, uint64_t offset, uint64_t length, const char *name)
{
    warc_addf(line, "\"length\": \"%" PRIu64 "\", \"offset\": \"%" PRIu64 "\", \"filename\": \"",
              length, offset);
    warc_add_json(line, weft_text_of(name));
    warc_add_text(line, weft_text_of("\"}\n"));
}

/* ---- read ----------------------------------------------------------------------------------- */

/* Quotes in a value are escaped: so this is found nowhere else. */
static const char *value_of(const char *text, const char *key)
{
    const char *found = strstr(text, key);
    return found != NULL ? found + strlen(key) : NULL;
}

static bool number_of(const char *text, const char *key, uint64_t *number)
{
    const char *digits = value_of(text, key);
    char *end;
    if (digits == NULL || *digits < '0' || *digits > '9')
        return false;
    errno = 0;
    *number = strtoull(digits, &end, 10);
    return errno == 0 && *end == '"' && *number <= INT64_MAX;
}

static bool digest_of(const char *text, unsigned char digest[SHA1_SIZE])
{
    const char *found = value_of(text, "\"digest\": \"");
    return found != NULL && strlen(found) >= SHA1_TEXT && found[SHA1_TEXT - 1] == '"' &&
           sha1_read(found, SHA1_TEXT - 1, digest);
}

static void digest_text(struct weft_text text, unsigned char digest[SHA1_SIZE])
{
    struct sha1 sha1;
    sha1_begin(&sha1);
    sha1_add(&sha1, text.data, text.size);
    sha1_end(&sha1, digest);
}

int warc_key_make(struct weft_text url, unsigned char key[SHA1_SIZE])
{
    struct warc_buffer text = {0};
    warc_add_json(&text, url);
    int err = text.starved ? UV_ENOMEM : 0;
    if (err == 0)
        digest_text(weft_text(text.data, text.used), key);
    warc_buffer_free(&text);
    return err;
}

/* Without taking it apart: the same URL is always written in the same way. */
static bool key_of(const char *text, unsigned char key[SHA1_SIZE])
{
    const char *url = value_of(text, "\"url\": \"");
    const char *end = url != NULL ? strstr(url, "\", \"mime\": \"") : NULL;
    if (end != NULL)
        digest_text(weft_text(url, (size_t)(end - url)), key);
    return end != NULL;
}

bool warc_line_read(const char *text, struct warc_line *line)
{
    uint64_t status;
    size_t size = strlen(text);
    const char *mime = value_of(text, "\"mime\": \"");
    if (size < 3 || strcmp(text + size - 3, "\"}\n") != 0 || mime == NULL)
        return false;
    line->has_body = strncmp(mime, revisit_type, sizeof revisit_type - 1) != 0 ||
                     mime[sizeof revisit_type - 1] != '"';
    line->is_good = number_of(text, "\"status\": \"", &status) && warc_is_good(status) &&
                    key_of(text, line->key);
    return (!line->has_body || digest_of(text, line->digest)) &&
           number_of(text, "\"length\": \"", &line->length) &&
           number_of(text, "\"offset\": \"", &line->offset);
}
