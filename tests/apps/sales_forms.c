/* ctest: labels=valgrind */
/* What clients send to weft sales serve, and how names are shown to them: sales, escapes. */
#include "check.h"
#include "fault.h"
#include "sales/sale.h"
#include "sales/sales.h"
#include "sales/show.h"

/* ---- sales ---------------------------------------------------------------------------------- */

typedef int read_fn(struct sale *sale, struct weft_text body, char why[SALE_WHY]);

static void require_sale(read_fn *read, const char *body, const char *item, int64_t amount)
{
    struct sale sale = {0};
    char why[SALE_WHY] = "";
    if (read(&sale, weft_text_of(body), why) != 0)
        fail_msg("%s: %s", body, why);
    assert_int_equal(sale.size, strlen(item));
    assert_memory_equal(sale.item, item, sale.size);
    assert_int_equal(sale.amount, amount);
}

static void require_refused(read_fn *read, struct weft_text body, const char *text)
{
    struct sale sale = {0};
    char why[SALE_WHY] = "";
    assert_int_equal(read(&sale, body, why), UV_EINVAL);
    if (strncmp(why, text, strlen(text)) != 0)
        fail_msg("%.*s: %s", WEFT_TEXT_ARGS(body), why);
}

static const char no_amount[] = "an amount is a whole number from -10^12 to 10^12, but not 0",
                  no_name[] = "the name of an item has 1 to 255 bytes",
                  too_much[] = "a sale has an item and an amount, and nothing else";

TEST(a_sale_in_json_is_read)
{
    require_sale(sale_read_json, "{\"item\":\"book\",\"amount\":1250}", "book", 1250);
    require_sale(sale_read_json, " { \"amount\" : 1 , \"item\" : \"\\u00e4\\n\\\"\" } \n",
                 "\xc3\xa4\n\"", 1);
    require_sale(sale_read_json, "{\"item\":\"a\",\"amount\":-5}", "a", -5);
    require_sale(sale_read_json, "{\"\\u0069tem\":\"a\",\"amount\":1000000000000}", "a",
                 SALES_AMOUNT_MAX);
}

