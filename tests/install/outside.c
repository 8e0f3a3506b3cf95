/* A program that has only what is installed. */
#include <stdio.h>
#include <string.h>
#include <weft.h>

static void hello(struct weft_op *op)
{
    printf("weft %s\n", weft_version());
    weft_finish(op, 0);
}

int main(void)
{
    if (strcmp(weft_version(), WEFT_VERSION_STRING) != 0)
        return 1;
    struct weft_op op = {0};
    return weft_go(&op, hello) == 0 ? 0 : 2;
}
