/* The labels of the Encoding Standard: what pages call an encoding, which one is meant, and what
 * ICU calls that. Many labels do not mean what they say: "iso-8859-1" is windows-1252, "gb2312" is
 * GBK. */
#include "encoding.h"
#include "chars.h"

static const struct html_encoding encodings[] = {
    {"UTF-8", NULL, HTML_UTF8,
     " unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8 "},
    {"windows-1252", NULL, HTML_LEGACY,
     " ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1"
     " iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252 "},
    {"IBM866", "ibm-866", HTML_LEGACY, " 866 cp866 csibm866 ibm866 "},
    {"ISO-8859-2", "ISO-8859-2", HTML_LEGACY,
     " csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2"
     " latin2 "},
    {"ISO-8859-3", "ISO-8859-3", HTML_LEGACY,
     " csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3"
     " latin3 "},
    {"ISO-8859-4", "ISO-8859-4", HTML_LEGACY,
     " csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4"
     " latin4 "},
    {"ISO-8859-5", "ISO-8859-5", HTML_LEGACY,
     " csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5"
     " iso_8859-5:1988 "},
    {"ISO-8859-6", "ISO-8859-6", HTML_LEGACY,
     " arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6"
     " iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 "},
    {"ISO-8859-7", "ISO-8859-7", HTML_LEGACY,
     " csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7"
     " iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek "},
    {"ISO-8859-8", "ISO-8859-8", HTML_LEGACY,
     " csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8"
     " iso88598 iso_8859-8 iso_8859-8:1988 visual "},
    {"ISO-8859-10", "ISO-8859-10", HTML_LEGACY,
     " csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6 "},
    {"ISO-8859-13", "ISO-8859-13", HTML_LEGACY, " iso-8859-13 iso8859-13 iso885913 "},
    {"ISO-8859-14", "ISO-8859-14", HTML_LEGACY, " iso-8859-14 iso8859-14 iso885914 "},
    {"ISO-8859-15", "ISO-8859-15", HTML_LEGACY,
     " csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9 "},
    {"ISO-8859-16", "ISO-8859-16", HTML_LEGACY, " iso-8859-16 "},
    {"KOI8-R", "KOI8-R", HTML_LEGACY, " cskoi8r koi koi8 koi8-r koi8_r "},
    {"KOI8-U", "KOI8-U", HTML_LEGACY, " koi8-ru koi8-u "},
    {"macintosh", "macintosh", HTML_LEGACY, " csmacintosh mac macintosh x-mac-roman "},
    {"windows-874", "windows-874-2000", HTML_LEGACY,
     " dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874 "},
    {"windows-1250", "windows-1250", HTML_LEGACY, " cp1250 windows-1250 x-cp1250 "},
    {"windows-1251", "windows-1251", HTML_LEGACY, " cp1251 windows-1251 x-cp1251 "},
    {"windows-1253", "windows-1253", HTML_LEGACY, " cp1253 windows-1253 x-cp1253 "},
    {"windows-1254", "windows-1254", HTML_LEGACY,
     " cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9"
     " iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254 "},
    {"windows-1255", "windows-1255", HTML_LEGACY, " cp1255 windows-1255 x-cp1255 "},
    {"windows-1256", "windows-1256", HTML_LEGACY, " cp1256 windows-1256 x-cp1256 "},
    {"windows-1257", "windows-1257", HTML_LEGACY, " cp1257 windows-1257 x-cp1257 "},
    {"windows-1258", "windows-1258", HTML_LEGACY, " cp1258 windows-1258 x-cp1258 "},
    {"GBK", "GBK", HTML_LEGACY,
     " chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk "},
    {"gb18030", "gb18030", HTML_LEGACY, " gb18030 "},
    {"Big5", "Big5-HKSCS", HTML_LEGACY, " big5 big5-hkscs cn-big5 csbig5 x-x-big5 "},
    {"EUC-JP", "EUC-JP", HTML_LEGACY, " cseucpkdfmtjapanese euc-jp x-euc-jp "},
    {"Shift_JIS", "windows-31j", HTML_LEGACY,
     " csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis "},
    {"EUC-KR", "windows-949", HTML_LEGACY,
     " cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601"
     " ksc_5601 windows-949 "},
    {"UTF-16BE", "UTF-16BE", HTML_WIDE, " unicodefffe utf-16be "},
    {"UTF-16LE", "UTF-16LE", HTML_WIDE,
     " csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le "},
    {"x-user-defined", NULL, HTML_LEGACY, " x-user-defined "},
    {"ISO-8859-8-I", "ISO-8859-8", HTML_LEGACY, " csiso88598i iso-8859-8-i logical "},
    {"x-mac-cyrillic", "x-mac-cyrillic", HTML_LEGACY, " x-mac-cyrillic x-mac-ukrainian "},
    {"ISO-2022-JP", "ISO-2022-JP", HTML_WIDE, " csiso2022jp iso-2022-jp "},
    {"replacement", "", HTML_NOTHING,
     " csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement "},
};

enum { ENCODINGS = sizeof encodings / sizeof *encodings, LABEL_MAX = 32 };

const struct html_encoding *weft__html_encoding_utf8(void)
{
    return &encodings[0];
}

static struct weft_text trim(struct weft_text text)
{
    while (text.size > 0 && html_char(text.data[0], HTML_SPACE)) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && html_char(text.data[text.size - 1], HTML_SPACE))
        text.size--;
    return text;
}

const struct html_encoding *weft__html_encoding(struct weft_text label)
{
    label = trim(label);
    char wanted[LABEL_MAX + 3];
    if (label.size == 0 || label.size > LABEL_MAX)
        return NULL;
    wanted[0] = ' ';
    for (size_t i = 0; i < label.size; i++) {
        wanted[i + 1] = weft_text_lower(label.data[i]);
        if (wanted[i + 1] <= ' ')
            return NULL;
    }
    wanted[label.size + 1] = ' ';
    wanted[label.size + 2] = '\0';
    for (size_t i = 0; i < ENCODINGS; i++) {
        if (strstr(encodings[i].labels, wanted) != NULL)
            return &encodings[i];
    }
    return NULL;
}

const struct html_encoding *weft__html_encoding_bom(struct weft_text head, size_t *size)
{
    *size = 0;
    const char *label = NULL;
    if (weft_text_starts(head, "\xEF\xBB\xBF"))
        label = "utf-8";
    else if (weft_text_starts(head, "\xFE\xFF"))
        label = "utf-16be";
    else if (weft_text_starts(head, "\xFF\xFE"))
        label = "utf-16le";
    if (label == NULL)
        return NULL;
    *size = weft_text_is(weft_text_of(label), "utf-8") ? 3 : 2;
    return weft__html_encoding(weft_text_of(label));
}

/* Exactly so, says CSS; what can be read as ASCII is not UTF-16. */
const struct html_encoding *weft__html_encoding_css(struct weft_text head)
{
    static const char rule[] = "@charset \"";
    if (!weft_text_starts(head, rule))
        return NULL;
    struct weft_text rest = weft_text(head.data + sizeof rule - 1, head.size - sizeof rule + 1);
    struct weft_text label = weft_text_cut(&rest, '"');
    if (rest.data == NULL || rest.size == 0 || rest.data[0] != ';')
        return NULL;
    const struct html_encoding *encoding = weft__html_encoding(label);
    if (encoding != NULL && encoding->kind == HTML_WIDE && weft_text_starts(label, "utf-16"))
        return weft__html_encoding_utf8();
    return encoding;
}
