/* Which file a URL is saved under: the rules by example, and what is true of every name. */
#include "check.h"
#include "model.h"
#include "spider/name.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static char name[NAME_SIZE];

/* "host/path?query", cut into its pieces. */
static const char *name_of_url(const char *url)
{
    const char *slash = strchr(url, '/'), *mark = strchr(url, '?');
    const char *end = mark != NULL ? mark : url + strlen(url);
    assert_non_null(slash);
    int err =
        name_of(weft_text(url, (size_t)(slash - url)), weft_text(slash, (size_t)(end - slash)),
                weft_text_of(mark != NULL ? mark + 1 : NULL), name, sizeof name);
    assert_int_equal(err, 0);
    return name;
}

struct example {
    const char *url, *name;
};

static void hold(const struct example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_string_equal(name_of_url(examples[i].url), examples[i].name);
}
#define HOLD(examples) hold(examples, sizeof(examples) / sizeof *(examples))

/* ---- the rules ------------------------------------------------------------------------------ */

TEST(a_path_is_a_path)
{
    static const struct example examples[] = {
        {"example.com/a.html", "example.com/a.html"},
        {"example.com/a/b/c.png", "example.com/a/b/c.png"},
        {"example.com:8080/a.html", "example.com:8080/a.html"},
        {"example.com/file.tar.gz", "example.com/file.tar.gz"},
        {"example.com/A.JPEG", "example.com/A.JPEG"},
    };
    HOLD(examples);
}

TEST(a_folder_is_its_index)
{
    static const struct example examples[] = {
        {"h/", "h/index.html"},
        {"h/a/", "h/a/index.html"},
        {"h/?", "h/index@.html"},
        {"h/a/?q=1", "h/a/index@q=1.html"},
    };
    HOLD(examples);
}

TEST(a_page_without_an_extension_gets_one)
{
    static const struct example examples[] = {
        {"h/about", "h/about.html"},
        {"h/v1.2", "h/v1.2.html"},        /* no letter behind the dot */
        {"h/a.b-c", "h/a.b-c.html"},      /* a byte that is none of an extension's */
        {"h/a.eightltr", "h/a.eightltr"}, /* the longest */
        {"h/a.ninelette", "h/a.ninelette.html"},
        {"h/a.x", "h/a.x"},
        {"h/a.mp3", "h/a.mp3"},
        {"h/html", "h/html.html"},
        {"h/a.", "h/a%2E.html"},
        {"h/a..", "h/a.%2E.html"},
        {"h/a..html", "h/a..html"},
    };
    HOLD(examples);
}

TEST(a_folder_with_an_extension_is_marked)
{
    static const struct example examples[] = {
        {"h/a.html/b", "h/a.html~/b.html"},
        {"h/a.html/", "h/a.html~/index.html"},
        {"h/v1.2/b", "h/v1.2/b.html"},
        {"h.com/a/b.c/d.e/f", "h.com/a/b.c~/d.e~/f.html"},
    };
    HOLD(examples);
}

TEST(a_query_stands_before_the_extension)
{
    static const struct example examples[] = {
        {"h/list.php?page=2&sort=asc", "h/list@page=2,sort=asc.php"},
        {"h/list?page=2", "h/list@page=2.html"},
        {"h/list?", "h/list@.html"},
        {"h/list.php?", "h/list@.php"},
        {"h/a.php?x=@&y=,", "h/a@x=%40,y=%2C.php"},
        {"h/a.php?u=http://x/?y", "h/a@u=http%3A%2F%2Fx%2F%3Fy.php"},
        {"h/a?f=b.png", "h/a@f=b.png.html"},
        {"h/a.css?v1.2", "h/a@v1.2.css"},
        {"h/list@page=2.php", "h/list%40page=2.php"},
        {"h/a?..", "h/a@...html"},
    };
    HOLD(examples);
}

