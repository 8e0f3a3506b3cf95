/* Any bytes, given to everything that reads texts of messages. What comes out lies within what went
 * in, every walk comes to its end, what is written can be read again, and a cleaned path never
 * leads outside. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>
#include <weft/http_message.h>

static void require(bool condition)
{
    if (!condition)
        abort();
}

static bool inside(struct weft_text piece, struct weft_text whole)
{
    return piece.size == 0 ||
           (piece.data >= whole.data && piece.data + piece.size <= whole.data + whole.size);
}

/* A walk takes something with each step, and what is left is the end of what there was. */
static void require_step(struct weft_text before, struct weft_text after)
{
    require(after.size < before.size);
    require(after.size == 0 || after.data + after.size == before.data + before.size);
}

static void try_parameter(const struct weft_http_parameter *parameter, struct weft_text whole)
{
    require(inside(parameter->name, whole) && inside(parameter->value, whole));
    require(weft_http_name_ok(parameter->name) && weft_http_value_ok(parameter->value));
    char *buffer = malloc(parameter->value.size + 1);
    struct weft_text plain;
    require(weft_http_unescape(parameter, buffer, parameter->value.size + 1, &plain) == 0);
    require(plain.size <= parameter->value.size && buffer[plain.size] == '\0');
    require(parameter->escaped || weft_text_equal(plain, parameter->value));
    free(buffer);
}

typedef int parameters_fn(struct weft_text *rest, struct weft_http_parameter *parameter);

static void walk_parameters(struct weft_text text, parameters_fn *next)
{
    struct weft_text rest = text, before = text;
    struct weft_http_parameter parameter;
    for (int found; (found = next(&rest, &parameter)) != 0; before = rest) {
        require_step(before, rest);
        if (found == 1)
            try_parameter(&parameter, text);
        else
            require(found == UV_EINVAL);
    }
}

static void walk_lists(struct weft_text text)
{
    struct weft_text rest = text, before = text, name, value;
    for (; weft_http_list_next(&rest, &name) == 1; before = rest) {
        require_step(before, rest);
        require(inside(name, text) && name.size > 0);
    }
    rest = before = text;
    for (; weft_http_form_next(&rest, &name, &value) == 1; before = rest) {
        require_step(before, rest);
        require(inside(name, text) && inside(value, text));
    }
}

static void walk_links(struct weft_text text)
{
    struct weft_text rest = text, before = text;
    struct weft_http_link link;
    for (int found; (found = weft_http_link_next(&rest, &link)) != 0; before = rest) {
        require_step(before, rest);
        require(inside(link.target, text) && inside(link.rel, text));
        require(inside(link.parameters, text));
        if (found == 1)
            walk_parameters(link.parameters, weft_http_parameter_next);
        weft_http_link_is(&link, "next");
    }
}

static void try_dates(struct weft_text text)
{
    char again[WEFT_HTTP_DATE_SIZE];
    int64_t time, back, now = 0;
    uint32_t seconds;
    memcpy(&now, text.data, text.size < sizeof now ? text.size : sizeof now);
    if (weft_http_date_parse(text, now, &time) == 0) {
        require(weft_http_date_format(again, time) == 0);
        require(weft_http_date_parse(weft_text_of(again), now, &back) == 0 && back == time);
    }
    if (weft_http_date_format(again, now) == 0) {
        require(strlen(again) == WEFT_HTTP_DATE_SIZE - 1);
        require(weft_http_date_parse(weft_text_of(again), 0, &back) == 0 && back == now);
    }
    int64_t within = (int64_t)((uint64_t)now % 253402300800U);
    require(weft_http_date_format(again, within) == 0);
    require(weft_http_date_parse(weft_text_of(again), 0, &back) == 0 && back == within);
    weft_http_retry_after(text, now, 100, &seconds);
    require(seconds <= 100);
}

