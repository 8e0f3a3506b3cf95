/* Any bytes as the file of a program whose functions are looked for: reading its symbol table comes to
 * an end without harm, and every name that is found is one, inside of the table of names. */
#include "core/symbols_table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "symbols.c:%d: %s\n", __LINE__, #holds);                               \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static int file_of(const uint8_t *data, size_t size)
{
    static int fd = -1;
    if (fd < 0)
        fd = memfd_create("program", 0);
    CHECK(fd >= 0 && ftruncate(fd, 0) == 0);
    CHECK(pwrite(fd, data, size, 0) == (ssize_t)size);
    return fd;
}

/* The program headers that it says it has, as if they were those in memory; none if they are not
 * there. */
static ElfW(Phdr) * copy_headers(const uint8_t *data, size_t size, size_t *count)
{
    ElfW(Ehdr) head = {.e_phnum = 0};
    if (size >= sizeof head)
        memcpy(&head, data, sizeof head);
    size_t bytes = head.e_phnum * sizeof(ElfW(Phdr));
    if (head.e_phoff > size || bytes > size - head.e_phoff)
        bytes = 0;
    ElfW(Phdr) *headers = malloc(bytes + 1);
    CHECK(headers != NULL);
    if (bytes > 0)
        memcpy(headers, data + head.e_phoff, bytes);
    *count = bytes / sizeof *headers;
    return headers;
}

static void check_name(const struct elf *elf, uintptr_t offset)
{
    const char *name = weft__elf_name(elf, offset);
    if (name == NULL)
        return;
    CHECK(name >= elf->names && name < elf->names + elf->names_size);
    CHECK(strlen(name) > 0 && strlen(name) <= elf->names_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LOOKED_AT = 64 };
    struct elf elf = {0};
    size_t count;
    ElfW(Phdr) *headers = copy_headers(data, size, &count);
    weft__elf_read(&elf, file_of(data, size), headers, count);
    CHECK(elf.symbol_count <= size / sizeof *elf.symbols && elf.names_size <= size);
    for (size_t i = 0; i < elf.symbol_count && i < LOOKED_AT; i++) {
        check_name(&elf, elf.symbols[i].st_value);
        check_name(&elf, elf.symbols[i].st_value + elf.symbols[i].st_size - 1);
    }
    check_name(&elf, UINTPTR_MAX);
    weft__elf_free(&elf);
    free(headers);
    return 0;
}
