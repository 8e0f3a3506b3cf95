/* An open folder, and what is read from it: system calls only. See folder_linux.c. */
#ifndef WEFT_FILES_FOLDER_H
#define WEFT_FILES_FOLDER_H

#include "weft/file.h"
#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Zero is not open. */
struct folder {
    int fd; /* to open others below it; valid while open */
    bool open;
    DIR *dir_; /* where entries are not read from fd itself */
};

/* Entries that were read and not looked at yet. data has room for FOLDER_PAGE bytes; zero the rest when
 * another folder is read. */
enum { FOLDER_PAGE = 32 * 1024 };
struct folder_page {
    char *data;
    size_t size, at;
};

struct folder_entry {
    const char *name; /* never "." or ".."; valid until the next call for its page */
    size_t size;
    enum weft_file_kind kind; /* WEFT_KIND_UNKNOWN: the file system did not say */
};

/* Open what name leads to, from the folder at (AT_FDCWD: the working directory). follow: the last name
 * may be a symbolic link. 0 or a negative status. */
int weft__folder_open(struct folder *folder, int at, const char *name, bool follow);
/* The same for a path of any length. Without follow no name on the way may be a link, where the system
 * can see to that. */
int weft__folder_open_below(struct folder *folder, int at, const char *path, bool follow);
/* The same for what is no folder, or may be none: a descriptor or a negative status. */
int weft__path_open(int at, const char *path, int flags, bool follow);
/* Takes one that is not open, too. */
void weft__folder_close(struct folder *folder);

/* The next entry of what is in page already. */
bool weft__folder_next(struct folder_page *page, struct folder_entry *entry);
/* When there is none: read on. 1: there may be some now; 0: that was all; a negative status. */
int weft__folder_read(struct folder *folder, struct folder_page *page);

/* Of what kind name is, by asking; with follow, what it leads to. A negative status. */
int weft__folder_kind(const struct folder *folder, const char *name, bool follow);

#endif
