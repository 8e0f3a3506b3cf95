/* The inside of saving, shared by its files. All of it runs on threads of the pool. */
#ifndef WEFT_APPS_SPIDER_SAVE_INSIDE_H
#define WEFT_APPS_SPIDER_SAVE_INSIDE_H

#include "spider/save.h"
#include <errno.h>

static inline int save_error(void)
{
    return uv_translate_sys_error(errno);
}

/* ---- save_linux.c --------------------------------------------------------------------------- */

/* openat2: the folder at path below root, no symlink on the way. UV_ENOSYS: there is no openat2. */
int save_openat2(int root, const char *path);

/* A file without a name on the file system of folder, which is gone when it is closed; an error: there is no
 * such thing there. */
int save_nameless(int folder);
/* Give it a name in folder. UV_EEXIST: somebody has it. by_proc: by way of /proc, which is left to those whom
 * the kernel does not let do it by the descriptor (UV_ENOENT). */
int save_name_it(int fd, int folder, const char *name, bool by_proc);

/* ---- save_place.c: the folder that a page is in --------------------------------------------- */

struct save_place {
    int fd;                 /* of the folder */
    const char *last;       /* the page's name in it: the end of name */
    struct save_held *held; /* where fd is kept for the next one; NULL: nowhere */
};

/* Is it a name as name.h makes them? */
bool save_name_ok(const char *name);

/* The folder path of size bytes below root, and make: make what is not there. Walks by hand. */
int save_walk(int root, const char *path, size_t size, bool make);

/* Enter the folder that name is in, as it is now. */
int save_place_find(struct save_folder *folder, const char *name, struct save_place *place);
/* The same, but make it if it is not there; unless fresh, it may be one that was entered a moment
 * ago and was moved or removed since. */
int save_place_make(struct save_folder *folder, const char *name, bool fresh,
                    struct save_place *place);
/* Whoever has entered leaves. */
void save_place_leave(struct save_folder *folder, const struct save_place *place);
/* Close what is held; nobody is in any of it. */
void save_place_forget(struct save_folder *folder);

/* ---- save_temp.c: a temporary file ---------------------------------------------------------- */

struct save_temp {
    struct save_folder *folder;
    int fd;
    uint64_t number; /* its name in .weft/tmp; 0: it has none */
};

/* Whatever comes after a successful open, it ends with save_temp_place or save_temp_drop. */
int save_temp_open(struct save_temp *temp, struct save_folder *folder);
/* work: looked at now and then, because a cancel may come. */
int save_temp_write(struct save_temp *temp, const void *data, size_t size,
                    const struct weft_work *work);
/* Make it the page of this name; after an error it is gone. */
int save_temp_place(struct save_temp *temp, const char *name, int64_t modified,
                    const struct weft_work *work);
void save_temp_drop(struct save_temp *temp);
/* Can files be made without a name, and get one? */
bool save_temp_nameless(struct save_folder *folder);
/* Remove what others have left behind in .weft/tmp. */
int save_temp_sweep(struct save_folder *folder);

#endif
