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

namespace
{
weft_each each;
Greeting slots[2];
int sum;

void add(weft_op *slot)
{
    sum += static_cast<int>(weft_index(slot));
    weft_finish(slot, 0);
}

bool next(weft_op *slot)
{
    return weft_index(slot) < 3;
}

void add_all(weft_op *op)
{
    weft_each(op, &each, WEFT_SLOTS(slots, op), next, add, NULL, weft_pass);
}

void add_some(weft_op *op)
{
    weft_times(op, &each, WEFT_SLOTS(slots, op), 5, add, NULL, weft_pass);
}
} // namespace

int main()
{
    if (std::strcmp(weft_version(), WEFT_VERSION_STRING) != 0)
        return 1;
    Greeting greeting = Greeting();
    greeting.whom = "weft";
    weft_op op = weft_op();
    if (weft_go(&op, add_all) != 0 || weft_go(&op, add_some) != 0 || sum != 3 + 10)
        return 3;
    return weft_go(&greeting.op, hello) == 0 ? 0 : 2;
}
