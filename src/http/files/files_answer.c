/* Answering a request from a folder.
 *
 *     begin ──► find ──► answer ──► write ──► fill ──► write ──► … ──► end
 *                 ╎                             ╎
 *                 ╎ not cached                  ╎ not cached
 *                 └─► pool ─►                   └─► pool ─►
 *
 * All the work on the disk is steps of a job (files.h). A step is tried here first, with what the
 * kernel has at hand; only if that does not suffice it goes to the pool, and comes back to the same
 * place. So a file that lies in the page cache costs open, stat, read, one write for head and body,
 * and close, and no other thread is woken for it.
 *
 * One buffer a request: it is filled again when its bytes are with the kernel, so a client that
 * reads slowly holds one piece of memory, however large the file is.
 *
 * Invariants: the op has either a write or a visit to the pool under way, never both, never none.
 * The job, with its descriptor and its buffer, is let go of before the op finishes; so nothing is
 * left when its then runs. Once the answer has begun this op brings it to its end: complete, or cut
 * off, which is what weft_http_end does to a body that is shorter than was promised. The op
 * finishes before it answers or ends the answer: the request would cancel it otherwise. */
#include "files.h"
#include "http/server/server.h"
#include "weft/alloc.h"
#include "weft/loop.h"
#include <stdio.h>
#include <unistd.h>

enum { ENDING_SIZE = 4, LOCATION_SIZE = 4096 }; /* ".br", ".gz" */

static void go_on(struct weft_http_job *job, int status);

/* ---- the end -------------------------------------------------------------------------------- */

static void free_job(struct weft_http_job *job)
{
    if (job->found.fd >= 0)
        close(job->found.fd);
    if (job->pooled && job->buffer != NULL)
        weft__http_put_buffer(job->file->request->server->pool_, job->buffer);
    else
        weft_free(job->buffer);
    weft_free(job);
}

static void finish(struct weft_http_job *job, int status)
{
    struct weft_http_file *file = job->file;
    struct weft_http_request *request = file->request;
    bool started = job->started;
    file->job_ = NULL;
    free_job(job);
    weft_finish(&file->op, status);
    if (started)
        weft_http_end(request);
}

/* An answer without a body of ours. */
static void finish_with(struct weft_http_file *file, int answer)
{
    struct weft_http_request *request = file->request;
    weft_finish(&file->op, 0);
    if (answer == 304)
        weft_http_answer(request, answer, NULL, NULL, 0);
    else
        weft_http_answerf(request, answer, "text/plain; charset=utf-8", "%d %s\n", answer,
                          weft_http_reason(answer));
}

/* ---- fields --------------------------------------------------------------------------------- */

/* Relative, so that it is right below any prefix, and never leads to "//elsewhere/". */
static int set_location(struct weft_http_job *job)
{
    char name[3 * 255 + 1], location[LOCATION_SIZE];
    struct weft_text segment = job->path, query = job->head->query;
    for (size_t i = 0; i < job->path.size; i++) {
        if (job->path.data[i] == '/')
            segment = weft_text(job->path.data + i + 1, job->path.size - i - 1);
    }
    int err = weft_http_percent_encode(segment, WEFT_HTTP_ESCAPE_SEGMENT, name, sizeof name, NULL);
    if (err != 0)
        return err;
    int size = snprintf(location, sizeof location, "./%s/%s%.*s", name,
                        query.data != NULL ? "?" : "", WEFT_TEXT_ARGS(query));
    if (size < 0 || (size_t)size >= sizeof location)
        return UV_ENOBUFS;
    return weft_http_set(job->file->request, "Location", location);
}

/* A query that there is no room for is the client's fault, not that of the server. */
static int set_redirect(struct weft_http_job *job)
{
    int err = set_location(job);
    if (err != UV_ENOBUFS)
        return err;
    job->found.answer = 414;
    return 0;
}

static int set_content_range(struct weft_http_job *job)
{
    char text[WEFT_HTTP_CONTENT_RANGE_SIZE];
    const struct weft_http_range *range = &job->parts.ranges.range[0];
    weft_http_content_range_format(text, job->found.answer == 416 ? NULL : range, job->found.size);
    return weft_http_set(job->file->request, "Content-Range", text);
}

