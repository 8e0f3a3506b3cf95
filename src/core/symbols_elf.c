/* The functions of the program and its libraries, where those are ELF files.
 *
 * Most callbacks are static functions. The dynamic linker does not know those: they stand in the
 * full table, which is in the file only (symbols_table.c). So the file of a module is opened when a function in
 * it is asked for first. It is not sure that the file is still the one that was loaded; it is taken
 * if its program headers are those in memory. A function that is in no table may be known to dladdr,
 * and else it is the module's name and the offset in it. */
#include "symbols.h"

#ifdef __linux__
#include "symbols_table.h"
#include "io/file.h"
#include "weft/alloc.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct module {
    uintptr_t base;
    ElfW(Phdr) * headers; /* a copy: the module may be unloaded */
    size_t header_count;
    char path[512];
    bool looked; /* for its table */
    struct elf table;
};

struct weft_modules {
    struct module *all;
    size_t count;
    bool failed;
};

/* ---- what is loaded ------------------------------------------------------------------------- */

static int add_module(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct weft_modules *modules = context;
    struct module *all = weft__grown(modules->all, modules->count, sizeof *all);
    if (all == NULL) {
        modules->failed = true;
        return 1;
    }
    modules->all = all;
    size_t headers_size = info->dlpi_phnum * sizeof *info->dlpi_phdr;
    struct module *module = &all[modules->count];
    *module = (struct module){.base = (uintptr_t)info->dlpi_addr,
                              .headers = weft_alloc(headers_size),
                              .header_count = info->dlpi_phnum};
    if (module->headers == NULL) {
        modules->failed = true;
        return 1;
    }
    memcpy(module->headers, info->dlpi_phdr, headers_size);
    bool program = info->dlpi_name == NULL || info->dlpi_name[0] == '\0';
    snprintf(module->path, sizeof module->path, "%s",
             program && modules->count == 0 ? "/proc/self/exe" : info->dlpi_name);
    modules->count++;
    return 0;
}

static struct weft_modules *find_modules(void)
{
    struct weft_modules *modules = weft_calloc(1, sizeof *modules);
    if (modules == NULL)
        return NULL;
    dl_iterate_phdr(add_module, modules);
    if (!modules->failed)
        return modules;
    weft__modules_free(modules);
    return NULL;
}

void weft__modules_free(struct weft_modules *modules)
{
    if (modules == NULL)
        return;
    for (size_t i = 0; i < modules->count; i++) {
        weft_free(modules->all[i].headers);
        weft__elf_free(&modules->all[i].table);
    }
    weft_free(modules->all);
    weft_free(modules);
}

static bool contains(const struct module *module, uintptr_t address)
{
    for (size_t i = 0; i < module->header_count; i++) {
        const ElfW(Phdr) *header = &module->headers[i];
        if (header->p_type == PT_LOAD && address - module->base >= header->p_vaddr &&
            address - module->base - header->p_vaddr < header->p_memsz)
            return true;
    }
    return false;
}

/* ---- a name --------------------------------------------------------------------------------- */

static void look_into(struct module *module)
{
    module->looked = true;
    int fd = weft__file_open(module->path, O_RDONLY, 0);
    if (fd < 0)
        return;
    weft__elf_read(&module->table, fd, module->headers, module->header_count);
    close(fd);
}

static void name_by_offset(const struct module *module, uintptr_t address, char *text, size_t size)
{
    const char *slash = strrchr(module->path, '/');
    snprintf(text, size, "%.80s+0x%" PRIxPTR, slash != NULL ? slash + 1 : module->path,
             address - module->base);
}

bool weft__symbol_find(struct symbols *symbols, uintptr_t address, char *text, size_t size)
{
    if (symbols->modules == NULL)
        symbols->modules = find_modules();
    struct weft_modules *modules = symbols->modules;
    struct module *module = NULL;
    for (size_t i = 0; modules != NULL && module == NULL && i < modules->count; i++) {
        if (contains(&modules->all[i], address))
            module = &modules->all[i];
    }
    if (module == NULL)
        return false;
    if (!module->looked)
        look_into(module);
    const char *name = weft__elf_name(&module->table, address - module->base);
    Dl_info info = {0};
    if (name == NULL && dladdr((void *)address, &info) != 0 && info.dli_saddr == (void *)address)
        name = info.dli_sname;
    if (name != NULL)
        snprintf(text, size, "%s", name);
    else
        name_by_offset(module, address, text, size);
    return true;
}

#else

bool weft__symbol_find(struct symbols *symbols, uintptr_t address, char *text, size_t size)
{
    (void)symbols;
    (void)address;
    (void)text;
    (void)size;
    return false;
}

void weft__modules_free(struct weft_modules *modules)
{
    (void)modules;
}

#endif
