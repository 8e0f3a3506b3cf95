/* An answer as it is written: bytes that grow, with an error that sticks, so that writers need not
 * look after each line. */
#include "site.h"
#include <stdarg.h>
#include <stdio.h>

enum { FIRST_ROOM = 4096 };

/* A generator of numbers: splitmix64's last step, which makes one number of another. */
uint64_t mixed(uint64_t number)
{
    number += 0x9e3779b97f4a7c15u;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
    return number ^ (number >> 31);
}

uint64_t hashed(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t hash = 14695981039346656037u; /* FNV-1a, */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return mixed(hash); /* whose low bits alone are weak */
}

static bool make_room(struct page *page, size_t size)
{
    size_t room = page->room > 0 ? page->room : FIRST_ROOM;
    if (page->err != 0)
        return false;
    if (size > SITE_PAGE_MAX - page->size) {
        page->err = UV_ENOBUFS;
        return false;
    }
    while (room < page->size + size)
        room *= 2;
    char *data = room == page->room ? page->data : weft_realloc(page->data, room);
    if (data == NULL) {
        page->err = UV_ENOMEM;
        return false;
    }
    page->data = data;
    page->room = room;
    return true;
}

void page_add(struct page *page, const void *data, size_t size)
{
    if (size > 0 && make_room(page, size)) {
        memcpy(page->data + page->size, data, size);
        page->size += size;
    }
}

void page_addf(struct page *page, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size > 0 && make_room(page, (size_t)size + 1)) {
        vsnprintf(page->data + page->size, (size_t)size + 1, format, again);
        page->size += (size_t)size;
    }
    va_end(again);
}

void page_add_big(struct page *page, uint32_t number)
{
    unsigned char bytes[] = {(unsigned char)(number >> 24), (unsigned char)(number >> 16),
                             (unsigned char)(number >> 8), (unsigned char)number};
    page_add(page, bytes, sizeof bytes);
}

void page_add_little(struct page *page, uint32_t number)
{
    page_add_big(page, __builtin_bswap32(number));
}

static void add_sentence(struct page *page, uint64_t *random)
{
    static const char *const words[] = {
        "thread",
        "loom",
        "shuttle",
        "warp",
        "weft",
        "cloth",
        "pattern",
        "knot",
        "bobbin",
        "selvage",
        "heddle",
        "reed",
        "treadle",
        "beam",
        "spindle",
        "yarn",
        "crosses",
        "holds",
        "follows",
        "turns",
        "meets",
        "carries",
        "the",
        "every",
        "another",
        "under",
        "over",
        "beside",
        "slowly",
        "again",
        "r&eacute;p&eacute;t&eacute;",
        "and",
    };
    unsigned count = 5 + (unsigned)(*random % 8);
    for (unsigned i = 0; i < count; i++) {
        *random = mixed(*random);
        const char *word = words[*random % (sizeof words / sizeof *words)];
        page_add(page, " ", i == 0 ? 0 : 1);
        page_add(page, word, strlen(word));
    }
    page_add(page, ". ", 2);
}

void page_add_prose(struct page *page, uint64_t seed, size_t bytes)
{
    enum { PARAGRAPH = 400 };
    uint64_t random = mixed(seed);
    size_t end = page->size + bytes;
    while (page->err == 0 && page->size < end) {
        size_t stop = page->size + PARAGRAPH;
        page_addf(page, "<p>");
        while (page->err == 0 && page->size < stop)
            add_sentence(page, &random);
        page_addf(page, "</p>\n");
    }
}

void page_begin_html(struct page *page, const char *title, const char *head)
{
    page_addf(page,
              "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<title>%s</title>\n%s</head>\n<body>\n<h1 id=\"top\">%s</h1>\n",
              title, head, title);
}

void page_end_html(struct page *page)
{
    page_addf(page, "</body>\n</html>\n");
}

void page_free(struct page *page)
{
    weft_free(page->data);
    *page = (struct page){0};
}
