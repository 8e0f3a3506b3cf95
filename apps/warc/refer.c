/* What a revisit refers to.
 *
 *     the same body     a record that has it, of whatever URL
 *     not modified      the answer that the archive has of this URL, if that is the one the server means
 *
 * A server that says "not modified" speaks of what it was asked about: of the version whose ETag, or
 * whose date, stood in the request. The archive may have an older one, because a crawl in between wrote
 * to no archive. So the two are held against each other, and if they differ nothing is said but the URL:
 * to name the wrong body would be worse than to name none.
 *
 * An answer that is a revisit itself is passed over for the one that it refers to: who looks for the
 * body finds it at once. */
#include "warc/inside.h"
#include <weft/alloc.h>

static const char same_body[] = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
                  not_modified[] = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

const char warc_no_digest[] = "-";

typedef int read_fn(struct warc_reader *reader, uint64_t at, struct warc_record *record);

/* If it cannot be read, it is as if it were not there. */
static bool read_there(struct warc *warc, uint64_t place, read_fn *read, struct warc_record *record)
{
    struct warc_reader *reader = weft_calloc(1, sizeof *reader);
    int err = reader == NULL ? UV_ENOMEM : warc_reader_init(reader, warc->fd, warc->packed);
    if (err == 0) {
        err = read(reader, place, record);
        warc_reader_free(reader);
    }
    weft_free(reader);
    return err == 0;
}

static bool is_of_type(const struct warc_record *record, const char *type)
{
    return weft_text_is(warc_record_get(record, "WARC-Type"), type);
}

static void add_fields(struct warc_buffer *fields, const struct warc_record *record)
{
    static const char *const names[][2] = {{"WARC-Refers-To", "WARC-Record-ID"},
                                           {"WARC-Refers-To-Target-URI", "WARC-Target-URI"},
                                           {"WARC-Refers-To-Date", "WARC-Date"}};
    bool has_body = is_of_type(record, "response");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        warc_field(fields, names[i][0], warc_record_get(record, names[i][has_body]));
}

/* ---- the same body -------------------------------------------------------------------------- */

bool warc_refer_to_body(struct warc *warc, uint64_t place, const char *digest,
                        struct warc_buffer *fields)
{
    struct warc_record record = {0};
    bool good = read_there(warc, place, warc_read_head, &record) &&
                is_of_type(&record, "response") &&
                weft_text_is(warc_record_get(&record, "WARC-Payload-Digest"), digest);
    if (good) {
        warc_field(fields, "WARC-Profile", weft_text_of(same_body));
        add_fields(fields, &record);
    }
    warc_record_free(&record);
    return good;
}

/* ---- not modified --------------------------------------------------------------------------- */

/* Was the server asked about this answer? If there is an ETag, dates do not count (RFC 9110, 13.2.2). */
static bool is_asked_about(struct weft_text request, struct weft_text answer)
{
    struct weft_text tag = warc_lines_get(request, "If-None-Match");
    struct weft_text date = warc_lines_get(request, "If-Modified-Since");
    if (tag.size > 0)
        return weft_text_equal(tag, warc_lines_get(answer, "ETag"));
    return date.size > 0 && weft_text_equal(date, warc_lines_get(answer, "Last-Modified"));
}

static bool take_digest(const struct warc_record *record, char digest[SHA1_TEXT])
{
    unsigned char bytes[SHA1_SIZE];
    struct weft_text text = warc_record_get(record, "WARC-Payload-Digest");
    bool good = sha1_read(text.data, text.size, bytes);
    if (good)
        sha1_show(bytes, digest);
    return good;
}

void warc_refer_to_url(struct warc *warc, const struct warc_exchange *exchange,
                       const unsigned char key[SHA1_SIZE], struct warc_buffer *fields,
                       char digest[SHA1_TEXT])
{
    struct warc_record record = {0};
    uint64_t place = 0;
    uv_mutex_lock(&warc->lock);
    bool good = seen_find(&warc->answers, key, &place);
    uv_mutex_unlock(&warc->lock);
    good = good && read_there(warc, place, warc_read_heads, &record) &&
           weft_text_equal(warc_record_get(&record, "WARC-Target-URI"), exchange->url) &&
           is_asked_about(exchange->request, weft_text(record.block.data, record.block.used)) &&
           take_digest(&record, digest);
    warc_field(fields, "WARC-Profile", weft_text_of(not_modified));
    if (good) {
        add_fields(fields, &record);
    } else { /* of what, is known by its URL alone */
        warc_field(fields, "WARC-Refers-To-Target-URI", exchange->url);
        memcpy(digest, warc_no_digest, sizeof warc_no_digest);
    }
    warc_record_free(&record);
}