static void try_etags(struct weft_text text)
{
    char etag[WEFT_HTTP_ETAG_SIZE];
    bool ok = weft_http_etag_ok(text);
    require(weft_http_etag_weak_same(text, text) == ok);
    require(!weft_http_etag_strong_same(text, text) || ok);
    require(!ok || weft_http_etag_list_has(text, text, true) == 1);
    require(weft_http_etag_list_has(text, weft_text_of("\"a\""), false) <=
            weft_http_etag_list_has(text, weft_text_of("\"a\""), true));
    weft_http_etag_format(etag, text.size * UINT64_C(0x123456789abcdef), (int64_t)text.size,
                          text.size % 2 == 0);
    require(weft_http_etag_ok(weft_text_of(etag)));
}

static void try_ranges(struct weft_text text, uint64_t size)
{
    struct weft_http_ranges ranges;
    uint64_t total = 0;
    enum weft_http_part part = weft_http_range_parse(text, size, &ranges);
    require((part == WEFT_HTTP_PARTIAL) == (ranges.count > 0));
    require(ranges.count <= WEFT_HTTP_RANGES);
    for (size_t i = 0; i < ranges.count; i++) {
        char value[WEFT_HTTP_CONTENT_RANGE_SIZE];
        const struct weft_http_range *range = &ranges.range[i];
        require(range->size > 0 && range->first < size && range->size <= size - range->first);
        require(range->size <= size - total);
        total += range->size;
        weft_http_content_range_format(value, range, size);
        require(strlen(value) < sizeof value);
    }
}

static void try_types(struct weft_text text)
{
    struct weft_http_content_type type;
    if (weft_http_content_type_parse(text, &type) == 0) {
        require(inside(type.type, text) && inside(type.subtype, text));
        require(inside(type.parameters, text));
        require(inside(type.charset, text) && inside(type.boundary, text));
        require(weft_http_name_ok(type.type) && weft_http_name_ok(type.subtype));
    }
    require(weft_http_media_type(text) != NULL);
}

static void try_host(struct weft_text text)
{
    struct weft_text host;
    int port;
    int err = weft_http_host_split(text, &host, &port);
    require((err == 0) == (host.size > 0) && inside(host, text));
    require(port >= -1 && port <= 65535);
}

/* ---- buffers: each is exactly as large as it needs to be, or smaller ------------------------ */

static void try_decode(struct weft_text text, size_t room)
{
    char *buffer = malloc(room);
    struct weft_text decoded;
    int err = weft_http_form_decode(text, buffer, room, &decoded);
    require(decoded.size < room || room == 0);
    require(room == 0 || buffer[decoded.size] == '\0');
    require(err != UV_ENOBUFS || room <= text.size);
    err = weft_http_percent_decode(text, buffer, room, &decoded);
    require(err != 0 || strlen(buffer) == decoded.size);
    err = weft_http_form_get(text, "a", buffer, room, &decoded);
    require(err != 0 || strlen(buffer) == decoded.size);
    free(buffer);
}

static void try_encode(struct weft_text text, enum weft_http_escape escape)
{
    size_t room = 3 * text.size + 1;
    char *encoded = malloc(room), *decoded = malloc(text.size + 1);
    struct weft_text there, back;
    require(weft_http_percent_encode(text, escape, encoded, room, &there) == 0);
    int err = escape == WEFT_HTTP_ESCAPE_QUERY
                  ? weft_http_form_decode(there, decoded, text.size + 1, &back)
                  : weft_http_percent_decode(there, decoded, text.size + 1, &back);
    require(err == 0 || err == UV_EILSEQ);
    require(weft_text_equal(back, text));
    require(there.size == 0 ||
            weft_http_percent_encode(text, escape, encoded, there.size, NULL) == UV_ENOBUFS);
    free(encoded);
    free(decoded);
}

static void require_safe(struct weft_text clean)
{
    require(clean.size == 0 || clean.data[0] != '/');
    require(clean.size == 0 || memchr(clean.data, '\0', clean.size) == NULL);
    require(clean.size == 0 || memchr(clean.data, '\\', clean.size) == NULL);
    while (clean.data != NULL) {
        struct weft_text segment = weft_text_cut(&clean, '/');
        require(!weft_text_is(segment, "..") && !weft_text_is(segment, "."));
        require(segment.size > 0 || clean.data == NULL);
    }
}

