/* The public suite for robots.txt (google/robotstxt-spec-test): every expectation, and the score.
 * Its files are in the text form of protocol buffers, of which this reads what they use.
 * ctest: shuffle=no */
#include "check.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft/robots.h>

enum { TEXT_MAX = 4096, PATH_SIZE = 1024 };

struct string {
    char text[TEXT_MAX];
    size_t size;
};

struct suite {
    const char *at;
    char word[64];        /* the last name or bare value */
    struct string string; /* the last string; those that stand side by side are one */
    struct string robots, url, agent;
    unsigned held, all;
};

/* ---- reading -------------------------------------------------------------------------------- */

static void skip_blanks(struct suite *suite)
{
    while (*suite->at != 0 && strchr(" \t\r\n,#", *suite->at) != NULL) {
        if (*suite->at == '#')
            suite->at += strcspn(suite->at, "\n");
        else
            suite->at++;
    }
}

static char read_escape(struct suite *suite)
{
    char c = *suite->at++;
    if (c == 'x') {
        char digits[3] = {suite->at[0], suite->at[1], 0};
        suite->at += 2;
        return (char)strtol(digits, NULL, 16);
    }
    return (char)(c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c);
}

static void read_string(struct suite *suite)
{
    struct string *string = &suite->string;
    suite->at++;
    while (*suite->at != 0 && *suite->at != '"') {
        char c = *suite->at++;
        assert_true(string->size < TEXT_MAX);
        string->text[string->size++] = c == '\\' ? read_escape(suite) : c;
    }
    assert_int_equal(*suite->at, '"');
    suite->at++;
}

static void read_word(struct suite *suite)
{
    size_t size =
        strspn(suite->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    assert_true(size > 0 && size < sizeof suite->word);
    memcpy(suite->word, suite->at, size);
    suite->word[size] = 0;
    suite->at += size;
}

static void read_value(struct suite *suite)
{
    suite->string.size = 0;
    skip_blanks(suite);
    if (*suite->at != '"') {
        if (*suite->at != '[' && *suite->at != '{')
            read_word(suite);
        return;
    }
    while (*suite->at == '"') {
        read_string(suite);
        skip_blanks(suite);
    }
}

/* ---- checking ------------------------------------------------------------------------------- */

static struct weft_text text_of(const struct string *string)
{
    return weft_text(string->text, string->size);
}

static struct weft_text path_of(struct weft_text url)
{
    const char *host = url.size > 0 ? memmem(url.data, url.size, "://", 3) : NULL;
    if (host == NULL)
        return weft_text(NULL, 0);
    const char *end = url.data + url.size;
    const char *path = memchr(host + 3, '/', (size_t)(end - host - 3));
    return path != NULL ? weft_text(path, (size_t)(end - path)) : weft_text(NULL, 0);
}

static void expect(struct suite *suite, bool allowed)
{
    struct weft_robots robots = {0};
    assert_int_equal(weft_robots_parse(&robots, text_of(&suite->robots), text_of(&suite->agent)),
                     0);
    suite->all++;
    if (weft_robots_allows(&robots, path_of(text_of(&suite->url))) == allowed)
        suite->held++;
    else
        fprintf(stderr, "%.*s of %.*s should be %s by\n%.*s\n",
                WEFT_TEXT_ARGS(text_of(&suite->url)), WEFT_TEXT_ARGS(text_of(&suite->agent)),
                allowed ? "allowed" : "disallowed", WEFT_TEXT_ARGS(text_of(&suite->robots)));
    weft_robots_free(&robots);
}

static void take_field(struct suite *suite)
{
    char name[sizeof suite->word];
    memcpy(name, suite->word, sizeof name);
    skip_blanks(suite);
    assert_int_equal(*suite->at, ':');
    suite->at++;
    read_value(suite);
    if (strcmp(name, "robotstxt") == 0)
        suite->robots = suite->string;
    else if (strcmp(name, "testurl") == 0)
        suite->url = suite->string;
    else if (strcmp(name, "useragent") == 0)
        suite->agent = suite->string;
    else if (strcmp(name, "expected_outcome") == 0)
        expect(suite, strcmp(suite->word, "ALLOWED") == 0);
}

static void run_text(struct suite *suite, const char *text)
{
    suite->at = text;
    for (;;) {
        skip_blanks(suite);
        if (*suite->at == 0)
            return;
        if (strchr("[]{}", *suite->at) != NULL) {
            suite->at++;
            continue;
        }
        read_word(suite);
        take_field(suite);
    }
}

static void run_file(struct suite *suite, const char *path)
{
    static char text[256 * 1024];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = 0;
    run_text(suite, text);
}

static const char *folder(char path[PATH_SIZE])
{
    static const char here[] = "tests/web/robots_suite.c";
    const char *set = getenv("WEFT_CONFORMANCE");
    if (set != NULL)
        snprintf(path, PATH_SIZE, "%s/robots", set);
    else
        snprintf(path, PATH_SIZE, "%.*s../shared/conformance/robots",
                 (int)(sizeof __FILE__ - sizeof here), __FILE__);
    return path;
}

TEST(every_expectation_of_the_public_suite_holds)
{
    static struct suite suite;
    char at[PATH_SIZE], path[PATH_SIZE + 300];
    DIR *dir = opendir(folder(at));
    if (dir == NULL) {
        fprintf(stderr, "skipped: there is no %s\n", at);
        skip();
    }
    memset(&suite, 0, sizeof suite);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (strstr(entry->d_name, ".textproto") == NULL)
            continue;
        snprintf(path, sizeof path, "%s/%s", at, entry->d_name);
        run_file(&suite, path);
    }
    closedir(dir);
    printf("robots: %u of %u\n", suite.held, suite.all);
    assert_true(suite.all > 100);
    assert_int_equal(suite.held, suite.all);
}
