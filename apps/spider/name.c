/* From a URL to the name of a file.
 *
 * A name is made of parts, one for each segment: the host, the folders, the file. Each part is
 * written byte by byte into a struct part, which keeps the first bytes of it and, once there are too
 * many, a hash of all, so that it can be cut without a second look at the URL:
 *
 *     stem  [~ for a device]  [@ query]  [~ hash, if it was cut]  extension, or ~ for a folder's
 *
 * Invariants, from which it follows that nothing unwanted can be said by a URL:
 *   - '~' and '@' are encoded wherever they come from the URL, so each that is in a name is ours;
 *   - a file always ends with an extension and a folder never does;
 *   - no part is empty, begins with '.' or '-', or is longer than NAME_PART_MAX;
 *   - each '%' stands before two digits, also after a cut.
 *
 * The whole is put together front to back. Folders are added as long as there is room for all; at
 * the first that has none we go back to where a hash folder still fits, and from there on folders
 * only go into its hash. */
#include "spider/name.h"
#include <stdbool.h>
#include <uv.h>

enum { HASH_DIGITS = 16, AGAIN_DIGITS = 8, EXTENSION_MAX = 8 };

static const uint64_t hash_basis = 14695981039346656037U, hash_prime = 1099511628211U;

/* FNV-1a: it only has to spread. Who makes two meet on purpose gets a name_again. */
static uint64_t hash_add(uint64_t hash, const char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)data[i]) * hash_prime;
    return hash;
}

/* '~' and the last digits of hash; into text, which has room. */
static size_t put_hash(char *text, uint64_t hash, unsigned digits)
{
    text[0] = '~';
    for (unsigned i = digits; i > 0; i--, hash >>= 4)
        text[i] = "0123456789abcdef"[hash & 15];
    return 1 + digits;
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_hex(char c)
{
    return is_digit(c) || (weft_text_lower(c) >= 'a' && weft_text_lower(c) <= 'f');
}

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c & ~0x20) : c;
}

static bool is_safe(char c)
{
    switch (c) {
    case '-':
    case '.':
    case '_':
    case '=':
    case '+':
    case ',':
        return true;
    default:
        return is_letter(c) || is_digit(c);
    }
}

/* The dot of a segment's extension, or its end. Something has to stand before the dot. */
static size_t extension_at(struct weft_text segment)
{
    size_t at = segment.size;
    while (at > 0 && segment.size - at <= EXTENSION_MAX &&
           (is_letter(segment.data[at - 1]) || is_digit(segment.data[at - 1])))
        at--;
    bool found = at > 1 && at < segment.size && segment.size - at <= EXTENSION_MAX &&
                 segment.data[at - 1] == '.' && is_letter(segment.data[at]);
    return found ? at - 1 : segment.size;
}

/* ---- parts ---------------------------------------------------------------------------------- */

struct part {
    char text[NAME_PART_MAX];
    size_t size;   /* of what was kept of it */
    bool cut;      /* that is not all, */
    uint64_t hash; /* and this is of all of it */
};

static void begin_part(struct part *part)
{
    part->size = 0;
    part->cut = false;
}

static void put(struct part *part, char c)
{
    if (part->size < sizeof part->text) {
        part->text[part->size++] = c;
        return;
    }
    if (!part->cut)
        part->hash = hash_add(hash_basis, part->text, part->size);
    part->cut = true;
    part->hash = hash_add(part->hash, &c, 1);
}

static void put_text(struct part *part, struct weft_text text)
{
    if (text.size > 0 && text.size <= sizeof part->text - part->size) {
        memcpy(part->text + part->size, text.data, text.size);
        part->size += text.size;
        return;
    }
    for (size_t i = 0; i < text.size; i++)
        put(part, text.data[i]);
}

static void put_encoded(struct part *part, char c)
{
    static const char digits[] = "0123456789ABCDEF";
    put(part, '%');
    put(part, digits[(unsigned char)c >> 4]);
    put(part, digits[(unsigned char)c & 15]);
}

/* The byte at text.data[i], as it is or encoded; where the next one is. */
static size_t put_next(struct part *part, struct weft_text text, size_t i)
{
    char c = text.data[i];
    if (is_safe(c)) {
        put(part, c);
        return i + 1;
    }
    if (c == '%' && text.size - i > 2 && is_hex(text.data[i + 1]) && is_hex(text.data[i + 2])) {
        put(part, '%');
        put(part, upper(text.data[i + 1]));
        put(part, upper(text.data[i + 2]));
        return i + 3;
    }
    put_encoded(part, c);
    return i + 1;
}

