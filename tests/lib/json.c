/* A recursive reader, one function for each thing that JSON has.
 *
 * Each function takes what it reads off the text and returns false where it is not JSON; whatever
 * was built until then hangs in the tree already, so giving up is freeing the root. Strict: no
 * comments, no commas too many, no bare words, no control characters in strings, numbers as the
 * grammar has them. */
#include "json.h"
#include "check.h"
#include <stdio.h>
#include <stdlib.h>

enum { DEEPEST = 512, PATH_SIZE = 4096 };

struct reader {
    const char *at, *end;
    int depth;
};

static bool read_value(struct reader *r, struct json *into);

static bool take(struct reader *r, char c)
{
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'))
        r->at++;
}

static bool read_word(struct reader *r, const char *word)
{
    if (!weft_text_starts(weft_text(r->at, (size_t)(r->end - r->at)), word))
        return false;
    r->at += strlen(word);
    return true;
}

/* ---- strings -------------------------------------------------------------------------------- */

/* Four digits; -1: they are not. */
static long read_hex(struct reader *r)
{
    static const char digits[] = "0123456789abcdef";
    long value = 0;
    if (r->end - r->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = weft_text_lower(*r->at);
        const char *digit = c != '\0' ? strchr(digits, c) : NULL;
        if (digit == NULL)
            return -1;
        value = value * 16 + (digit - digits);
        r->at++;
    }
    return value;
}

static char *put_code_point(char *to, unsigned long c)
{
    if (c < 0x80) {
        *to++ = (char)c;
        return to;
    }
    if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *to++ = (char)(0xe0 | c >> 12);
        } else {
            *to++ = (char)(0xf0 | c >> 18);
            *to++ = (char)(0x80 | (c >> 12 & 0x3f));
        }
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
    }
    *to++ = (char)(0x80 | (c & 0x3f));
    return to;
}

/* Behind "\u": one unit of UTF-16, or two that belong together. */
static bool read_unicode(struct reader *r, char **to)
{
    long unit = read_hex(r);
    if (unit < 0)
        return false;
    const char *behind = r->at;
    if (unit >= 0xd800 && unit < 0xdc00 && read_word(r, "\\u")) {
        long low = read_hex(r);
        if (low >= 0xdc00 && low < 0xe000)
            unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        else
            r->at = behind; /* it is read again, as what it is */
    }
    *to = put_code_point(*to, (unsigned long)unit);
    return true;
}

/* Behind the backslash. */
static bool read_escape(struct reader *r, char **to)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (take(r, 'u'))
        return read_unicode(r, to);
    const char *name = r->at < r->end && *r->at != '\0' ? strchr(names, *r->at) : NULL;
    if (name == NULL)
        return false;
    r->at++;
    *(*to)++ = values[name - names];
    return true;
}

/* Behind the first quote. No escape is shorter than what it stands for, so what is left of the
 * string until its last quote is room enough. */
static bool read_string(struct reader *r, struct weft_text *into)
{
    const char *end = r->at;
    while (end < r->end && *end != '"')
        end += *end == '\\' ? 2 : 1;
    if (end >= r->end)
        return false;
    char *to = malloc((size_t)(end - r->at) + 1);
    if (to == NULL)
        return false;
    *into = weft_text(to, 0);
    while (!take(r, '"')) {
        if ((unsigned char)*r->at < ' ')
            return false;
        if (!take(r, '\\'))
            *to++ = *r->at++;
        else if (!read_escape(r, &to))
            return false;
    }
    *to = '\0';
    into->size = (size_t)(to - into->data);
    return true;
}

/* ---- numbers -------------------------------------------------------------------------------- */

static bool skip_digits(struct reader *r)
{
    const char *begin = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return r->at > begin;
}

static bool read_number(struct reader *r, struct json *into)
{
    char copy[64];
    const char *begin = r->at;
    take(r, '-');
    if (!take(r, '0') && !skip_digits(r))
        return false;
    if (take(r, '.') && !skip_digits(r))
        return false;
    if (take(r, 'e') || take(r, 'E')) {
        if (!take(r, '+'))
            take(r, '-');
        if (!skip_digits(r))
            return false;
    }
    size_t size = (size_t)(r->at - begin);
    if (size >= sizeof copy)
        return false;
    memcpy(copy, begin, size);
    copy[size] = '\0';
    into->kind = JSON_NUMBER;
    into->number = strtod(copy, NULL);
    return true;
}

/* ---- arrays and objects --------------------------------------------------------------------- */

static struct json *add(struct json *to, struct json **last)
{
    struct json *one = calloc(1, sizeof *one);
    if (one == NULL)
        return NULL;
    if (*last == NULL)
        to->first = one;
    else
        (*last)->next = one;
    to->count++;
    return *last = one;
}

