/* Where a function is, told in a signal handler: program+0x1234, which addr2line takes.
 *
 * Names are looked up in files and by the dynamic linker, with its lock; a handler may do neither.
 * So what is loaded is written down before, when a dump is asked for. What is loaded later is told by
 * its bare address. */
#include "report.h"

#ifdef __linux__
#include "weft/alloc.h"
#include <link.h>
#include <string.h>
#include <unistd.h>

struct span {
    uintptr_t first, size, base;
    char module[64];
};

struct weft_code {
    size_t count, room;
    struct span spans[];
};

static bool is_code(const ElfW(Phdr) * header)
{
    return header->p_type == PT_LOAD && header->p_flags & PF_X;
}

static int count_spans(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        *(size_t *)count += is_code(&info->dlpi_phdr[i]);
    return 0;
}

/* The file's name without its folder. The program itself has none there. */
/* NOLINTNEXTLINE(readability-non-const-parameter): it is written to, by words */
static void name_module(const char *path, char *name, size_t room)
{
    char program[1024];
    if (path == NULL || path[0] == '\0') {
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        program[length > 0 ? length : 0] = '\0';
        path = length > 0 ? program : "program";
    }
    const char *slash = strrchr(path, '/');
    struct weft_words words = {name, room, 0, NULL, -1};
    weft__say(&words, slash != NULL ? slash + 1 : path);
}

static int note_spans(struct dl_phdr_info *info, size_t size, void *context)
{
    struct weft_code *code = context;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum && code->count < code->room; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (!is_code(header))
            continue;
        struct span *span = &code->spans[code->count++];
        span->base = (uintptr_t)info->dlpi_addr;
        span->first = span->base + header->p_vaddr;
        span->size = header->p_memsz;
        name_module(info->dlpi_name, span->module, sizeof span->module);
    }
    return 0;
}

struct weft_code *weft__code_look(void)
{
    size_t room = 0;
    dl_iterate_phdr(count_spans, &room);
    struct weft_code *code = weft_calloc(1, sizeof *code + room * sizeof code->spans[0]);
    if (code == NULL)
        return NULL;
    code->room = room;
    dl_iterate_phdr(note_spans, code);
    return code;
}

void weft__say_code(struct weft_words *words, const struct weft_code *code, weft_entry_fn *function)
{
    uintptr_t address = (uintptr_t)function;
    for (size_t i = 0; code != NULL && i < code->count; i++) {
        const struct span *span = &code->spans[i];
        if (address - span->first >= span->size)
            continue;
        weft__say(words, span->module);
        weft__say(words, "+");
        weft__say_hex(words, address - span->base);
        return;
    }
    weft__say_hex(words, address);
}

#else

struct weft_code *weft__code_look(void)
{
    return NULL;
}

void weft__say_code(struct weft_words *words, const struct weft_code *code, weft_entry_fn *function)
{
    (void)code;
    weft__say_hex(words, (uintptr_t)function);
}

#endif