/* Cut what is too long, so that the hash and this extension fit behind it. */
static void cut_part(struct part *part, struct weft_text extension)
{
    if (!part->cut)
        return;
    size_t size = sizeof part->text - 1 - HASH_DIGITS - extension.size;
    if (part->text[size - 1] == '%')
        size -= 1;
    else if (part->text[size - 2] == '%')
        size -= 2;
    size += put_hash(part->text + size, part->hash, HASH_DIGITS);
    for (size_t i = 0; i < extension.size; i++)
        part->text[size++] = extension.data[i];
    part->size = size;
}

/* ---- segments ------------------------------------------------------------------------------- */

/* con, prn, aux, nul, com1, lpt1 …: Windows does not look at what follows the first dot. */
static bool is_device(struct weft_text base)
{
    static const char *const names[] = {"con", "prn", "aux", "nul", "com", "lpt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool numbered = i >= 4;
        if (base.size == (numbered ? 4 : 3) && weft_text_lower(base.data[0]) == names[i][0] &&
            weft_text_same(weft_text(base.data, 3), weft_text_of(names[i])))
            return !numbered || is_digit(base.data[3]);
    }
    return false;
}

/* Does each byte stand for itself where it is? Of nearly all segments all do. */
static bool is_plain(struct weft_text text)
{
    if (text.size == 0 || text.data[0] == '.' || text.data[0] == '-' ||
        text.data[text.size - 1] == '.')
        return false;
    for (size_t i = 0; i < text.size; i++) {
        if (!is_safe(text.data[i]))
            return false;
    }
    return true;
}

/* A segment, or the beginning of one: size bytes of it. */
static void put_stem(struct part *part, struct weft_text segment, size_t size)
{
    struct weft_text rest = segment, base = weft_text_cut(&rest, '.');
    bool device = is_device(base);
    if (!device && is_plain(weft_text(segment.data, size))) {
        put_text(part, weft_text(segment.data, size));
        return;
    }
    for (size_t i = 0; i < size;) {
        bool first = i == 0, last = i + 1 == segment.size;
        char c = segment.data[i];
        if ((c == '.' && (first || last)) || (c == '-' && first)) {
            put_encoded(part, c);
            i++;
        } else {
            i = put_next(part, weft_text(segment.data, size), i);
        }
        if (device && i == base.size)
            put(part, '~');
    }
}

static void put_query(struct part *part, struct weft_text query)
{
    put(part, '@');
    for (size_t i = 0; i < query.size;) {
        char c = query.data[i];
        if (c == '&') {
            put(part, ',');
            i++;
        } else if (c == ',') {
            put_encoded(part, c);
            i++;
        } else {
            i = put_next(part, query, i);
        }
    }
}

static void make_file(struct part *part, struct weft_text segment, struct weft_text query)
{
    if (segment.size == 0)
        segment = weft_text_of("index.html");
    size_t dot = extension_at(segment);
    struct weft_text extension = weft_text(segment.data + dot, segment.size - dot);
    if (extension.size == 0)
        extension = weft_text_of(".html");
    begin_part(part);
    put_stem(part, segment, dot);
    if (query.data != NULL)
        put_query(part, query);
    put_text(part, extension);
    cut_part(part, extension);
}

static void make_folder(struct part *part, struct weft_text segment)
{
    begin_part(part);
    put_stem(part, segment, segment.size);
    if (segment.size == 0 || extension_at(segment) < segment.size)
        put(part, '~');
    cut_part(part, weft_text(NULL, 0));
}

/* Where ":PORT" begins, or the end. */
static size_t port_at(struct weft_text host)
{
    size_t at = host.size;
    while (at > 0 && is_digit(host.data[at - 1]))
        at--;
    return at > 1 && at < host.size && host.data[at - 1] == ':' ? at - 1 : host.size;
}

/* As the URL parser writes it: digits and colons in brackets. */
static bool is_ipv6(struct weft_text name)
{
    if (name.size < 4 || name.data[0] != '[' || name.data[name.size - 1] != ']')
        return false;
    for (size_t i = 1; i + 1 < name.size; i++) {
        if (name.data[i] != ':' && !is_hex(name.data[i]))
            return false;
    }
    return true;
}

