/* The table of well-formed UTF-8 (Unicode, table 3-7): the first byte says how many follow, and in
 * which range the second one has to be; so overlong forms, surrogates and what lies beyond the end
 * of Unicode are never read. */
#include "trace/utf8.h"
#include <string.h>

size_t utf8_write(uint32_t code, char bytes[UTF8_MAX])
{
    if (code < 0x80) {
        bytes[0] = (char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    bytes[0] = (char)((0xf00u >> size & 0xf0) | code);
    return size;
}

static enum utf8_step begin(struct utf8_state *state, unsigned char byte)
{
    state->least = 0x80;
    state->most = 0xbf;
    if (byte < 0x80) {
        state->code = byte;
        return UTF8_DONE;
    }
    if (byte < 0xc2 || byte > 0xf4)
        return UTF8_BROKEN;
    state->left = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    state->code = byte & (0x3fu >> state->left);
    if (byte == 0xe0)
        state->least = 0xa0;
    if (byte == 0xed)
        state->most = 0x9f;
    if (byte == 0xf0)
        state->least = 0x90;
    if (byte == 0xf4)
        state->most = 0x8f;
    return UTF8_MORE;
}

enum utf8_step utf8_step(struct utf8_state *state, unsigned char byte)
{
    if (state->left == 0)
        return begin(state, byte);
    if (byte < state->least || byte > state->most)
        return UTF8_BROKEN_BEFORE;
    state->code = state->code << 6 | (byte & 0x3f);
    state->least = 0x80;
    state->most = 0xbf;
    return --state->left == 0 ? UTF8_DONE : UTF8_MORE;
}

bool utf8_is_text(struct weft_text text)
{
    struct utf8_state state = {0};
    for (size_t i = 0; i < text.size; i++) {
        enum utf8_step step = utf8_step(&state, (unsigned char)text.data[i]);
        if (step == UTF8_BROKEN || step == UTF8_BROKEN_BEFORE)
            return false;
        if (step == UTF8_DONE)
            state = (struct utf8_state){0};
    }
    return state.left == 0;
}

bool utf8_is_harmless(uint32_t code)
{
    if (code < 0x20 || (code >= 0x7f && code < 0xa0))
        return false;
    if (code == 0x61c || code == 0x200e || code == 0x200f || code == 0xfeff)
        return false;
    return !(code >= 0x2028 && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069);
}

/* Character by character: a control may have two bytes, and a byte that is no text may be one on its own. */
size_t utf8_make_harmless(char *text, size_t size, bool tabs)
{
    struct utf8_state state = {0};
    size_t from = 0, at = 0, left = 0;
    while (at < size) {
        enum utf8_step step = utf8_step(&state, (unsigned char)text[at]);
        if (step != UTF8_BROKEN_BEFORE)
            at++;
        if (step == UTF8_MORE && at < size)
            continue;
        bool harmless =
            step == UTF8_DONE && (utf8_is_harmless(state.code) || (tabs && state.code == '\t'));
        if (harmless)
            memmove(text + left, text + from, at - from);
        else
            text[left] = '?';
        left += harmless ? at - from : 1;
        state = (struct utf8_state){0};
        from = at;
    }
    return left;
}
