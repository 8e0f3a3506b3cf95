/* tests/lib/json.h: a strict reader for JSON that tests have their data in (RFC 8259).
 *
 *     struct json *all = json_conformance("url/urltestdata.json");
 *     if (all == NULL)
 *         skip();
 *     for (const struct json *it = all->first; it != NULL; it = it->next)
 *         use(json_get(it, "input")->text);
 *     json_free(all);
 *
 * Everything is a tree of values in memory of its own. Half of a surrogate pair, which JSON can
 * write and UTF-8 cannot, becomes the three bytes it would have (WTF-8): ED A0..BF 80..BF. */
#ifndef TESTS_JSON_H
#define TESTS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <weft/text.h>

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_kind kind;
    bool truth;            /* of a bool */
    double number;         /* of a number */
    struct weft_text text; /* of a string; a NUL stands behind it, and may stand in it */
    struct weft_text name; /* of a member of an object; the same */
    size_t count;          /* of an array or an object: how many are in it */
    struct json *first;    /* the first of them, in the order of the text */
    struct json *next;     /* the one beside this one */
};

/* The one value that text consists of, with blanks around it at most. NULL: it is not JSON, or
 * nested deeper than 512, or there is no memory; *at is then where the reader gave up, if at is not
 * NULL. text is not needed afterwards. */
struct json *json_parse(struct weft_text text, size_t *at);

/* A file. NULL if it cannot be read; one that is not JSON fails the test. */
struct json *json_load(const char *path);

/* A file of the public suites: below WEFT_CONFORMANCE, or else below ../shared/conformance as seen
 * from the repository. NULL, after saying so on stderr, if it is not there. */
struct json *json_conformance(const char *name);

/* Takes NULL. */
void json_free(struct json *json);

/* The member of an object with this name (the last, if there are several); NULL: there is none, or
 * it is no object. */
const struct json *json_get(const struct json *object, const char *name);

/* The i-th in an array or object, counting from 0; NULL: there is none. */
const struct json *json_at(const struct json *array, size_t i);

/* The text of the string with this name; empty with data NULL if there is no such string. */
struct weft_text json_text(const struct json *object, const char *name);

#endif
