/* Any text: it is refused, or it is an address whose own text reads as the same. Any bytes taken for
 * an address: its text ends inside its buffer. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <weft/address.h>

static void as_text(const uint8_t *data, size_t size)
{
    struct weft_address address, again;
    char back[WEFT_ADDRESS_TEXT], *text = malloc(size + 1);
    if (text == NULL)
        return;
    memcpy(text, data, size);
    text[size] = '\0';
    if (weft_address_parse(&address, text) == 0) {
        if (weft_address_format(&address, back, sizeof back) != 0 ||
            weft_address_parse(&again, back) != 0 || memcmp(&address, &again, sizeof again) != 0)
            abort();
    } else if (address.size != 0) {
        abort();
    }
    free(text);
}

static void as_address(const uint8_t *data, size_t size)
{
    struct weft_address address;
    memset(&address, 0, sizeof address);
    memcpy(&address, data, size < sizeof address ? size : sizeof address);
    size_t room = size % (WEFT_ADDRESS_TEXT + 1);
    char *text = malloc(room);
    if (text == NULL)
        return;
    int err = weft_address_format(&address, text, room);
    if (room > 0 && (memchr(text, '\0', room) == NULL || (err != 0 && text[0] != '\0')))
        abort();
    weft_address_port(&address);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    as_text(data, size);
    as_address(data, size);
    return 0;
}