TEST(a_sale_in_json_that_is_not_right_is_refused)
{
    static const char *const bad[][2] = {
        {"{\"item\":\"a\"}", "there is no amount"},
        {"{\"amount\":1}", "there is no item"},
        {"{}", "there is no item"},
        {"{\"item\":\"a\",\"amount\":1,\"item\":\"a\"}", "there is more than one item"},
        {"{\"item\":\"a\",\"amount\":1,\"amount\":1}", "there is more than one amount"},
        {"{\"item\":\"a\",\"amount\":1,\"time\":1}", too_much},
        {"{\"Item\":\"a\",\"amount\":1}", too_much},
        {"{\"item\":\"\",\"amount\":1}", no_name},
        {"{\"item\":\"a\",\"amount\":0}", no_amount},
        {"{\"item\":\"a\",\"amount\":-1000000000001}", no_amount},
        {"{\"item\":\"a\",\"amount\":1.0}", no_amount},
        {"{\"item\":\"a\",\"amount\":1e3}", no_amount},
        {"{\"item\":\"a\",\"amount\":1000000000001}", no_amount},
        {"{\"item\":\"a\",\"amount\":99999999999999999999999999}", no_amount},
        {"{\"item\":\"a\",\"amount\":\"1\"}", "the amount is a number"},
        {"{\"item\":\"a\",\"amount\":null}", "the amount is a number"},
        {"{\"item\":1,\"amount\":1}", "the item is a string"},
        {"{\"item\":{\"item\":\"a\",\"amount\":1}}", "the item is a string"},
        {"[]", "a sale is an object"},
        {"1", "a sale is an object"},
        {"", "this is no JSON: "},
        {"{\"item\":\"a\",\"amount\":1", "this is no JSON: "},
        {"{\"item\":\"a\",\"amount\":1}}", "this is no JSON: "},
        {"{\"item\":\"a\",\"amount\":1,}", "this is no JSON: "},
        {"{\"item\":\"a\",\"amount\":01}", no_amount},
        {"{\"item\":\"\xff\",\"amount\":1}", "this is no JSON: it is not in UTF-8"},
        {"{\"item\":\"\xc3", "this is no JSON: it is not in UTF-8"},
        {"{\"item\":\"\\ud800\",\"amount\":1}", "the name of the item has half a character"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        require_refused(sale_read_json, weft_text_of(bad[i][0]), bad[i][1]);
}

TEST(a_sale_in_a_form_is_read)
{
    require_sale(sale_read_form, "item=book&amount=1250", "book", 1250);
    require_sale(sale_read_form, "&amount=1&&item=a+%26%ff&", "a &\xff", 1);
    require_sale(sale_read_form, "item=a&amount=0000000000001", "a", 1);
    require_sale(sale_read_form, "item=a&amount=-5", "a", -5);
    require_sale(sale_read_form, "%69tem=a&a%6dount=%31", "a", 1);
}

TEST(a_sale_in_a_form_that_is_not_right_is_refused)
{
    static const char *const bad[][2] = {
        {"", "there is no item"},
        {"item=a", "there is no amount"},
        {"amount=1", "there is no item"},
        {"item=a&item=a&amount=1", "there is more than one item"},
        {"item=a&amount=1&amount=1", "there is more than one amount"},
        {"item=a&amount=1&time=1", too_much},
        {"item&amount=1", no_name},
        {"item=a&amount", no_amount},
        {"item=a&amount=+1", no_amount},
        {"item=a&amount=0", no_amount},
        {"item=a&amount=1.5", no_amount},
        {"item=a&amount=1000000000001", no_amount},
        {"item=%4&amount=1", "there is a % without two hex digits"},
        {"item=a&amount=%zz", "there is a % without two hex digits"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        require_refused(sale_read_form, weft_text_of(bad[i][0]), bad[i][1]);
}

TEST(the_name_of_an_item_has_at_most_255_bytes)
{
    char name[LEDGER_ITEM_MAX + 2], body[2000];
    for (size_t size = LEDGER_ITEM_MAX; size < sizeof name; size++) {
        memset(name, 'x', size);
        name[size] = '\0';
        bool fits = size == LEDGER_ITEM_MAX;
        for (unsigned json = 0; json < 2; json++) {
            read_fn *read = json ? sale_read_json : sale_read_form;
            snprintf(body, sizeof body,
                     json ? "{\"item\":\"%s\",\"amount\":1}" : "item=%s&amount=1", name);
            if (fits)
                require_sale(read, body, name, 1);
            else
                require_refused(read, weft_text_of(body), no_name);
        }
    }
}

/* Only a form can have it: a byte 0 is as good as others. */
TEST(a_name_may_have_a_byte_0_in_it)
{
    struct sale sale = {0};
    char why[SALE_WHY];
    assert_int_equal(sale_read_form(&sale, weft_text_of("item=a%00b&amount=1"), why), 0);
    assert_int_equal(sale.size, 3);
    assert_memory_equal(sale.item, "a\0b", 3);
}

static void read_poorly(unsigned long n)
{
    struct sale sale;
    char why[SALE_WHY];
    (void)n;
    int err = sale_read_json(&sale, weft_text_of("{\"item\":\"a\",\"amount\":1}"), why);
    assert_true(err == 0 || err == UV_ENOMEM);
}

TEST(without_memory_a_sale_is_not_read)
{
    fault_ladder(read_poorly);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void require_shown(struct weft_text item, bool harmless, const char *text)
{
    char buffer[SHOW_MAX];
    struct weft_text shown = show_item(item, harmless, buffer);
    if (!weft_text_is(shown, text))
        fail_msg("'%.*s' instead of '%s'", WEFT_TEXT_ARGS(shown), text);
}

#define FFFD "\xef\xbf\xbd"

TEST(a_plain_name_is_shown_as_it_is)
{
    char buffer[SHOW_MAX];
    struct weft_text item = weft_text_of("a book & <more> \\");
    assert_ptr_equal(show_item(item, true, buffer).data, item.data);
    require_shown(weft_text_of("\xc3\xa4\xf0\x9f\x98\x80"), true, "\xc3\xa4\xf0\x9f\x98\x80");
    require_shown(weft_text(NULL, 0), true, "");
}

TEST(what_is_no_utf8_is_replaced)
{
    require_shown(weft_text_of("a\xff\xfe z\xc3"), false, "a" FFFD FFFD " z" FFFD);
    require_shown(weft_text_of("\xc3(\xe2\x82(\xed\xa0\x80"), false,
                  FFFD "(" FFFD "(" FFFD FFFD FFFD);
}

TEST(what_could_do_harm_in_a_line_is_replaced)
{
    require_shown(weft_text("a\r\nb\0\x1b[2J\x7f", 10), true,
                  "a" FFFD FFFD "b" FFFD FFFD "[2J" FFFD);
    require_shown(weft_text_of("\xe2\x80\xaeright"), true, FFFD "right"); /* to the left */
    require_shown(weft_text_of("a\nb"), false, "a\nb");
}

TEST(the_longest_name_has_room)
{
    char name[LEDGER_ITEM_MAX], buffer[SHOW_MAX];
    memset(name, 0xff, sizeof name);
    assert_int_equal(show_item(weft_text(name, sizeof name), true, buffer).size, SHOW_MAX);
}

TEST(names_are_escaped_for_html_and_json)
{
    struct out out = {0};
    show_html(&out, weft_text_of("<b a='1' b=\"2\">&\n"));
    out_string(&out, " ");
    show_json(&out, weft_text("</script>\"\\\n\0\xff", 14));
    assert_false(out.failed);
    out_text(&out, weft_text("", 1));
    assert_string_equal(out.data, "&lt;b a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;" FFFD
                                  " \"\\u003c/script\\u003e\\\"\\\\\\u000a\\u0000" FFFD "\"");
    out_free(&out);
}
