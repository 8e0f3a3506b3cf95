/* apps/spider/scope_hosts.h: a set of hosts, and of folders on them; the quick part of the scope.
 *
 * A host is a name as it stands in a URL and a port, -1 for the scheme's own. Zeroed storage is an
 * empty set. */
#ifndef WEFT_SPIDER_SCOPE_HOSTS_H
#define WEFT_SPIDER_SCOPE_HOSTS_H

#include <stdint.h>
#include <weft/text.h>

/* What a host stands for. */
enum { SCOPE_ITSELF = 1, SCOPE_BELOW = 2 };

struct scope_entry;

struct scope_hosts {
    struct scope_entry **slots_; /* open addressing, a power of two of them */
    size_t count_, room_;
    const struct scope_entry *first_; /* what was added first; most crawls have only one host */
    bool below_;                      /* some host stands for those below it */
};

/* Reach is added to what the host stood for before. UV_ENOMEM: nothing has changed. */
int scope_hosts_add(struct scope_hosts *hosts, struct weft_text name, int32_t port, unsigned reach);
/* The folder of a host, "/a/b/": begins and ends with a '/'. */
int scope_hosts_add_folder(struct scope_hosts *hosts, struct weft_text name, int32_t port,
                           struct weft_text folder);

/* Was it added, or does it lie below one that stands for those, too? Time linear in the name. */
bool scope_hosts_has(const struct scope_hosts *hosts, struct weft_text name, int32_t port);
/* Does the path begin with a folder that was added for this very host? Linear, too. */
bool scope_hosts_has_path(const struct scope_hosts *hosts, struct weft_text name, int32_t port,
                          struct weft_text path);

void scope_hosts_free(struct scope_hosts *hosts);

#endif