TEST(bytes_that_are_disliked_are_encoded)
{
    static const struct example examples[] = {
        {"h/a b", "h/a%20b.html"},
        {"h/a'\"\\:*<>|&;$`(){}[]!#~^\x7f",
         "h/a%27%22%5C%3A%2A%3C%3E%7C%26%3B%24%60%28%29%7B%7D%5B%5D%21%23%7E%5E%7F.html"},
        {"h/a\x01\n\t.txt", "h/a%01%0A%09.txt"},
        {"h/caf\xc3\xa9.html", "h/caf%C3%A9.html"},
        {"h/a_b+c=d,e-f.g", "h/a_b+c=d,e-f.g"},
        {"h/a%2fb%C3%a9", "h/a%2Fb%C3%A9.html"},
        {"h/100%", "h/100%25.html"},
        {"h/100%4", "h/100%254.html"},
        {"h/%zz", "h/%25zz.html"},
    };
    HOLD(examples);
}

TEST(a_nul_is_a_byte_like_others)
{
    assert_int_equal(
        name_of(weft_text_of("h"), weft_text("/a\0b", 4), weft_text("\0", 1), name, sizeof name),
        0);
    assert_string_equal(name, "h/a%00b@%00.html");
}

TEST(no_part_is_empty_or_of_dots_or_begins_with_a_dash)
{
    static const struct example examples[] = {
        {"h//", "h/~/index.html"},
        {"h///a", "h/~/~/a.html"},
        {"h/a//b", "h/a/~/b.html"},
        {"h/./a", "h/%2E/a.html"},
        {"h/../a", "h/%2E%2E/a.html"},
        {"h/..", "h/%2E%2E.html"},
        {"h/...", "h/%2E.%2E.html"},
        {"h/.weft/tmp", "h/%2Eweft/tmp.html"},
        {".weft/tmp", "%2Eweft/tmp.html"},
        {"./", "%2E/index.html"},
        {"../", "%2E%2E/index.html"},
        {"-h/-a/--b", "%2Dh/%2Da/%2D-b.html"},
        {"h/.htaccess", "h/%2Ehtaccess.html"},
        {"h/-.css", "h/%2D.css"},
        {"h/a./b", "h/a%2E/b.html"},
        {"h./a", "h%2E/a.html"},
    };
    HOLD(examples);
}

TEST(names_of_devices_are_marked)
{
    static const struct example examples[] = {
        {"h/con", "h/con~.html"},        {"h/NUL.txt", "h/NUL~.txt"},
        {"h/aux/b", "h/aux~/b.html"},    {"h/prn.tar.gz", "h/prn~.tar.gz"},
        {"h/com1.html", "h/com1~.html"}, {"h/lpt9", "h/lpt9~.html"},
        {"h/com.html", "h/com.html"},    {"h/com10", "h/com10.html"},
        {"h/comx", "h/comx.html"},       {"h/console", "h/console.html"},
        {"con/a", "con~/a.html"},        {"con:81/a", "con~:81/a.html"},
        {"h/con?x", "h/con~@x.html"},    {"h/con.html/b", "h/con~.html~/b.html"},
    };
    HOLD(examples);
}

TEST(a_host_is_a_folder_of_its_own)
{
    static const struct example examples[] = {
        {"[2001:db8::1]/a", "2001_db8__1/a.html"},
        {"[::1]:8080/a", "__1:8080/a.html"},
        {"[con]/a", "%5Bcon%5D/a.html"},
        {"[]/a", "%5B%5D/a.html"},
        {"192.0.2.1:81/", "192.0.2.1:81/index.html"},
        {"a:b/c", "a%3Ab/c.html"},
        {"a:/c", "a%3A/c.html"},
        {":80/c", "%3A80/c.html"},
        {"my_host.example/c", "my_host.example/c.html"},
    };
    HOLD(examples);
}

/* ---- too long ------------------------------------------------------------------------------- */