static bool read_name(struct reader *r, struct json *member)
{
    skip_blanks(r);
    if (!take(r, '"') || !read_string(r, &member->name))
        return false;
    skip_blanks(r);
    return take(r, ':');
}

/* Behind the opening bracket. */
static bool read_members(struct reader *r, struct json *into, enum json_kind kind)
{
    char close = kind == JSON_ARRAY ? ']' : '}';
    struct json *last = NULL;
    into->kind = kind;
    skip_blanks(r);
    if (take(r, close))
        return true;
    do {
        struct json *one = add(into, &last);
        if (one == NULL || (kind == JSON_OBJECT && !read_name(r, one)) || !read_value(r, one))
            return false;
    } while (take(r, ','));
    return take(r, close);
}

static bool read_bool(struct reader *r, struct json *into)
{
    into->kind = JSON_BOOL;
    into->truth = read_word(r, "true");
    return into->truth || read_word(r, "false");
}

static bool read_one(struct reader *r, struct json *into)
{
    if (read_word(r, "null"))
        return true;
    if (take(r, '"')) {
        into->kind = JSON_STRING;
        return read_string(r, &into->text);
    }
    if (take(r, '['))
        return read_members(r, into, JSON_ARRAY);
    if (take(r, '{'))
        return read_members(r, into, JSON_OBJECT);
    return read_bool(r, into) || read_number(r, into);
}

static bool read_value(struct reader *r, struct json *into)
{
    if (++r->depth > DEEPEST)
        return false;
    skip_blanks(r);
    bool fine = read_one(r, into);
    skip_blanks(r);
    r->depth--;
    return fine;
}

struct json *json_parse(struct weft_text text, size_t *at)
{
    if (text.data == NULL)
        text = weft_text_of("");
    struct reader r = {text.data, text.data + text.size, 0};
    struct json *json = calloc(1, sizeof *json);
    bool fine = json != NULL && read_value(&r, json) && r.at == r.end;
    if (at != NULL)
        *at = (size_t)(r.at - text.data);
    if (fine)
        return json;
    json_free(json);
    return NULL;
}

void json_free(struct json *json)
{
    if (json == NULL)
        return;
    for (struct json *it = json->first, *next; it != NULL; it = next) {
        next = it->next;
        json_free(it);
    }
    free((char *)(uintptr_t)json->text.data);
    free((char *)(uintptr_t)json->name.data);
    free(json);
}

/* ---- files ---------------------------------------------------------------------------------- */

static char *read_file(FILE *file, size_t *size)
{
    size_t room = 1 << 16;
    char *bytes = malloc(room);
    assert_non_null(bytes);
    *size = 0;
    for (size_t n; (n = fread(bytes + *size, 1, room - *size, file)) > 0;) {
        *size += n;
        if (*size == room) {
            bytes = realloc(bytes, room *= 2);
            assert_non_null(bytes);
        }
    }
    return bytes;
}

struct json *json_load(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    size_t size, at = 0;
    char *bytes = read_file(file, &size);
    fclose(file);
    struct json *json = json_parse(weft_text(bytes, size), &at);
    free(bytes);
    if (json == NULL)
        fail_msg("%s is not JSON: byte %zu", path, at);
    return json;
}

struct json *json_conformance(const char *name)
{
    static const char here[] = "tests/lib/json.c";
    char path[PATH_SIZE];
    const char *folder = getenv("WEFT_CONFORMANCE");
    if (folder != NULL)
        snprintf(path, sizeof path, "%s/%s", folder, name);
    else
        snprintf(path, sizeof path, "%.*s../shared/conformance/%s",
                 (int)(sizeof __FILE__ - sizeof here), __FILE__, name);
    struct json *json = json_load(path);
    if (json == NULL)
        fprintf(stderr, "skipped: there is no %s\n", path);
    return json;
}

/* ---- looking things up ---------------------------------------------------------------------- */

const struct json *json_get(const struct json *object, const char *name)
{
    const struct json *found = NULL;
    if (object == NULL || object->kind != JSON_OBJECT)
        return NULL;
    for (const struct json *it = object->first; it != NULL; it = it->next) {
        if (weft_text_is(it->name, name))
            found = it;
    }
    return found;
}

const struct json *json_at(const struct json *array, size_t i)
{
    const struct json *it = array != NULL ? array->first : NULL;
    while (it != NULL && i-- > 0)
        it = it->next;
    return it;
}

struct weft_text json_text(const struct json *object, const char *name)
{
    const struct json *found = json_get(object, name);
    return found != NULL && found->kind == JSON_STRING ? found->text : weft_text(NULL, 0);
}
