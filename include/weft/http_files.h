/* weft/http_files.h: answer requests from a folder: types, conditions, ranges, listings.
 *
 *     struct page { struct weft_http_request request; struct weft_http_file file; };
 *     static struct weft_http_files site = {.listing = true};
 *
 *     static void handler(struct weft_op *op)
 *     {
 *         struct page *page = weft_owner(op, struct page, request.op);
 *         weft_http_file(op, &page->file, &site, &page->request, page->request.head.path, NULL);
 *     }
 *     ...
 *     int err = weft_http_files_open(&site, "/srv/www");
 *     struct weft_http_server server = {.handler = handler, .request_size = sizeof(struct page)};
 *
 * Nothing outside of the folder is ever served, whatever the path says and whatever links are in
 * the folder, also while somebody moves things about in it. What lies in the page cache is answered
 * at once, in the loop's thread; what does not is fetched by the thread pool.
 *
 * What is asked for is opened before it is looked at: a request for a named pipe in the folder is
 * refused, but lets go on whoever waits to write to it, and what is written then is lost. So keep
 * pipes that are in use out of it.
 *
 * Hidden are names, not what they stand for: a link with a name that is not hidden is listed and
 * followed as links say, also to a name that is. */
#ifndef WEFT_HTTP_FILES_H
#define WEFT_HTTP_FILES_H

#include "http_server.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which symbolic links below the folder are followed. */
enum weft_http_links {
    WEFT_HTTP_LINKS_INSIDE, /* those that do not lead out of it; an absolute one always does */
    WEFT_HTTP_LINKS_NONE,
    WEFT_HTTP_LINKS_ALL /* wherever they lead: everything they reach is public */
};

enum {
    WEFT_HTTP_FILES_LISTED = 10000,        /* entries on a listing */
    WEFT_HTTP_FILES_PIECE = 128 * 1024,    /* bytes: larger answers are read and written in these */
    WEFT_HTTP_FILES_PAGE = 4 * 1024 * 1024 /* bytes of a listing */
};

/* A folder and how to serve from it. Zero it, set what you like, open it; from then on it is only
 * read, so that any number of requests, on any number of loops and threads, may share it. */
struct weft_http_files {
    /* Set before weft_http_files_open; the texts must stay. 0 and NULL are the defaults. */
    const char *const *index; /* names to look for in a folder, NULL behind the last one; NULL:
                                    "index.html" */
    bool listing;             /* a folder without an index is listed; otherwise 403 */
    size_t listed_max;        /* entries on a listing, then a note; 0: WEFT_HTTP_FILES_LISTED */
    enum weft_http_links links;
    bool hidden;                 /* serve and list names that begin with '.'; otherwise 404 */
    bool precompressed;          /* to clients that take it, name.br or name.gz instead of name, if
                                    it is not older and is smaller */
    const char *cache_control;   /* value of Cache-Control; NULL: there is none */
    const char *type_by_default; /* for names whose ending says nothing; NULL: bytes */

    int root_;
    bool open_, walk_, in_memory_, slow_;
    uint64_t device_;
};

/* Open the folder at root, once and for all: it may be moved afterwards. This looks at the disk and
 * does so in the calling thread: do it before the loop runs.
 * UV_EINVAL: an argument is NULL or empty, an option makes no sense (an unknown links, a name in
 * index with a '/', a text that cannot be a field's value). UV_EALREADY: it is open. UV_ENOENT,
 * UV_ENOTDIR, UV_EACCES, UV_EMFILE and others of open; then it is as before. */
WEFT_API int weft_http_files_open(struct weft_http_files *files, const char *root);

/* When no request uses it any more. Safe on one that is not open, and a second time. */
WEFT_API void weft_http_files_close(struct weft_http_files *files);

/* Answer request with what lies at path below the folder. parent is request->op, or below it. path
 * is that of the request as it was sent, or what a prefix has left of it: not decoded; a '/' in
 * front may be missing, so "" is the folder itself. It points to what stays until the op is over,
 * as request->head.path does.
 *
 *   200, 206, 304, 412, 416  a file; by its conditions and ranges. GET and HEAD. The ETag is made
 *                 from size and time of change, weak while the file is younger than a second.
 *                 Several ranges are answered as multipart/byteranges.
 *   200           a folder (path ends with '/'): its index, as above, or a listing in HTML
 *   301           to path with a '/' behind it, if path has none and leads to a folder
 *   400           path is malformed: see weft_http_path_clean
 *   403           path would leave the folder, by ".." or by a link; a link that may not be
 *                 followed; no permission; neither file nor folder (a pipe, a device); a folder
 *                 without index that is not to be listed
 *   404           there is none, or it is hidden
 *   405           neither GET nor HEAD
 *   414           it would be a 301, but its Location, with the query, would be too long: 4,095
 *                 bytes, or what server.answer_head_max leaves
 *
 * Fields that were set before (weft_http_set) go out with it. The op's status is 0 if it has given
 * an answer, complete and of whatever kind: request->answered. Then request->op ends as well, as
 * after any answer. An error, so that with then == NULL the server answers for it (see
 * http_server.h):
 *   UV_EINVAL: an argument is NULL, files is not open. UV_EALREADY: the request has an answer.
 *   UV_ENOMEM, UV_EMFILE, UV_ENFILE, UV_EIO and others of the system. UV_ENOBUFS: the answer's head
 *   is too large.
 * After the answer was begun an error, or a cancel, cuts the connection by itself: that of
 * weft_http_write if the client is gone, UV_EIO if the file cannot be read on or has become shorter
 * meanwhile. A cancel waits for a thread that works for the op.
 *
 * While it runs it holds one descriptor and at most WEFT_HTTP_FILES_PIECE of memory and a bit,
 * however large the file is; a listing holds its page, which is at most WEFT_HTTP_FILES_PAGE and a
 * bit, and on the way to it the names. All of it is let go of before then runs. */
struct weft_http_file {
    struct weft_op op;
    const struct weft_http_files *files;
    struct weft_http_request *request;
    struct weft_text path;
    struct weft_http_job *job_;
    struct weft_http_write write_;
};
#define weft_http_file(parent, file, files, request, path, then)                                   \
    weft_http_file_at(WEFT_HERE("http_file", WEFT_HTTP), parent, file, files, request, path, then)
WEFT_API void weft_http_file_at(const struct weft_site *site, struct weft_op *parent,
                                struct weft_http_file *file, const struct weft_http_files *files,
                                struct weft_http_request *request, struct weft_text path,
                                weft_then_fn *then);
WEFT_API void weft_http_file_begin(struct weft_op *op);

#ifdef __cplusplus
}
#endif
#endif