static const char *name_of_long(char letter, size_t count, const char *behind)
{
    char *path = malloc(count + strlen(behind) + 2);
    assert_non_null(path);
    path[0] = '/';
    memset(path + 1, letter, count);
    memcpy(path + 1 + count, behind, strlen(behind) + 1);
    assert_int_equal(
        name_of(weft_text_of("h"), weft_text_of(path), weft_text(NULL, 0), name, sizeof name), 0);
    free(path);
    return name;
}

TEST(two_hundred_bytes_are_not_too_long)
{
    assert_int_equal(strlen(name_of_long('a', 195, "")), 2 + 200);
    assert_null(strchr(name, '~'));
    assert_int_equal(strlen(name_of_long('a', 200, "/b")), 2 + 200 + strlen("/b.html"));
    assert_null(strchr(name, '~'));
}

TEST(a_long_name_is_cut_and_keeps_its_extension)
{
    name_of_long('a', 197, ".css");
    assert_int_equal(strlen(name), 2 + 200);
    assert_string_equal(name + strlen(name) - 4, ".css");
    assert_int_equal(name[strlen(name) - 4 - 17], '~');
    name_of_long('a', 201, "/b");
    assert_int_equal(strlen(name), 2 + 200 + strlen("/b.html"));
    assert_int_equal(name[2 + 200 - 17], '~');
    assert_int_equal(name[2 + 200], '/');
}

TEST(a_long_folder_with_an_extension_is_no_file)
{
    name_of_long('a', 300, ".html/b");
    assert_int_equal(name[2 + 200 - 17], '~');
    assert_string_equal(name + 2 + 200, "/b.html");
}

TEST(a_cut_leaves_no_half_of_an_encoded_byte)
{
    for (size_t before = 150; before < 250; before++) {
        char path[512] = "/";
        memset(path + 1, 'a', before);
        memset(path + 1 + before, ' ', 100);
        assert_int_equal(name_of(weft_text_of("h"), weft_text(path, 1 + before + 100),
                                 weft_text(NULL, 0), name, sizeof name),
                         0);
        for (const char *at = strchr(name, '%'); at != NULL; at = strchr(at + 1, '%'))
            assert_memory_equal(at, "%20", 3);
    }
}

TEST(what_was_cut_off_counts_too)
{
    char one[NAME_SIZE];
    memcpy(one, name_of_long('a', 300, "x"), sizeof one);
    assert_string_not_equal(one, name_of_long('a', 300, "y"));
    assert_string_equal(one, name_of_long('a', 300, "x"));
}

/* count folders of this many letters, and a file */
static const char *name_of_deep(size_t count, size_t letters, const char *file)
{
    size_t size = count * (letters + 1) + strlen(file) + 2;
    char *path = malloc(size);
    assert_non_null(path);
    for (size_t i = 0; i < count; i++) {
        path[i * (letters + 1)] = '/';
        memset(path + i * (letters + 1) + 1, 'a' + (int)(i % 26), letters);
    }
    sprintf(path + count * (letters + 1), "/%s", file);
    assert_int_equal(
        name_of(weft_text_of("host"), weft_text_of(path), weft_text(NULL, 0), name, sizeof name),
        0);
    free(path);
    return name;
}

TEST(a_path_of_three_thousand_bytes_is_not_too_long)
{
    assert_int_equal(strlen(name_of_deep(29, 101, "b")) + 1, 3000 - 30);
    assert_int_equal(strlen(name_of_deep(29, 101, "a123456789012345678901234567890b")), 3000);
    assert_null(strchr(name, '~'));
}

TEST(the_middle_of_a_longer_path_is_a_hash)
{
    char one[NAME_SIZE];
    name_of_deep(29, 101, "a1234567890123456789012345678901b");
    assert_true(strlen(name) <= 3000);
    const char *hash = strstr(name, "/~");
    assert_non_null(hash);
    assert_string_equal(hash + 2 + 16, "/a1234567890123456789012345678901b.html");
    assert_memory_equal(name, "host/aaaa", 9);
    memcpy(one, name_of_deep(1000, 60, "b"), sizeof one);
    assert_true(strlen(one) <= 3000);
    assert_string_not_equal(one, name_of_deep(1001, 60, "b"));
    assert_true(strlen(name_of_deep(20000, 1, "b")) <= 3000);
}

