/* Memory that travels between processes: memfds. */
#ifndef WEFT_CPU_MEMORY_H
#define WEFT_CPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* A new one of size bytes, not inherited; a descriptor, or a negative status. */
int weft__memory_make(size_t size);
/* One that holds a copy of data and can not be changed any more. */
int weft__memory_of(const void *data, size_t size);
/* Map it to be read. sealed: only if it is a memory of exactly that size that can not be changed
 * any more: reading what another process could cut off would kill this one. UV_EPROTO: it is
 * not. */
int weft__memory_map(int fd, size_t size, bool sealed, void **data);
void weft__memory_unmap(void *data, size_t size);

#endif
