/* A pull parser: one call, one token.
 *
 * What may come next is one of five expectations, and a bit a level says whether that level is an
 * object; nothing else is kept of what was read. Bytes come through peek() and take(), which fetch
 * the next piece when the buffer is used up, so that a token may lie across two pieces without
 * anybody noticing. An error stays: the reader gives no more tokens after it. */
#include "trace/json.h"
#include "trace/utf8.h"
#include <uv.h>
#include <weft/alloc.h>

enum expect {
    EXPECT_VALUE,
    EXPECT_VALUE_OR_END, /* the first in an array */
    EXPECT_NAME_OR_END,  /* the first in an object */
    EXPECT_MORE_OR_END,  /* behind a value inside of something */
    EXPECT_NOTHING,      /* behind the one value */
    EXPECT_FAILED
};

enum { NO_BYTE = -1, NUMBER_MAX = 1024 };

/* ---- bytes ---------------------------------------------------------------------------------- */

/* What comes next begins here. */
static void mark_place(struct json_reader *reader)
{
    reader->offset = reader->before_ + reader->at_;
    reader->line = reader->lines_ + 1;
    reader->column = reader->offset - reader->line_begin_ + 1;
}

static enum json_token fail_with(struct json_reader *reader, const char *problem, int status)
{
    if (reader->expect_ == EXPECT_FAILED)
        return JSON_TOKEN_ERROR;
    mark_place(reader);
    reader->expect_ = EXPECT_FAILED;
    reader->problem = problem;
    reader->status = status;
    return JSON_TOKEN_ERROR;
}

/* What is wrong stands at the next byte; if there is none, the text was cut off. */
static enum json_token fail(struct json_reader *reader, const char *problem)
{
    if (reader->at_ == reader->end_)
        problem = "it ends too early: the file is cut off";
    return fail_with(reader, problem, UV_EINVAL);
}

static bool refill(struct json_reader *reader)
{
    if (reader->expect_ == EXPECT_FAILED)
        return false;
    int got = reader->fill_(reader->context_, reader->buffer_, JSON_PIECE);
    if (got < 0)
        fail_with(reader, "it cannot be read", got);
    if (got <= 0)
        return false;
    reader->before_ += reader->end_;
    reader->at_ = 0;
    reader->end_ = (size_t)got;
    return true;
}

static int peek(struct json_reader *reader)
{
    if (reader->at_ == reader->end_ && !refill(reader))
        return NO_BYTE;
    return (unsigned char)reader->buffer_[reader->at_];
}

/* Only behind a peek that found a byte. */
static void take(struct json_reader *reader)
{
    reader->at_++;
}

static bool take_if(struct json_reader *reader, int byte)
{
    if (peek(reader) != byte)
        return false;
    take(reader);
    return true;
}

static void skip_blanks(struct json_reader *reader)
{
    for (;;) {
        int byte = peek(reader);
        if (byte != ' ' && byte != '\n' && byte != '\r' && byte != '\t')
            return;
        take(reader);
        if (byte == '\n') {
            reader->lines_++;
            reader->line_begin_ = reader->before_ + reader->at_;
        }
    }
}

/* ---- texts ---------------------------------------------------------------------------------- */

/* Beyond JSON_TEXT_MAX nothing is kept; a character is kept whole or not at all. */
static void put(struct json_reader *reader, const char *bytes, size_t size)
{
    if (reader->size_ + size > JSON_TEXT_MAX)
        return;
    memcpy(reader->text_ + reader->size_, bytes, size);
    reader->size_ += size;
}

static void put_code(struct json_reader *reader, uint32_t code)
{
    char bytes[UTF8_MAX];
    put(reader, bytes, utf8_write(code, bytes));
}

/* The four digits of \uXXXX; false: they are not there. */
static bool read_hex(struct json_reader *reader, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        int byte = peek(reader);
        uint32_t digit;
        if (byte >= '0' && byte <= '9')
            digit = (uint32_t)(byte - '0');
        else if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f')
            digit = (uint32_t)((byte | 0x20) - 'a' + 10);
        else
            return false;
        take(reader);
        *code = *code << 4 | digit;
    }
    return true;
}

static bool is_high(uint32_t code)
{
    return code >= 0xd800 && code < 0xdc00;
}

static bool is_low(uint32_t code)
{
    return code >= 0xdc00 && code < 0xe000;
}

static bool read_simple_escape(struct json_reader *reader)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int byte = peek(reader);
    const char *found = byte > 0 ? strchr(from, byte) : NULL;
    if (found == NULL)
        return false;
    take(reader);
    put(reader, &to[found - from], 1);
    return true;
}

/* Behind a backslash. Two halves of a surrogate pair are one character; a half that finds no other
 * is U+FFFD, and the escape behind it counts for itself. */