/* ---- again ---------------------------------------------------------------------------------- */

TEST(another_name_differs_before_the_extension)
{
    assert_int_equal(name_again("h/a.html", 0x123456789abcdef0, name, sizeof name), 0);
    assert_string_equal(name, "h/a~9abcdef0.html");
    assert_int_equal(name_again("h.com/a@f=b.png.html", 1, name, sizeof name), 0);
    assert_string_equal(name, "h.com/a@f=b.png~00000001.html");
    assert_int_equal(name_again("h.com/a", 1, name, sizeof name), 0);
    assert_string_equal(name, "h.com/a~00000001");
}

TEST(a_hash_is_the_same_everywhere)
{
    assert_int_equal(name_hash(weft_text_of("http://h/a")),
                     name_hash(weft_text("http://h/ab", 10)));
    assert_int_equal(name_hash(weft_text_of("a")), 0xaf63dc4c8601ec8cU ^ 0xaf63dc4cU);
    assert_int_not_equal(name_hash(weft_text_of("a")), name_hash(weft_text_of("b")));
    assert_int_equal(name_hash(weft_text(NULL, 0)), name_hash(weft_text_of("")));
}

TEST(bad_input_has_an_answer)
{
    struct weft_text h = weft_text_of("h"), path = weft_text_of("/a.html"), none = {NULL, 0};
    assert_int_equal(name_of(none, path, none, name, sizeof name), UV_EINVAL);
    assert_string_equal(name, "");
    assert_int_equal(name_of(h, none, none, name, sizeof name), UV_EINVAL);
    assert_int_equal(name_of(h, weft_text_of("a"), none, name, sizeof name), UV_EINVAL);
    assert_int_equal(name_of(h, path, none, NULL, 0), UV_ENOBUFS);
    assert_int_equal(name_of(h, path, none, name, strlen("h/a.html")), UV_ENOBUFS);
    assert_string_equal(name, "");
    assert_int_equal(name_of(h, path, none, name, strlen("h/a.html") + 1), 0);
    assert_int_equal(name_again(NULL, 1, name, sizeof name), UV_EINVAL);
    assert_int_equal(name_again("", 1, name, sizeof name), UV_EINVAL);
    assert_int_equal(name_again("h/a.html", 1, name, strlen("h/a~00000001.html")), UV_ENOBUFS);
    assert_string_equal(name, "");
    assert_int_equal(name_again("h/a.html", 1, name, strlen("h/a~00000001.html") + 1), 0);
    assert_int_equal(name_again("h/a.html", 1, NULL, 0), UV_ENOBUFS);
}

/* ---- what is true of every name ------------------------------------------------------------- */

static void check_part(const char *part, size_t size, bool host)
{
    assert_in_range(size, 1, NAME_PART_MAX + 9);
    assert_true(part[0] != '.' && part[0] != '-' && part[size - 1] != '.');
    for (size_t i = 0; i < size; i++) {
        char c = part[i];
        assert_true(isalnum((unsigned char)c) || strchr("-._=+,%@~", c) != NULL ||
                    (host && c == ':'));
        if (c == '%')
            assert_true(size - i > 2 && isxdigit(part[i + 1]) && isxdigit(part[i + 2]));
    }
}

static bool has_extension(const char *part, size_t size)
{
    size_t at = size;
    while (at > 0 && isalnum((unsigned char)part[at - 1]))
        at--;
    return at > 1 && part[at - 1] == '.' && size - at <= 8 && isalpha((unsigned char)part[at]);
}

static void check_name(const char *whole)
{
    assert_true(strlen(whole) <= NAME_PATH_MAX + 9);
    const char *at = whole;
    for (;;) {
        size_t size = strcspn(at, "/");
        check_part(at, size, at == whole);
        if (at[size] == '\0') {
            assert_true(has_extension(at, size) && at != whole);
            return;
        }
        assert_true(at == whole || !has_extension(at, size));
        at += size + 1;
    }
}

