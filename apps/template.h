/* apps/template.h: a text with holes, from files that the command carries with it.
 *
 * {{name}} in the frame stands for the file of that name, or for what the caller puts there. */
#ifndef WEFT_APPS_TEMPLATE_H
#define WEFT_APPS_TEMPLATE_H

#include "embedded.h"
#include "trace/output.h"

/* Put what name stands for; it is no file. */
typedef void template_part_fn(const void *context, struct weft_text name, struct out *out);

/* frame is the name of one of the files. Files have no holes of their own. */
void template_write(struct out *out, const struct embedded *files, const char *frame,
                    template_part_fn *part, const void *context);

#endif