static bool read_escape(struct json_reader *reader)
{
    uint32_t high = 0, code;
    for (;;) {
        if (!take_if(reader, 'u')) {
            if (high != 0)
                put_code(reader, UTF8_REPLACEMENT);
            return read_simple_escape(reader);
        }
        if (!read_hex(reader, &code))
            return false;
        if (high != 0 && is_low(code)) {
            put_code(reader, 0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00));
            return true;
        }
        if (high != 0)
            put_code(reader, UTF8_REPLACEMENT);
        if (!is_high(code)) {
            put_code(reader, is_low(code) ? UTF8_REPLACEMENT : code);
            return true;
        }
        high = code;
        if (!take_if(reader, '\\')) {
            put_code(reader, UTF8_REPLACEMENT);
            return true;
        }
    }
}

/* One character beyond ASCII, that was looked at already. */
static void read_wide(struct json_reader *reader, int byte)
{
    struct utf8_state state = {0};
    for (;;) {
        enum utf8_step step = utf8_step(&state, (unsigned char)byte);
        if (step == UTF8_BROKEN_BEFORE)
            break; /* the byte belongs to what comes next */
        take(reader);
        if (step == UTF8_DONE) {
            put_code(reader, state.code);
            return;
        }
        if (step == UTF8_BROKEN)
            break;
        byte = peek(reader);
        if (byte == NO_BYTE)
            break;
    }
    put_code(reader, UTF8_REPLACEMENT);
}

/* The plain bytes that lie in the buffer, in one go: that is nearly everything there is. */
static void read_plain(struct json_reader *reader)
{
    const char *from = reader->buffer_ + reader->at_, *end = reader->buffer_ + reader->end_;
    const char *at = from;
    while (at < end && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x80 && *at != '"' &&
           *at != '\\')
        at++;
    size_t size = (size_t)(at - from), room = JSON_TEXT_MAX - reader->size_;
    put(reader, from, size < room ? size : room);
    reader->at_ += size;
}

static bool read_string(struct json_reader *reader)
{
    reader->size_ = 0;
    take(reader);
    for (;;) {
        int byte = peek(reader);
        if (byte == '"')
            break;
        if (byte < 0x20) {
            fail(reader, "a control character stands in a string");
            return false;
        }
        if (byte >= 0x80) {
            read_wide(reader, byte);
        } else if (byte != '\\') {
            read_plain(reader);
        } else {
            take(reader);
            if (!read_escape(reader)) {
                fail(reader, "there is no such escape in a string");
                return false;
            }
        }
    }
    take(reader);
    reader->text = weft_text(reader->text_, reader->size_);
    return true;
}

/* ---- numbers and words ---------------------------------------------------------------------- */

static bool is_digit(int byte)
{
    return byte >= '0' && byte <= '9';
}

static void keep(struct json_reader *reader)
{
    put(reader, reader->buffer_ + reader->at_, 1);
    take(reader);
}

static bool read_digits(struct json_reader *reader)
{
    if (!is_digit(peek(reader)))
        return false;
    while (is_digit(peek(reader)) && reader->size_ < NUMBER_MAX)
        keep(reader);
    return !is_digit(peek(reader));
}

static bool read_number_parts(struct json_reader *reader)
{
    reader->size_ = 0;
    if (peek(reader) == '-')
        keep(reader);
    if (peek(reader) == '0')
        keep(reader);
    else if (!read_digits(reader))
        return false;
    if (peek(reader) == '.') {
        keep(reader);
        if (!read_digits(reader))
            return false;
    }
    if ((peek(reader) | 0x20) != 'e')
        return true;
    keep(reader);
    if (peek(reader) == '+' || peek(reader) == '-')
        keep(reader);
    return read_digits(reader);
}

static enum json_token read_number(struct json_reader *reader)
{
    if (!read_number_parts(reader))
        return fail(reader, reader->size_ >= NUMBER_MAX ? "a number has too many digits"
                                                        : "this is no number");
    reader->text = weft_text(reader->text_, reader->size_);
    return JSON_TOKEN_NUMBER;
}

static enum json_token read_word(struct json_reader *reader, const char *word,
                                 enum json_token token)
{
    for (; *word != '\0'; word++) {
        if (!take_if(reader, *word))
            return fail(reader, "a value should stand here");
    }
    return token;
}

/* ---- grammar -------------------------------------------------------------------------------- */

static bool in_object(const struct json_reader *reader)
{
    unsigned level = reader->depth_ - 1;
    return (reader->nesting_[level / 8] >> level % 8 & 1) != 0;
}

static enum json_token open_level(struct json_reader *reader, bool object)
{
    unsigned level = reader->depth_;
    if (level == JSON_DEPTH_MAX)
        return fail(reader, "it is nested too deeply");
    take(reader);
    uint8_t bit = (uint8_t)(1u << level % 8);
    reader->nesting_[level / 8] =
        (uint8_t)(object ? reader->nesting_[level / 8] | bit : reader->nesting_[level / 8] & ~bit);
    reader->depth_++;
    reader->expect_ = object ? EXPECT_NAME_OR_END : EXPECT_VALUE_OR_END;
    return object ? JSON_TOKEN_OBJECT : JSON_TOKEN_ARRAY;
}

