/* Domains outside ASCII, by UTS 46 as the URL standard asks for it: no transitional mappings, the
 * rules for joiners and for both directions of writing checked; hyphens anywhere, any ASCII that a
 * host may have, and no limits of DNS. So the errors that ICU reports for those are passed over.
 *
 * ICU is loaded by the first such domain; without it they are refused. Its object is opened by the first who needs it, without a lock: who comes second at the same
 * time throws his own away. It is never closed: it is one for the process, nobody can know who is
 * the last to use it, and it is still reachable at the end.
 *
 * Punycode takes quadratic time, so the length is limited: by us that of the whole, by newer ICUs
 * that of a label. */
#include "../icu/icu.h"
#include "parser.h"
#include <stdatomic.h>

enum {
    PASSED_OVER = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG |
                  UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN |
                  UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4
};

static _Atomic(UIDNA *) shared;

static UIDNA *get(const struct icu *icu, UErrorCode *status)
{
    UIDNA *idna = atomic_load_explicit(&shared, memory_order_acquire), *none = NULL;
    if (idna != NULL)
        return idna;
    idna = icu->uidna_openUTS46(
        UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII, status);
    if (U_FAILURE(*status))
        return NULL;
    if (atomic_compare_exchange_strong(&shared, &none, idna))
        return idna;
    icu->uidna_close(idna);
    return none;
}

static int status_of(UErrorCode status)
{
    if (status == U_BUFFER_OVERFLOW_ERROR || status == U_INPUT_TOO_LONG_ERROR)
        return UV_E2BIG;
    return status == U_MEMORY_ALLOCATION_ERROR ? UV_ENOMEM : UV_EINVAL;
}

int weft__url_to_ascii(struct url_parser *p, size_t begin)
{
    char ascii[WEFT_URL_IDNA_MAX];
    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    UErrorCode status = U_ZERO_ERROR;
    size_t size = p->size - begin;
    if (size > WEFT_URL_IDNA_MAX)
        return UV_E2BIG;
    const struct icu *icu = weft__icu();
    if (icu == NULL)
        return UV_ENOSYS;
    UIDNA *idna = get(icu, &status);
    int32_t length = 0;
    if (idna != NULL)
        length = icu->uidna_nameToASCII_UTF8(idna, p->out + begin, (int32_t)size, ascii,
                                             sizeof ascii, &info, &status);
    if (U_FAILURE(status))
        return status_of(status);
    if ((info.errors & ~(uint32_t)PASSED_OVER) != 0)
        return UV_EINVAL;
    p->size = begin;
    url_put(p, ascii, (size_t)length);
    return p->err;
}
