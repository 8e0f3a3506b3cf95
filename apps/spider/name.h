/* apps/spider/name.h: the name of the file that a URL is saved under.
 *
 *     http://example.com/list.php?page=2&sort=asc   example.com/list@page=2,sort=asc.php
 *
 * The rules
 *   - HOST[:PORT]/PATH. A folder is saved as its index.html, a page without an extension gets
 *     .html, a folder whose name has one gets ~ behind it: a file and a folder never want one name.
 *     An extension is the last dot, with a letter and up to seven letters or digits behind it.
 *   - A query stands before the extension: @, and the query with , for each &.
 *   - All but letters, digits and - . _ = + , becomes %XX; so do a - or . that a name begins with
 *     and a . at its end. What is %XX already stays. An empty segment is ~, and the names that
 *     Windows keeps for devices get ~ behind them.
 *   - A name of more than 200 bytes is cut and gets ~ and 16 digits of a hash before its extension;
 *     of a path of more than 3,000 bytes the folders that are too much become one, ~ and a hash.
 *   - If that is another URL's name already: ~ and 8 digits of a hash before the extension.
 *
 * The same URL has the same name always. Different URLs have different names but for these, and for
 * those whose hashes meet; then the caller, who knows which names are taken, asks for name_again:
 *   - /a and /a.html, / and /index.html, a? and a.html?;
 *   - a byte that becomes %XX and the same byte as %XX in the URL: /a'b and /a%27b; %2f and %2F;
 *   - an IPv6 address, which loses its brackets and has _ for each colon, and a host of that name.
 */
#ifndef WEFT_APPS_SPIDER_NAME_H
#define WEFT_APPS_SPIDER_NAME_H

#include <stddef.h>
#include <stdint.h>
#include <weft/text.h>

enum {
    NAME_PART_MAX = 200,  /* bytes of a segment; name_again makes it 209 */
    NAME_PATH_MAX = 3000, /* bytes of the whole; name_again makes it 3009 */
    NAME_SIZE = 3072 /* a buffer of this size holds every name, also one that was asked again */
};

/* The name, relative to the output folder, into buffer, with a NUL behind. host: with a port only
 * if that is not the default one. path: begins with '/'. query: without its '?'; data is NULL if
 * there is none, and an empty one is not the same as none. UV_EINVAL: there is no host, or the path
 * does not begin with '/'. UV_ENOBUFS: buffer is too small. After an error buffer is "". */
int name_of(struct weft_text host, struct weft_text path, struct weft_text query, char *buffer,
            size_t size);

/* Another name for a URL whose name is taken: hash is one of the whole URL. With another hash it is
 * another name. UV_EINVAL: name is NULL or empty. UV_ENOBUFS. buffer is not name. */
int name_again(const char *name, uint64_t hash, char *buffer, size_t size);

/* A hash for name_again, the same for the same text in every crawl and on every machine: a site
 * that is taken home twice is the same tree twice. */
uint64_t name_hash(struct weft_text text);

#endif