/* Bytes that a URL parser leaves as they are in a path, '%' and ones that name.c encodes left out:
 * among those that are made of these, different URLs have different names, but for .html. */
static const char plain[] = "aAbB01.-_=+,/.c//x.h";
static const char any[] = "aA0.-_=+,/%2eF~@&'\" \x80\xff:*?<>|;$`(){}[]!#\\\n/.con/.html";

static size_t draw(struct dice *dice, char *text, size_t limit, const char *from)
{
    size_t size = roll(dice, limit);
    if (chance(dice, 50))
        size *= 40;
    for (size_t i = 0; i < size; i++)
        text[i] = from[roll(dice, strlen(from))];
    return size;
}

TEST(every_name_is_safe)
{
    struct dice dice = {check_seed()};
    static char host[4096], path[8192], query[4096], other[NAME_SIZE];
    for (unsigned long i = check_scale(20000); i > 0; i--) {
        size_t host_size = 1 + draw(&dice, host + 1, 12, any);
        size_t path_size = 1 + draw(&dice, path + 1, 100, any);
        size_t query_size = draw(&dice, query, 30, any);
        host[0] = chance(&dice, 2) ? 'h' : '.';
        path[0] = '/';
        for (size_t k = 0; k < host_size; k++)
            host[k] = host[k] == '/' ? 'x' : host[k];
        assert_int_equal(name_of(weft_text(host, host_size), weft_text(path, path_size),
                                 weft_text(chance(&dice, 2) ? query : NULL, query_size), name,
                                 sizeof name),
                         0);
        check_name(name);
        assert_int_equal(name_again(name, roll(&dice, UINT64_MAX), other, sizeof other), 0);
        check_name(other);
        assert_string_not_equal(name, other);
    }
}

struct pair {
    char *url, *name;
};

static int by_name(const void *one, const void *other)
{
    return strcmp(((const struct pair *)one)->name, ((const struct pair *)other)->name);
}

static char *copy(const char *text)
{
    char *made = strdup(text);
    assert_non_null(made);
    return made;
}

/* A URL as its name's rules see it: with index.html and .html added where they would be. */
static char *canonical(const char *path, const char *query)
{
    static char url[16384];
    const char *last = strrchr(path, '/') + 1;
    const char *added = *last == '\0'                       ? "index.html"
                        : has_extension(last, strlen(last)) ? ""
                                                            : ".html";
    snprintf(url, sizeof url, "%s%s%s%s", path, added, query != NULL ? "?" : "",
             query != NULL ? query : "");
    return copy(url);
}

TEST(different_urls_have_different_names)
{
    struct dice dice = {check_seed()};
    enum { COUNT = 50000 };
    struct pair *pairs = calloc(COUNT, sizeof *pairs);
    assert_non_null(pairs);
    static char path[4096], query[4096];
    for (size_t i = 0; i < COUNT; i++) {
        path[0] = '/';
        path[1 + draw(&dice, path + 1, 7, plain)] = '\0';
        query[draw(&dice, query, 5, "aB=&.x-_@,")] = '\0';
        const char *its = chance(&dice, 2) ? query : NULL;
        assert_int_equal(
            name_of(weft_text_of("h"), weft_text_of(path), weft_text_of(its), name, sizeof name),
            0);
        pairs[i] = (struct pair){canonical(path, its), copy(name)};
    }
    qsort(pairs, COUNT, sizeof *pairs, by_name);
    for (size_t i = 1; i < COUNT; i++) {
        if (strcmp(pairs[i - 1].name, pairs[i].name) == 0)
            assert_string_equal(pairs[i - 1].url, pairs[i].url);
    }
    for (size_t i = 0; i < COUNT; i++) {
        free(pairs[i].url);
        free(pairs[i].name);
    }
    free(pairs);
}