static int set_listing_fields(struct weft_http_request *request)
{
    int err = weft_http_set(request, "Content-Security-Policy", weft__http_page_policy);
    return err != 0 ? err : weft_http_set(request, "Cache-Control", "no-cache");
}

static int set_file_fields(struct weft_http_job *job)
{
    struct weft_http_request *request = job->file->request;
    const struct weft_http_files *files = job->files;
    const struct http_found *found = &job->found;
    char date[WEFT_HTTP_DATE_SIZE];
    int err = weft_http_set(request, "ETag", found->etag);
    if (err == 0 && weft_http_date_format(date, found->modified) == 0)
        err = weft_http_set(request, "Last-Modified", date);
    if (err == 0)
        err = weft_http_set(request, "Accept-Ranges", "bytes");
    if (err == 0 && files->cache_control != NULL)
        err = weft_http_set(request, "Cache-Control", files->cache_control);
    if (err == 0 && files->precompressed)
        err = weft_http_set(request, "Vary", "Accept-Encoding");
    if (err == 0 && found->encoding != NULL && found->answer < 300)
        err = weft_http_set(request, "Content-Encoding", found->encoding);
    if (err == 0 && (found->answer == 416 || (found->answer == 206 && !job->parts.boundary[0])))
        err = set_content_range(job);
    return err;
}

static int set_fields(struct weft_http_job *job)
{
    int err = weft_http_set(job->file->request, "X-Content-Type-Options", "nosniff");
    if (err != 0)
        return err;
    if (job->found.answer == 301)
        return set_redirect(job);
    if (job->found.list)
        return set_listing_fields(job->file->request);
    return job->found.etag[0] != '\0' ? set_file_fields(job) : 0;
}

/* ---- the body ------------------------------------------------------------------------------- */

/* Do a step: here if that needs no waiting, otherwise on the pool. */
static void do_step(struct weft_http_job *job);

static void written(struct weft_op *op, struct weft_op *write)
{
    struct weft_http_job *job = weft_owner(op, struct weft_http_file, op)->job_;
    int status = write->status != 0 ? write->status : weft_cancelled(op);
    job->size = 0;
    if (status != 0 || weft__http_parts_over(job))
        finish(job, status);
    else
        do_step(job);
}

static void send_piece(struct weft_http_job *job)
{
    struct weft_http_file *file = job->file;
    weft_http_write(&file->op, &file->write_, file->request, job->buffer, job->size, written);
}

static int start(struct weft_http_job *job)
{
    char type[sizeof "multipart/byteranges; boundary=" + sizeof job->parts.boundary];
    const char *its_type = job->found.type;
    if (job->parts.boundary[0] != '\0') {
        snprintf(type, sizeof type, "multipart/byteranges; boundary=%s", job->parts.boundary);
        its_type = type;
    }
    return weft_http_start(job->file->request, job->found.answer, its_type,
                           job->found.list ? job->size : job->parts.total);
}

/* ---- here and on the pool ------------------------------------------------------------------- */

static void answer(struct weft_http_job *job)
{
    struct weft_http_file *file = job->file;
    int err = set_fields(job);
    if (err == 0 && job->found.answer != 200 && job->found.answer != 206) {
        int plain = job->found.answer;
        file->job_ = NULL;
        free_job(job);
        finish_with(file, plain);
        return;
    }
    if (err == 0)
        err = start(job);
    job->started = err == 0;
    if (err != 0 || job->size == 0) /* HEAD, or nothing in it */
        finish(job, err);
    else
        send_piece(job);
}

/* A step is over. */
static void go_on(struct weft_http_job *job, int status)
{
    if (status != 0)
        finish(job, status);
    else if (job->started)
        send_piece(job);
    else
        answer(job);
}

static void on_the_pool(uv_work_t *work)
{
    struct weft_http_job *job = weft_owner(work, struct weft_http_job, work);
    job->status = job->step(job, false);
}

static void back(uv_work_t *work, int err)
{
    struct weft_http_job *job = weft_owner(work, struct weft_http_job, work);
    struct weft_op *op = &job->file->op;
    int reason = weft_cancelled(op);
    weft_on_cancel(op, NULL);
    if (reason != 0)
        finish(job, reason);
    else
        go_on(job, err != 0 ? err : job->status);
}