static void try_path(struct weft_text text, size_t room)
{
    char *buffer = malloc(room);
    struct weft_text clean;
    int err = weft_http_path_clean(text, buffer, room, &clean);
    require(err == 0 || clean.size == 0);
    require(err != UV_ENAMETOOLONG || room <= text.size || text.size > 255);
    require(room == 0 || buffer[clean.size] == '\0');
    if (err == 0)
        require_safe(clean);
    free(buffer);
}

static void try_number(struct weft_text text)
{
    int64_t number = 5;
    int err = weft_http_form_number(text, "a", -10, 10, &number);
    require(number >= -10 && number <= 10 && (err == 0 || number == 5));
}

/* ---- heads: the lines are the values of fields ---------------------------------------------- */

static void try_head(struct weft_text text)
{
    static const char *const names[] = {
        "If-None-Match", "If-Match", "If-Modified-Since", "Accept-Encoding",     "If-Range",
        "Range",         "If-Match", "If-None-Match",     "If-Unmodified-Since", "If-Range"};
    enum { COUNT = sizeof names / sizeof *names };
    struct weft_http_field fields[COUNT];
    struct weft_http_head head = {.fields = fields};
    struct weft_text rest = text;
    while (rest.data != NULL && head.count < COUNT) {
        fields[head.count].value = weft_text_trim(weft_text_cut(&rest, '\n'));
        fields[head.count].name = weft_text_of(names[head.count]);
        if (fields[head.count].value.size > 0 && fields[head.count].value.data[0] == '#')
            fields[head.count].name = weft_text_of("Ignored");
        head.count++;
    }
    for (unsigned method = WEFT_HTTP_GET; method <= WEFT_HTTP_TRACE; method <<= 1) {
        head.method = (enum weft_http_method)method;
        enum weft_http_verdict verdict =
            weft_http_conditional(&head, weft_text_of("\"a\""), 784111777, 784111777);
        require(verdict != WEFT_HTTP_NOT_MODIFIED || method <= WEFT_HTTP_HEAD);
        require(!weft_http_range_applies(&head, weft_text_of("\"a\""), 784111777, 784111777) ||
                method == WEFT_HTTP_GET);
    }
    require(weft_http_encoding_quality(&head, "gzip") <= 1000);
    require(weft_http_encoding_quality(&head, "identity") <= 1000);
}

static void try_accept(struct weft_text text)
{
    static const char *const types[] = {"text/plain", "text/html", "application/json"};
    struct weft_http_field field = {weft_text_of("Accept"), text};
    struct weft_http_head head = {.fields = &field, .count = 1};
    size_t best = weft_http_accept_best(&head, types, 3);
    unsigned most = 0;
    for (size_t i = 0; i < 3; i++) {
        unsigned quality = weft_http_accept_quality(&head, types[i]);
        most = quality > most ? quality : most;
    }
    require(most <= 1000 && best <= 3);
    require(most == (best < 3 ? weft_http_accept_quality(&head, types[best]) : 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_text text = weft_text((const char *)data, size);
    walk_lists(text);
    walk_parameters(text, weft_http_parameter_next);
    walk_parameters(text, weft_http_directive_next);
    walk_links(text);
    try_dates(text);
    try_etags(text);
    try_ranges(text, 10);
    try_ranges(text, UINT64_MAX);
    try_types(text);
    try_host(text);
    try_decode(text, size + 1);
    try_decode(text, size / 2);
    try_encode(text, WEFT_HTTP_ESCAPE_SEGMENT);
    try_encode(text, WEFT_HTTP_ESCAPE_QUERY);
    try_path(text, size + 1);
    try_path(text, size / 2);
    try_number(text);
    try_head(text);
    try_accept(text);
    return 0;
}
