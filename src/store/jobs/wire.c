/* Pure functions over what Redis has said: nothing is believed before all of it has been looked at. The script
 * (script.c) says which fields there are, and in which order. */
#include "wire.h"
#include "store/redis/random.h"

enum { NUMBER_DIGITS = 16, DELIVERY = 8, RESULT_CHUNK = 8, RESULT_END = 10 };

#define NUMBER_MAX ((uint64_t)1 << 53)

void weft__jobs_name(char *name, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++, number >>= 4) {
        if (i % 16 == 0)
            number = weft__redis_random();
        name[i] = digits[number & 15];
    }
    name[size] = '\0';
}

/* ---- pieces --------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool weft__jobs_read_number(struct weft_text text, uint64_t *number)
{
    uint64_t value = 0;
    if (text.size == 0 || text.size > NUMBER_DIGITS)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        if (!is_digit(text.data[i]))
            return false;
        value = 10 * value + (uint64_t)(text.data[i] - '0');
    }
    *number = value;
    return value < NUMBER_MAX;
}

/* Two numbers that may each be as large as 64 bits are; nobody calculates with them. */
bool weft__jobs_is_entry(struct weft_text text)
{
    size_t dashes = 0;
    if (text.size < 3 || text.size >= JOBS_ENTRY || !is_digit(text.data[0]) ||
        !is_digit(text.data[text.size - 1]))
        return false;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '-')
            dashes++;
        else if (!is_digit(text.data[i]))
            return false;
    }
    return dashes == 1;
}

bool weft__jobs_is_job(struct weft_text text)
{
    if (text.size != WEFT_JOBS_ID)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        if (!is_digit(text.data[i]) && !(text.data[i] >= 'a' && text.data[i] <= 'f'))
            return false;
    }
    return true;
}

static bool are_strings(const struct weft_redis_reply *reply, size_t count)
{
    if (reply->type != WEFT_REDIS_ARRAY || reply->count != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (reply->elements[i].type != WEFT_REDIS_STRING)
            return false;
    }
    return true;
}

static bool read_part(struct weft_text text, size_t *part)
{
    uint64_t number;
    if (!weft__jobs_read_number(text, &number) || number >= WEFT_JOBS_PARTS_MAX)
        return false;
    *part = (size_t)number;
    return true;
}

/* ---- answers -------------------------------------------------------------------------------- */

enum jobs_word weft__jobs_read_word(const struct weft_redis_reply *reply)
{
    static const struct {
        const char *text;
        enum jobs_word word;
    } words[] = {{"ok", JOBS_OK},     {"late", JOBS_LATE},    {"full", JOBS_FULL},
                 {"gone", JOBS_GONE}, {"none", JOBS_NOTHING}, {"task", JOBS_A_TASK}};
    if (reply != NULL && reply->type == WEFT_REDIS_ARRAY && reply->count > 0)
        reply = &reply->elements[0];
    if (reply == NULL || reply->type != WEFT_REDIS_STRING)
        return JOBS_NONSENSE;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (weft_text_is(reply->text, words[i].text))
            return words[i].word;
    }
    return JOBS_NONSENSE;
}

uint64_t weft__jobs_read_count(const struct weft_redis_reply *reply, size_t place)
{
    if (reply->type != WEFT_REDIS_ARRAY || reply->count <= place ||
        reply->elements[place].type != WEFT_REDIS_INTEGER || reply->elements[place].integer < 0)
        return 0;
    return (uint64_t)reply->elements[place].integer;
}

bool weft__jobs_read_delivery(const struct weft_redis_reply *reply, struct jobs_delivery *delivery)
{
    memset(delivery, 0, sizeof *delivery);
    if (!are_strings(reply, DELIVERY))
        return false;
    const struct weft_redis_reply *parts = reply->elements;
    delivery->entry = parts[1].text;
    delivery->job = parts[2].text;
    delivery->checkpoint = parts[6].text;
    delivery->payload = parts[7].text;
    return weft__jobs_is_entry(delivery->entry) && weft__jobs_is_job(delivery->job) &&
           read_part(parts[3].text, &delivery->part) &&
           weft__jobs_read_number(parts[4].text, &delivery->attempt) &&
           weft__jobs_read_number(parts[5].text, &delivery->chunks);
}

/* ---- results -------------------------------------------------------------------------------- */

/* 0, or '-' and a number that an int holds. */
static bool read_status(struct weft_text text, int *status)
{
    uint64_t number;
    bool negative = text.size > 1 && text.data[0] == '-';
    if (negative)
        text = weft_text(text.data + 1, text.size - 1);
    if (!weft__jobs_read_number(text, &number) || number > INT32_MAX || (number == 0) == negative)
        return false;
    *status = -(int)number;
    return negative || number == 0;
}

static bool named(const struct weft_redis_reply *fields, size_t at, const char *name)
{
    return weft_text_is(fields->elements[at].text, name);
}

static bool read_fields(const struct weft_redis_reply *fields, struct jobs_result *result)
{
    result->is_end = fields->count == RESULT_END;
    if (!are_strings(fields, result->is_end ? RESULT_END : RESULT_CHUNK) ||
        !named(fields, 0, "part") || !named(fields, 2, "chunk") || !named(fields, 4, "total") ||
        !read_part(fields->elements[1].text, &result->part) ||
        !weft__jobs_read_number(fields->elements[3].text, &result->chunk) ||
        !weft__jobs_read_number(fields->elements[5].text, &result->total))
        return false;
    if (!result->is_end) {
        result->data = fields->elements[7].text;
        return named(fields, 6, "data");
    }
    result->data = fields->elements[9].text;
    return named(fields, 6, "status") && named(fields, 8, "why") &&
           read_status(fields->elements[7].text, &result->status);
}

bool weft__jobs_read_result(const struct weft_redis_reply *reply, struct jobs_result *result)
{
    memset(result, 0, sizeof *result);
    if (reply->type != WEFT_REDIS_ARRAY || reply->count != 2 ||
        reply->elements[0].type != WEFT_REDIS_STRING ||
        !weft__jobs_is_entry(reply->elements[0].text))
        return false;
    result->entry = reply->elements[0].text;
    return reply->elements[1].type == WEFT_REDIS_ARRAY && read_fields(&reply->elements[1], result);
}

/* ---- the rest ------------------------------------------------------------------------------- */

static const struct weft_redis_reply *inside(const struct weft_redis_reply *reply, size_t count,
                                             size_t place)
{
    return reply != NULL && reply->type == WEFT_REDIS_ARRAY && reply->count == count
               ? &reply->elements[place]
               : NULL;
}

/* A list of streams, of which each is a name and a list of entries, of which each is an id and its fields. */
bool weft__jobs_read_entry(const struct weft_redis_reply *reply, struct weft_text *entry)
{
    const struct weft_redis_reply *id =
        inside(inside(inside(inside(reply, 1, 0), 2, 1), 1, 0), 2, 0);
    *entry = weft_text(NULL, 0);
    if (id == NULL || id->type != WEFT_REDIS_STRING || !weft__jobs_is_entry(id->text))
        return false;
    *entry = id->text;
    return true;
}

enum jobs_news weft__jobs_read_news(struct weft_text message, struct weft_text *job)
{
    *job = weft_text(NULL, 0);
    if (message.size != 1 + WEFT_JOBS_ID ||
        !weft__jobs_is_job(weft_text(message.data + 1, message.size - 1)))
        return JOBS_ODD;
    *job = weft_text(message.data + 1, message.size - 1);
    return message.data[0] == 'c' ? JOBS_CANCELLED : message.data[0] == 'r' ? JOBS_ROOM : JOBS_ODD;
}