static void value_is_over(struct json_reader *reader)
{
    if (reader->expect_ != EXPECT_FAILED)
        reader->expect_ = reader->depth_ > 0 ? EXPECT_MORE_OR_END : EXPECT_NOTHING;
}

static enum json_token close_level(struct json_reader *reader)
{
    bool object = in_object(reader);
    take(reader);
    reader->depth_--;
    value_is_over(reader);
    return object ? JSON_TOKEN_OBJECT_END : JSON_TOKEN_ARRAY_END;
}

static enum json_token read_value(struct json_reader *reader)
{
    int byte = peek(reader);
    enum json_token token;
    if (byte == '{' || byte == '[')
        return open_level(reader, byte == '{');
    if (byte == '"')
        token = read_string(reader) ? JSON_TOKEN_STRING : JSON_TOKEN_ERROR;
    else if (byte == '-' || is_digit(byte))
        token = read_number(reader);
    else if (byte == 't')
        token = read_word(reader, "true", JSON_TOKEN_TRUE);
    else if (byte == 'f')
        token = read_word(reader, "false", JSON_TOKEN_FALSE);
    else if (byte == 'n')
        token = read_word(reader, "null", JSON_TOKEN_NULL);
    else
        return fail(reader, "a value should stand here");
    value_is_over(reader);
    return token;
}

static enum json_token read_name(struct json_reader *reader)
{
    if (peek(reader) != '"')
        return fail(reader, "a name in quotes should stand here");
    if (!read_string(reader))
        return JSON_TOKEN_ERROR;
    skip_blanks(reader);
    if (!take_if(reader, ':'))
        return fail(reader, "a ':' should stand here");
    reader->expect_ = EXPECT_VALUE;
    return JSON_TOKEN_NAME;
}

static enum json_token read_more(struct json_reader *reader)
{
    bool object = in_object(reader);
    int byte = peek(reader);
    if (byte == (object ? '}' : ']'))
        return close_level(reader);
    if (byte != ',')
        return fail(reader, object ? "a ',' or a '}' should stand here"
                                   : "a ',' or a ']' should stand here");
    take(reader);
    skip_blanks(reader);
    mark_place(reader);
    return object ? read_name(reader) : read_value(reader);
}

static enum json_token read_end(struct json_reader *reader)
{
    if (peek(reader) != NO_BYTE)
        return fail(reader, "something stands behind the end");
    return reader->expect_ == EXPECT_FAILED ? JSON_TOKEN_ERROR : JSON_TOKEN_END;
}

enum json_token json_reader_next(struct json_reader *reader)
{
    skip_blanks(reader);
    if (reader->expect_ == EXPECT_FAILED)
        return JSON_TOKEN_ERROR;
    mark_place(reader);
    switch (reader->expect_) {
    case EXPECT_VALUE_OR_END:
        return peek(reader) == ']' ? close_level(reader) : read_value(reader);
    case EXPECT_NAME_OR_END:
        return peek(reader) == '}' ? close_level(reader) : read_name(reader);
    case EXPECT_MORE_OR_END:
        return read_more(reader);
    case EXPECT_NOTHING:
        return read_end(reader);
    default:
        return read_value(reader);
    }
}

bool json_reader_skip(struct json_reader *reader, enum json_token token)
{
    if (token == JSON_TOKEN_OBJECT || token == JSON_TOKEN_ARRAY) {
        unsigned depth = reader->depth_ - 1;
        while (reader->depth_ > depth) {
            if (json_reader_next(reader) == JSON_TOKEN_ERROR)
                return false;
        }
    }
    return token != JSON_TOKEN_ERROR;
}

/* ---- life ----------------------------------------------------------------------------------- */

int json_fill_text(void *context, char *buffer, size_t size)
{
    struct weft_text *left = context;
    size_t part = left->size < size ? left->size : size;
    if (part > 0)
        memcpy(buffer, left->data, part);
    *left = weft_text(left->data + part, left->size - part);
    return (int)part;
}

int json_reader_open(struct json_reader *reader, json_fill_fn *fill, void *context)
{
    *reader = (struct json_reader){.fill_ = fill, .context_ = context, .line = 1, .column = 1};
    reader->buffer_ = weft_alloc(JSON_PIECE + JSON_TEXT_MAX);
    if (reader->buffer_ == NULL)
        return UV_ENOMEM;
    reader->text_ = reader->buffer_ + JSON_PIECE;
    return 0;
}

void json_reader_close(struct json_reader *reader)
{
    weft_free(reader->buffer_);
    reader->buffer_ = NULL;
}
