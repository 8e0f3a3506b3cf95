/* A list of file names: each file is read whole, cut where it stands, and pointed into. */
#include "files/names.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>
#include <weft/alloc.h>

struct files_text {
    struct files_text *next;
    char bytes[];
};

enum { FIRST_ROOM = 64 * 1024, FIRST_NAMES = 256 };

int files_names_add(struct files_names *list, const char *name)
{
    if (list->count + 1 >= list->names_room_) {
        size_t room = list->names_room_ != 0 ? 2 * list->names_room_ : FIRST_NAMES;
        const char **names = weft_realloc(list->names, room * sizeof *names);
        if (names == NULL)
            return UV_ENOMEM;
        list->names = names;
        list->names_room_ = room;
    }
    list->names[list->count++] = name;
    list->names[list->count] = NULL;
    return 0;
}

/* Room for twice as many bytes as there was for. */
static int grow(struct files_text **text, size_t *room)
{
    if (*room >= FILES_NAMES_MAX)
        return UV_EFBIG;
    size_t more = *room != 0 ? 2 * *room : FIRST_ROOM;
    struct files_text *larger = weft_realloc(*text, sizeof *larger + more);
    if (larger == NULL)
        return UV_ENOMEM;
    *text = larger;
    *room = more;
    return 0;
}

/* All of fd, and a NUL behind it. After an error, too, *text is the caller's. */
static int read_text(struct files_text **text, int fd, size_t *size)
{
    size_t room = 0;
    for (*size = 0;;) {
        int err = *size + 1 >= room ? grow(text, &room) : 0;
        if (err != 0)
            return err;
        char *bytes = (*text)->bytes;
        ssize_t got = read(fd, bytes + *size, room - *size - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return uv_translate_sys_error(errno);
        *size += (size_t)got;
        bytes[*size] = '\0';
        if (got == 0)
            return 0;
    }
}

static int cut(struct files_names *list, char *bytes, size_t size, char end)
{
    if (end != '\0' && strlen(bytes) != size)
        return UV_EILSEQ;
    for (char *name = bytes, *behind = name + size; name < behind;) {
        char *stop = memchr(name, end, (size_t)(behind - name));
        if (stop == NULL)
            stop = behind;
        *stop = '\0';
        int err = stop != name ? files_names_add(list, name) : 0;
        if (err != 0)
            return err;
        name = stop + 1;
    }
    return 0;
}

int files_names_read(struct files_names *list, const char *path, char end)
{
    size_t size;
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return uv_translate_sys_error(errno);
    struct files_text *text = NULL;
    int status = read_text(&text, fd, &size);
    if (!standard)
        close(fd);
    if (status != 0) {
        weft_free(text);
        return status;
    }
    text->next = list->texts_;
    list->texts_ = text;
    return cut(list, text->bytes, size, end);
}

void files_names_free(struct files_names *list)
{
    weft_free(list->names);
    for (struct files_text *text = list->texts_, *next; text != NULL; text = next) {
        next = text->next;
        weft_free(text);
    }
    *list = (struct files_names){0};
}
