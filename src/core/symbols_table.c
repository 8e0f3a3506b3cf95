/* The symbol table of an ELF file.
 *
 * The full one (.symtab) has every function, also static ones. A stripped file has none: then its
 * dynamic one counts. What is written in a file is not trusted: every offset and size is held against
 * what can be read, every name against the table of names. */
#ifdef __linux__
#include "symbols_table.h"
#include "weft/alloc.h"
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* More than that in one table is no symbol table. */
enum { TABLE_MOST = 1 << 28 };

/* ---- the file ------------------------------------------------------------------------------- */

/* size bytes at offset in a block of their own, with a NUL behind them; NULL: that is not there. */
static void *read_part(int fd, uint64_t offset, uint64_t size)
{
    if (size > TABLE_MOST || offset > INT64_MAX)
        return NULL;
    char *part = weft_alloc((size_t)size + 1);
    size_t have = 0;
    while (part != NULL && have < size) {
        ssize_t more = pread(fd, part + have, (size_t)size - have, (off_t)(offset + have));
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0) {
            weft_free(part);
            return NULL;
        }
        have += (size_t)more;
    }
    if (part != NULL)
        part[size] = '\0';
    return part;
}

static bool is_ours(const ElfW(Ehdr) * head)
{
    const unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    return memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 && head->e_ident[EI_CLASS] == class &&
           head->e_shentsize == sizeof(ElfW(Shdr)) && head->e_phentsize == sizeof(ElfW(Phdr)) &&
           head->e_shnum > 0;
}

static bool is_loaded(int fd, const ElfW(Ehdr) * head, const ElfW(Phdr) * loaded, size_t count)
{
    size_t size = count * sizeof(ElfW(Phdr));
    if (head->e_phnum != count)
        return false;
    void *headers = read_part(fd, head->e_phoff, size);
    bool same = headers != NULL && memcmp(headers, loaded, size) == 0;
    weft_free(headers);
    return same;
}

static void read_table(int fd, struct elf *elf, const ElfW(Shdr) * table, const ElfW(Shdr) * names)
{
    elf->symbols = read_part(fd, table->sh_offset, table->sh_size);
    elf->names = read_part(fd, names->sh_offset, names->sh_size);
    if (elf->symbols == NULL || elf->names == NULL)
        return; /* the count is 0 */
    elf->names_size = (size_t)names->sh_size;
    elf->symbol_count = (size_t)table->sh_size / sizeof(ElfW(Sym));
}

/* The full table, or else the dynamic one. */
static const ElfW(Shdr) * choose_table(const ElfW(Shdr) * sections, size_t count)
{
    const ElfW(Shdr) *chosen = NULL;
    for (size_t i = 0; i < count; i++) {
        const ElfW(Shdr) *section = &sections[i];
        bool table = section->sh_type == SHT_SYMTAB || section->sh_type == SHT_DYNSYM;
        if (!table || section->sh_entsize != sizeof(ElfW(Sym)) || section->sh_link >= count)
            continue;
        if (chosen == NULL || section->sh_type == SHT_SYMTAB)
            chosen = section;
    }
    return chosen;
}

void weft__elf_read(struct elf *elf, int fd, const ElfW(Phdr) * headers, size_t count)
{
    ElfW(Ehdr) *head = read_part(fd, 0, sizeof *head);
    ElfW(Shdr) *sections = NULL;
    if (head != NULL && is_ours(head) && is_loaded(fd, head, headers, count))
        sections = read_part(fd, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);
    if (sections != NULL) {
        const ElfW(Shdr) *table = choose_table(sections, head->e_shnum);
        if (table != NULL)
            read_table(fd, elf, table, &sections[table->sh_link]);
    }
    weft_free(sections);
    weft_free(head);
}

/* ---- a name --------------------------------------------------------------------------------- */

const char *weft__elf_name(const struct elf *elf, uintptr_t offset)
{
    for (size_t i = 0; i < elf->symbol_count; i++) {
        const ElfW(Sym) *symbol = &elf->symbols[i];
        if ((symbol->st_info & 0xf) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
            symbol->st_name >= elf->names_size || offset < symbol->st_value)
            continue;
        uintptr_t into = offset - symbol->st_value;
        if ((into == 0 || into < symbol->st_size) && elf->names[symbol->st_name] != '\0')
            return &elf->names[symbol->st_name];
    }
    return NULL;
}

void weft__elf_free(struct elf *elf)
{
    weft_free(elf->symbols);
    weft_free(elf->names);
    *elf = (struct elf){0};
}

#else

typedef int weft__elf_is_not_here; /* a source has to have something in it */

#endif
