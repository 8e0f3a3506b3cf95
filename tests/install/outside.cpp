// The same from C++: an operation embedded in a class's own data, and the owner found again.
#include <cstdio>
#include <cstring>
#include <weft.h>

namespace
{
struct Greeting {
    const char *whom;
    weft_op op;
};

void hello(weft_op *op)
{
    Greeting *greeting = weft_owner(op, Greeting, op);
    std::printf("%s %s\n", greeting->whom, weft_version());
    weft_finish(op, 0);
}
} // namespace

int main()
{
    if (std::strcmp(weft_version(), WEFT_VERSION_STRING) != 0)
        return 1;
    Greeting greeting = Greeting();
    greeting.whom = "weft";
    return weft_go(&greeting.op, hello) == 0 ? 0 : 2;
}