/* The host, which is no folder of the site's: it keeps what looks like an extension. */
static void make_host(struct part *part, struct weft_text host)
{
    size_t colon = port_at(host);
    struct weft_text port = weft_text(host.data + colon, host.size - colon);
    struct weft_text name = weft_text(host.data, colon);
    begin_part(part);
    if (is_ipv6(name)) {
        for (size_t i = 1; i + 1 < name.size; i++)
            put(part, name.data[i] == ':' ? '_' : name.data[i]);
    } else {
        put_stem(part, name, name.size);
    }
    put_text(part, port);
    cut_part(part, weft_text(NULL, 0));
}

/* ---- the whole ------------------------------------------------------------------------------ */

struct whole {
    char text[NAME_PATH_MAX];
    size_t size;
    size_t kept;  /* how much of text stays if the rest is too much */
    size_t last;  /* bytes that the file needs, with its '/' */
    bool hashing; /* the rest is too much */
    uint64_t hash;
};

/* '/' and a folder; the host without a '/'. */
static void add_folder(struct whole *whole, const struct part *part)
{
    size_t slash = whole->size > 0 ? 1 : 0, hash_size = 1 + 1 + HASH_DIGITS;
    if (!whole->hashing && whole->size + slash + part->size + whole->last > sizeof whole->text) {
        whole->hashing = true;
        whole->hash = hash_add(hash_basis, whole->text + whole->kept, whole->size - whole->kept);
    }
    if (whole->hashing) {
        whole->hash = hash_add(hash_add(whole->hash, "/", 1), part->text, part->size);
        return;
    }
    if (slash)
        whole->text[whole->size++] = '/';
    memcpy(whole->text + whole->size, part->text, part->size);
    whole->size += part->size;
    if (whole->size + hash_size + whole->last <= sizeof whole->text)
        whole->kept = whole->size;
}

static void add_file(struct whole *whole, const struct part *part)
{
    if (whole->hashing) {
        whole->size = whole->kept;
        whole->text[whole->size++] = '/';
        whole->size += put_hash(whole->text + whole->size, whole->hash, HASH_DIGITS);
    }
    whole->text[whole->size++] = '/';
    memcpy(whole->text + whole->size, part->text, part->size);
    whole->size += part->size;
}

static int give(char *buffer, size_t size, const struct whole *whole)
{
    if (whole->size >= size)
        return UV_ENOBUFS;
    memcpy(buffer, whole->text, whole->size);
    buffer[whole->size] = '\0';
    return 0;
}

int name_of(struct weft_text host, struct weft_text path, struct weft_text query, char *buffer,
            size_t size)
{
    if (size > 0)
        buffer[0] = '\0';
    if (host.size == 0 || path.size == 0 || path.data[0] != '/')
        return UV_EINVAL;
    struct part file, folder;
    size_t at = path.size;
    while (path.data[at - 1] != '/')
        at--;
    make_file(&file, weft_text(path.data + at, path.size - at), query);

    struct whole whole;
    whole.size = whole.kept = 0;
    whole.hashing = false;
    whole.last = 1 + file.size;
    make_host(&folder, host);
    add_folder(&whole, &folder);
    struct weft_text rest = weft_text(path.data + 1, at > 1 ? at - 2 : 0);
    while (at > 1 && rest.data != NULL) {
        make_folder(&folder, weft_text_cut(&rest, '/'));
        add_folder(&whole, &folder);
    }
    add_file(&whole, &file);
    return give(buffer, size, &whole);
}

int name_again(const char *name, uint64_t hash, char *buffer, size_t size)
{
    if (size > 0)
        buffer[0] = '\0';
    if (name == NULL || name[0] == '\0')
        return UV_EINVAL;
    struct weft_text whole = weft_text_of(name);
    if (whole.size + 1 + AGAIN_DIGITS >= size)
        return UV_ENOBUFS;
    size_t dot = extension_at(whole);
    memcpy(buffer, name, dot);
    size_t added = put_hash(buffer + dot, hash, AGAIN_DIGITS);
    memcpy(buffer + dot + added, name + dot, whole.size - dot + 1);
    return 0;
}

uint64_t name_hash(struct weft_text text)
{
    uint64_t hash = hash_add(hash_basis, text.data, text.size);
    return hash ^ hash >> 32; /* name_again takes the lower half */
}
