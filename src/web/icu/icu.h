/* ICU, loaded when it is first needed: its headers give types, constants and the names that its
 * functions have in this version; the functions are called through the table.
 *
 *     const struct icu *icu = weft__icu();
 *     if (icu == NULL)
 *         return UV_ENOSYS;
 *     icu->ucnv_close(converter); */
#ifndef WEFT_WEB_ICU_H
#define WEFT_WEB_ICU_H

#include <unicode/ucnv.h>
#include <unicode/uidna.h>

/* clang-format off */
#define WEFT_ICU_FUNCTIONS(each) \
    each(UCNV_FROM_U_CALLBACK_STOP) each(ucnv_close) each(ucnv_fromUChars) each(ucnv_open) \
    each(ucnv_reset) each(ucnv_setFromUCallBack) each(ucnv_toUChars) each(ucnv_toUnicode) \
    each(uidna_close) each(uidna_nameToASCII_UTF8) each(uidna_openUTS46)
/* clang-format on */

/* The members have the names of this version too, as ucnv_open_72: so have those who use them. */
struct icu {
#define WEFT_ICU_MEMBER(name) __typeof__(name) *name;
    WEFT_ICU_FUNCTIONS(WEFT_ICU_MEMBER)
#undef WEFT_ICU_MEMBER
};

/* The library's name; a test may set another before the first call. */
extern const char *weft__icu_name;

/* From any thread. NULL: it cannot be loaded, and will not be later on. */
const struct icu *weft__icu(void);

#endif
