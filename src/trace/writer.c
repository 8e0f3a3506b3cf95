/* From rings to a file: the story is read, and told in the form that the file's name asks for. The
 * file appears at its place when it is complete. */
#include "writer.h"
#include "forms.h"
#include "io/file_replace.h"
#include "ring.h"
#include "weft/alloc.h"

static weft__form_fn *form_of(const char *path)
{
    size_t length = strlen(path);
    bool folded = length >= 7 && strcmp(path + length - 7, ".folded") == 0;
    return folded ? weft__write_folded : weft__write_events;
}

static int tell(struct weft_out *out, weft__form_fn *form)
{
    struct story story;
    struct symbols symbols = {0};
    int status = weft__story_read(&story, &weft__tape);
    if (status == 0)
        status = form(out, &story, &symbols);
    weft__symbols_free(&symbols);
    weft__story_free(&story);
    int written = weft__out_flush(out);
    return status != 0 ? status : written;
}

int weft__trace_write(const char *path)
{
    struct replace replace;
    struct weft_out *out = weft_calloc(1, sizeof *out);
    if (out == NULL)
        return UV_ENOMEM;
    int status = weft__replace_look(&replace, path);
    if (status == 0)
        status = weft__replace_open(&replace, 0666, false);
    if (status == 0) {
        out->fd = replace.fd;
        status = weft__replace_close(&replace, tell(out, form_of(path)), NULL);
    }
    weft_free(out);
    return status;
}
