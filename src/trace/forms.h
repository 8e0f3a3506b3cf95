/* The forms in which a story can be told. */
#ifndef WEFT_TRACE_FORMS_H
#define WEFT_TRACE_FORMS_H

#include "out.h"
#include "story.h"
#include "core/symbols.h"

/* 0 or UV_ENOMEM; errors of the file are out's. */
typedef int weft__form_fn(struct weft_out *out, const struct story *story, struct symbols *symbols);

int weft__write_events(struct weft_out *out, const struct story *story, struct symbols *symbols);
int weft__write_folded(struct weft_out *out, const struct story *story, struct symbols *symbols);

#endif