/* The thread has the buffer, which is the op's: it is waited for, if it has begun. */
static void cancel(struct weft_op *op, int reason)
{
    struct weft_http_job *job = weft_owner(op, struct weft_http_file, op)->job_;
    (void)reason;
    atomic_store_explicit(&job->stop, true, memory_order_relaxed);
    uv_cancel((uv_req_t *)&job->work);
}

static void do_step(struct weft_http_job *job)
{
    struct weft_op *op = &job->file->op;
    int status = job->step(job, true);
    if (status != UV_EAGAIN) {
        go_on(job, status);
        return;
    }
    status = uv_queue_work(weft_loop_of(op)->uv, &job->work, on_the_pool, back);
    if (status != 0)
        finish(job, status);
    else
        weft_on_cancel(op, cancel);
}

/* ---- the beginning -------------------------------------------------------------------------- */

static size_t longest_index(const struct weft_http_files *files)
{
    size_t longest = sizeof "index.html";
    for (const char *const *index = files->index; index != NULL && *index != NULL; index++) {
        size_t length = strlen(*index) + 1;
        longest = length > longest ? length : longest;
    }
    return longest;
}

static struct weft_http_job *make_job(struct weft_http_file *file)
{
    size_t room = 2 * file->path.size + 3 + longest_index(file->files) + ENDING_SIZE;
    struct weft_http_job *job = weft_alloc(sizeof *job + room);
    if (job == NULL)
        return NULL;
    memset(job, 0, offsetof(struct weft_http_job, parts));
    job->file = file;
    job->files = file->files;
    job->head = &file->request->head;
    job->step = weft__http_find;
    job->found.fd = -1;
    job->buffer = NULL;
    job->pooled = false;
    job->room = job->size = 0;
    job->parts.length = 0;
    job->parts.boundary[0] = '\0';
    return job;
}

static bool is_hidden(struct weft_text path)
{
    for (size_t i = 0; i < path.size; i++) {
        if (path.data[i] == '.' && (i == 0 || path.data[i - 1] == '/'))
            return true;
    }
    return false;
}

/* What a prefix has left may have lost its '/': then it is put behind one, where there is room. */
static int clean(struct weft_http_job *job)
{
    struct weft_text path = job->file->path;
    size_t size = path.size + 2;
    if (path.size == 0 || path.data[0] != '/') {
        char *whole = job->path_room + size;
        whole[0] = '/';
        if (path.size > 0)
            memcpy(whole + 1, path.data, path.size);
        path = weft_text(whole, path.size + 1);
    }
    return weft_http_path_clean(path, job->path_room, size, &job->path);
}

/* What can be said without looking at the disk; 0: nothing. */
static int refusal(struct weft_http_job *job)
{
    if (!(job->head->method & (WEFT_HTTP_GET | WEFT_HTTP_HEAD)))
        return 405;
    switch (clean(job)) {
    case 0:
        return !job->files->hidden && is_hidden(job->path) ? 404 : 0;
    case UV_EACCES:
        return 403;
    case UV_ENAMETOOLONG:
        return 404;
    default:
        return 400;
    }
}

static int check(const struct weft_http_file *file)
{
    if (file->files == NULL || file->request == NULL || !file->files->open_)
        return UV_EINVAL;
    return file->request->answered != 0 ? UV_EALREADY : 0;
}

void weft_http_file_begin(struct weft_op *op)
{
    struct weft_http_file *file = weft_owner(op, struct weft_http_file, op);
    int err = check(file);
    file->job_ = err == 0 ? make_job(file) : NULL;
    if (err == 0 && file->job_ == NULL)
        err = UV_ENOMEM;
    if (err != 0) {
        weft_finish(op, err);
        return;
    }
    struct weft_http_job *job = file->job_;
    job->found.answer = refusal(job);
    if (job->found.answer == 405)
        err = weft_http_set(file->request, "Allow", "GET, HEAD");
    if (err != 0)
        finish(job, err);
    else if (job->found.answer != 0)
        answer(job);
    else
        do_step(job);
}

void weft_http_file_at(const struct weft_site *site, struct weft_op *parent,
                       struct weft_http_file *file, const struct weft_http_files *files,
                       struct weft_http_request *request, struct weft_text path, weft_then_fn *then)
{
    file->files = files;
    file->request = request;
    file->path = path;
    weft_run_at(site, parent, &file->op, weft_http_file_begin, then);
}
