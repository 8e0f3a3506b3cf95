/* The symbol table of an ELF file, from which functions get their names. */
#ifndef WEFT_CORE_SYMBOLS_TABLE_H
#define WEFT_CORE_SYMBOLS_TABLE_H

#include <link.h>
#include <stdint.h>

/* Zeroed, it is that of a file without symbols. */
struct elf {
    ElfW(Sym) * symbols;
    size_t symbol_count;
    char *names; /* ends with a NUL */
    size_t names_size;
};

/* The table of the file at fd, if its program headers are these. What is not as it should be, or
 * finds no memory, leaves it empty. */
void weft__elf_read(struct elf *elf, int fd, const ElfW(Phdr) * headers, size_t count);
/* The function at offset from where the file is loaded; NULL: it has no name. */
const char *weft__elf_name(const struct elf *elf, uintptr_t offset);
void weft__elf_free(struct elf *elf);

#endif
