/* A set of hosts.
 *
 * One hash table for both kinds: an entry's key is the name, the port and, for a folder, its path.
 * The hash takes the name from its end to its beginning and then the folder from its beginning to
 * its end. So one pass over a name gives the hashes of all the domains it lies in, and one over a
 * path those of all its folders: a stranger's link with a thousand labels costs no more than its
 * length. The host that was added first is compared before anything is hashed. */
#include "spider/scope_hosts.h"
#include <uv.h>
#include <weft/alloc.h>

struct scope_entry {
    uint32_t hash;
    int32_t port;
    unsigned reach; /* 0: a folder */
    size_t name_size, folder_size;
    char text[]; /* the name, then the folder */
};

enum { ROOM_FIRST = 8 };

/* ---- hashes: FNV-1a ------------------------------------------------------------------------- */

static uint32_t hash_byte(uint32_t hash, char c)
{
    return (hash ^ (unsigned char)c) * 16777619u;
}

static uint32_t hash_port(int32_t port)
{
    return hash_byte(hash_byte(2166136261u, (char)(port & 0xff)), (char)(port >> 8 & 0xff));
}

static uint32_t hash_name(int32_t port, struct weft_text name)
{
    uint32_t hash = hash_port(port);
    for (size_t i = name.size; i > 0; i--)
        hash = hash_byte(hash, name.data[i - 1]);
    return hash;
}

/* ---- the table ------------------------------------------------------------------------------ */

struct key {
    uint32_t hash;
    int32_t port;
    struct weft_text name, folder;
};

static bool is_key(const struct scope_entry *entry, const struct key *key)
{
    return entry->hash == key->hash && entry->port == key->port &&
           weft_text_equal(weft_text(entry->text, entry->name_size), key->name) &&
           weft_text_equal(weft_text(entry->text + entry->name_size, entry->folder_size),
                           key->folder);
}

/* Its slot, or the empty one where it belongs. There always is one: half of them are free. */
static struct scope_entry **slot_of(const struct scope_hosts *hosts, const struct key *key)
{
    size_t at = key->hash & (hosts->room_ - 1);
    while (hosts->slots_[at] != NULL && !is_key(hosts->slots_[at], key))
        at = (at + 1) & (hosts->room_ - 1);
    return &hosts->slots_[at];
}

static const struct scope_entry *find(const struct scope_hosts *hosts, const struct key *key)
{
    return hosts->room_ > 0 ? *slot_of(hosts, key) : NULL;
}

static int grow(struct scope_hosts *hosts)
{
    size_t room = hosts->room_ > 0 ? 2 * hosts->room_ : ROOM_FIRST;
    struct scope_entry **slots = weft_calloc(room, sizeof(struct scope_entry *));
    if (slots == NULL)
        return UV_ENOMEM;
    for (size_t i = 0; i < hosts->room_; i++) {
        struct scope_entry *entry = hosts->slots_[i];
        if (entry == NULL)
            continue;
        size_t at = entry->hash & (room - 1);
        while (slots[at] != NULL)
            at = (at + 1) & (room - 1);
        slots[at] = entry;
    }
    weft_free(hosts->slots_);
    hosts->slots_ = slots;
    hosts->room_ = room;
    return 0;
}

static struct scope_entry *make(const struct key *key)
{
    struct scope_entry *entry = weft_calloc(1, sizeof *entry + key->name.size + key->folder.size);
    if (entry == NULL)
        return NULL;
    entry->hash = key->hash;
    entry->port = key->port;
    entry->name_size = key->name.size;
    entry->folder_size = key->folder.size;
    if (key->name.size > 0)
        memcpy(entry->text, key->name.data, key->name.size);
    if (key->folder.size > 0)
        memcpy(entry->text + key->name.size, key->folder.data, key->folder.size);
    return entry;
}

static int add(struct scope_hosts *hosts, const struct key *key, unsigned reach)
{
    if (2 * (hosts->count_ + 1) > hosts->room_ && grow(hosts) != 0)
        return UV_ENOMEM;
    struct scope_entry **slot = slot_of(hosts, key);
    if (*slot == NULL) {
        if ((*slot = make(key)) == NULL)
            return UV_ENOMEM;
        hosts->count_++;
        if (hosts->first_ == NULL)
            hosts->first_ = *slot;
    }
    (*slot)->reach |= reach;
    return 0;
}

/* ---- hosts and folders ---------------------------------------------------------------------- */

int scope_hosts_add(struct scope_hosts *hosts, struct weft_text name, int32_t port, unsigned reach)
{
    struct key key = {hash_name(port, name), port, name, weft_text(NULL, 0)};
    int err = add(hosts, &key, reach);
    if (err == 0 && (reach & SCOPE_BELOW))
        hosts->below_ = true;
    return err;
}

int scope_hosts_add_folder(struct scope_hosts *hosts, struct weft_text name, int32_t port,
                           struct weft_text folder)
{
    struct key key = {hash_name(port, name), port, name, folder};
    for (size_t i = 0; i < folder.size; i++)
        key.hash = hash_byte(key.hash, folder.data[i]);
    return add(hosts, &key, 0);
}

static bool is_first(const struct scope_hosts *hosts, struct weft_text name, int32_t port)
{
    const struct scope_entry *first = hosts->first_;
    return first != NULL && first->port == port && (first->reach & SCOPE_ITSELF) &&
           weft_text_equal(weft_text(first->text, first->name_size), name);
}

bool scope_hosts_has(const struct scope_hosts *hosts, struct weft_text name, int32_t port)
{
    if (is_first(hosts, name, port))
        return true;
    struct key key = {.hash = hash_port(port), .port = port};
    for (size_t i = name.size; i > 0; i--) {
        key.hash = hash_byte(key.hash, name.data[i - 1]);
        bool whole = i == 1, label = hosts->below_ && !whole && name.data[i - 2] == '.';
        if (!whole && !label)
            continue;
        key.name = weft_text(name.data + i - 1, name.size - i + 1);
        const struct scope_entry *entry = find(hosts, &key);
        if (entry != NULL && (entry->reach & (whole ? SCOPE_ITSELF : SCOPE_BELOW)))
            return true;
    }
    return false;
}

bool scope_hosts_has_path(const struct scope_hosts *hosts, struct weft_text name, int32_t port,
                          struct weft_text path)
{
    struct key key = {.hash = hash_name(port, name), .port = port, .name = name};
    for (size_t i = 0; i < path.size; i++) {
        key.hash = hash_byte(key.hash, path.data[i]);
        key.folder = weft_text(path.data, i + 1);
        if (path.data[i] == '/' && find(hosts, &key) != NULL)
            return true;
    }
    return false;
}

void scope_hosts_free(struct scope_hosts *hosts)
{
    for (size_t i = 0; i < hosts->room_; i++)
        weft_free(hosts->slots_[i]);
    weft_free(hosts->slots_);
    *hosts = (struct scope_hosts){.room_ = 0};
}
