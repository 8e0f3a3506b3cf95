/* Statuses as text.
 * ctest: labels=valgrind shuffle=no */
#include "check.h"
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <uv.h>
#include <weft/error.h>

static const struct {
    int status;
    const char *name, *text;
} uv_errors[] = {
#define UV_ERROR(name, text) {UV_##name, #name, text},
    UV_ERRNO_MAP(UV_ERROR)};

TEST(success_has_a_name)
{
    assert_string_equal(weft_error_name(0), "OK");
    assert_string_equal(weft_strerror(0), "success");
}

TEST(libuvs_errors_keep_their_names_and_texts)
{
    for (size_t i = 0; i < sizeof uv_errors / sizeof *uv_errors; i++) {
        int status = uv_errors[i].status;
        assert_string_equal(weft_error_name(status), uv_errors[i].name);
        assert_string_equal(weft_error_name(status), uv_err_name(status));
        if (status == UV_ETIMEDOUT)
            continue; /* see below */
        assert_string_equal(weft_strerror(status), uv_errors[i].text);
        assert_string_equal(weft_strerror(status), uv_strerror(status));
    }
}

TEST(not_only_connections_time_out)
{
    assert_string_equal(weft_strerror(UV_ETIMEDOUT), "timed out");
    assert_string_equal(weft_error_name(UV_ETIMEDOUT), "ETIMEDOUT");
}

TEST(our_own_errors_have_names_and_texts)
{
    static const int ours[] = {WEFT_EABI,     WEFT_ESTUCK,  WEFT_ESTOPPED,  WEFT_EEXIT,
                               WEFT_ETLS,     WEFT_EHTTP,   WEFT_EREFUSED,  WEFT_EDAMAGED,
                               WEFT_ECYCLE,   WEFT_ESTATUS, WEFT_ENOANSWER, WEFT_EJOB,
                               WEFT_ECRASHED, WEFT_EBROKEN, WEFT_EPOISON,   WEFT_ECHANGED};
    static const char *const names[] = {
        "EABI",   "ESTUCK",  "ESTOPPED",  "EEXIT", "ETLS",     "EHTTP",   "EREFUSED", "EDAMAGED",
        "ECYCLE", "ESTATUS", "ENOANSWER", "EJOB",  "ECRASHED", "EBROKEN", "EPOISON",  "ECHANGED"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        assert_string_equal(weft_error_name(ours[i]), names[i]);
        assert_int_not_equal(strlen(weft_strerror(ours[i])), 0);
        assert_null(strstr(weft_strerror(ours[i]), "unknown"));
    }
}

TEST(not_only_queues_are_stopped)
{
    assert_string_equal(weft_strerror(WEFT_ESTOPPED), "it was stopped and takes no more");
}

TEST(any_other_number_is_unknown_and_is_told)
{
    static const int numbers[] = {1, 77, INT_MAX, INT_MIN, -9999, -10500, -123456};
    static const char *const texts[] = {"unknown error 1",          "unknown error 77",
                                        "unknown error 2147483647", "unknown error -2147483648",
                                        "unknown error -9999",      "unknown error -10500",
                                        "unknown error -123456"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_string_equal(weft_error_name(numbers[i]), "UNKNOWN");
        assert_string_equal(weft_strerror(numbers[i]), texts[i]);
    }
}

static void *tell_another(void *status)
{
    return (void *)(uintptr_t)weft_strerror(*(int *)status);
}

TEST(each_thread_has_a_text_of_its_own_for_unknown_errors)
{
    const char *mine = weft_strerror(4711);
    int other = 4712;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, tell_another, &other), 0);
    pthread_join(thread, NULL);
    assert_string_equal(mine, "unknown error 4711");
}

TEST(the_version_is_the_headers)
{
    assert_string_equal(weft_version(), WEFT_VERSION_STRING);
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR,
             WEFT_VERSION_PATCH);
    assert_string_equal(weft_version(), text);
}
