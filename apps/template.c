/* Filling a template: one walk over the frame, from mark to mark. */
#include "template.h"

static const struct embedded *find_file(const struct embedded *file, struct weft_text name)
{
    while (file->name != NULL && !weft_text_is(name, file->name))
        file++;
    return file->name != NULL ? file : NULL;
}

void template_write(struct out *out, const struct embedded *files, const char *frame,
                    template_part_fn *part, const void *context)
{
    const char *at = find_file(files, weft_text_of(frame))->data, *mark, *end;
    while ((mark = strstr(at, "{{")) != NULL && (end = strstr(mark, "}}")) != NULL) {
        struct weft_text name = weft_text(mark + 2, (size_t)(end - mark - 2));
        const struct embedded *file = find_file(files, name);
        out_text(out, weft_text(at, (size_t)(mark - at)));
        if (file != NULL)
            out_text(out, weft_text(file->data, file->size));
        else
            part(context, name, out);
        at = end + 2;
    }
    out_string(out, at);
}
