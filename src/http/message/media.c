/* Media types by the ending of a file's name: a table in order of the endings, and a binary search.
 *
 * What is text is said to be UTF-8, as nearly all is now. XML and JSON say it themselves. Source
 * code is plain text, so that a browser shows it. */
#include "weft/http_message.h"
#include <stdlib.h>

struct ending {
    const char *ending, *type;
};

#define TEXT(subtype) "text/" subtype "; charset=utf-8"

/* clang-format off */
static const struct ending endings[] = {
    {"7z", "application/x-7z-compressed"},
    {"aac", "audio/aac"},
    {"apk", "application/vnd.android.package-archive"},
    {"apng", "image/apng"},
    {"asc", TEXT("plain")},
    {"atom", "application/atom+xml"},
    {"avi", "video/x-msvideo"},
    {"avif", "image/avif"},
    {"bmp", "image/bmp"},
    {"bz2", "application/x-bzip2"},
    {"c", TEXT("plain")},
    {"cc", TEXT("plain")},
    {"cfg", TEXT("plain")},
    {"cjs", TEXT("javascript")},
    {"conf", TEXT("plain")},
    {"cpp", TEXT("plain")},
    {"css", TEXT("css")},
    {"csv", TEXT("csv")},
    {"cur", "image/x-icon"},
    {"deb", "application/vnd.debian.binary-package"},
    {"dmg", "application/x-apple-diskimage"},
    {"doc", "application/msword"},
    {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {"eot", "application/vnd.ms-fontobject"},
    {"epub", "application/epub+zip"},
    {"flac", "audio/flac"},
    {"geojson", "application/geo+json"},
    {"gif", "image/gif"},
    {"go", TEXT("plain")},
    {"gpx", "application/gpx+xml"},
    {"gz", "application/gzip"},
    {"h", TEXT("plain")},
    {"heic", "image/heic"},
    {"heif", "image/heif"},
    {"hpp", TEXT("plain")},
    {"htm", TEXT("html")},
    {"html", TEXT("html")},
    {"ico", "image/x-icon"},
    {"ics", TEXT("calendar")},
    {"ini", TEXT("plain")},
    {"jar", "application/java-archive"},
    {"java", TEXT("plain")},
    {"jpe", "image/jpeg"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", TEXT("javascript")},
    {"json", "application/json"},
    {"json5", "application/json5"},
    {"jsonld", "application/ld+json"},
    {"jxl", "image/jxl"},
    {"kml", "application/vnd.google-earth.kml+xml"},
    {"less", TEXT("plain")},
    {"log", TEXT("plain")},
    {"lua", TEXT("plain")},
    {"lz4", "application/x-lz4"},
    {"m3u8", "application/vnd.apple.mpegurl"},
    {"m4a", "audio/mp4"},
    {"m4s", "video/iso.segment"},
    {"m4v", "video/mp4"},
    {"man", TEXT("troff")},
    {"map", "application/json"},
    {"markdown", TEXT("markdown")},
    {"md", TEXT("markdown")},
    {"mid", "audio/midi"},
    {"midi", "audio/midi"},
    {"mjs", TEXT("javascript")},
    {"mkv", "video/x-matroska"},
    {"mov", "video/quicktime"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"mpd", "application/dash+xml"},
    {"mpeg", "video/mpeg"},
    {"mpg", "video/mpeg"},
    {"ndjson", "application/x-ndjson"},
    {"odp", "application/vnd.oasis.opendocument.presentation"},
    {"ods", "application/vnd.oasis.opendocument.spreadsheet"},
    {"odt", "application/vnd.oasis.opendocument.text"},
    {"oga", "audio/ogg"},
    {"ogg", "audio/ogg"},
    {"ogv", "video/ogg"},
    {"opus", "audio/ogg"},
    {"otf", "font/otf"},
    {"patch", TEXT("plain")},
    {"pdf", "application/pdf"},
    {"pem", "application/x-pem-file"},
    {"png", "image/png"},
    {"ppt", "application/vnd.ms-powerpoint"},
    {"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    {"ps", "application/postscript"},
    {"py", TEXT("plain")},
    {"rar", "application/vnd.rar"},
    {"rb", TEXT("plain")},
    {"rpm", "application/x-rpm"},
    {"rs", TEXT("plain")},
    {"rss", "application/rss+xml"},
    {"rst", TEXT("plain")},
    {"rtf", "application/rtf"},
    {"scss", TEXT("plain")},
    {"sh", TEXT("plain")},
    {"sql", "application/sql"},
    {"svg", "image/svg+xml"},
    {"tar", "application/x-tar"},
    {"tex", TEXT("plain")},
    {"tgz", "application/gzip"},
    {"tif", "image/tiff"},
    {"tiff", "image/tiff"},
    {"toml", "application/toml"},
    {"ts", "video/mp2t"},
    {"tsv", TEXT("tab-separated-values")},
    {"ttc", "font/collection"},
    {"ttf", "font/ttf"},
    {"txt", TEXT("plain")},
    {"vcf", TEXT("vcard")},
    {"vtt", TEXT("vtt")},
    {"wasm", "application/wasm"},
    {"wav", "audio/wav"},
    {"weba", "audio/webm"},
    {"webm", "video/webm"},
    {"webmanifest", "application/manifest+json"},
    {"webp", "image/webp"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"xhtml", "application/xhtml+xml"},
    {"xls", "application/vnd.ms-excel"},
    {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {"xml", "application/xml"},
    {"xsl", "application/xslt+xml"},
    {"xslt", "application/xslt+xml"},
    {"xz", "application/x-xz"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
    {"zip", "application/zip"},
    {"zst", "application/zstd"},
};
/* clang-format on */

/* Of the last segment, behind its last dot. One that begins with its only dot has none. */
static struct weft_text ending_of(struct weft_text path)
{
    for (size_t i = path.size; i > 1 && path.data[i - 1] != '/'; i--) {
        if (path.data[i - 1] == '.')
            return weft_text(path.data + i, path.data[i - 2] != '/' ? path.size - i : 0);
    }
    return weft_text(NULL, 0);
}

static int compare(const void *key, const void *row)
{
    const struct weft_text *wanted = key;
    const char *ending = ((const struct ending *)row)->ending;
    size_t size = strlen(ending), common = wanted->size < size ? wanted->size : size;
    int order = memcmp(wanted->data, ending, common);
    return order != 0 ? order : (wanted->size > common) - (size > common);
}

const char *weft_http_media_type(struct weft_text path)
{
    char lower[16]; /* longer than any in the table */
    struct weft_text ending = ending_of(path), key = weft_text(lower, ending.size);
    const struct ending *row = NULL;
    if (ending.size <= sizeof lower) {
        for (size_t i = 0; i < ending.size; i++)
            lower[i] = weft_text_lower(ending.data[i]);
        row = bsearch(&key, endings, sizeof endings / sizeof *endings, sizeof *endings, compare);
    }
    return row != NULL ? row->type : "application/octet-stream";
}
