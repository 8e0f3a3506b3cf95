/* What is always the same: one page for each kind of link, the pages that such links lead to, style
 * sheets, redirects, and answers that are not 200.
 *
 * A row without a type is an HTML page: head and body are what is its own. Others are sent as they
 * stand in body. /kinds/ links to all rows that have a title, but not to those below /leaf/: they
 * can be reached only by the kind of link that they are there for. Below /never/ is nothing: who
 * asks for it has taken for a link what is none. */
#include "site.h"
#include <stdio.h>

enum how { AT_ONCE, IN_CHUNKS, GZIPPED };

struct fixed {
    const char *path, *title, *type, *head, *body;
    const char *field, *value; /* one more of the answer's head */
    int status;                /* 0: 200 */
    enum how how;
};

#define LEAF(path, text)                                                                           \
    {                                                                                              \
        "/leaf/" path, text, NULL, "", "", NULL, NULL, 0, AT_ONCE                                  \
    }
#define PAGE(path, title, head, body)                                                              \
    {                                                                                              \
        path, title, NULL, head, body, NULL, NULL, 0, AT_ONCE                                      \
    }
#define FILE_(path, type, body)                                                                    \
    {                                                                                              \
        path, NULL, type, "", body, NULL, NULL, 0, AT_ONCE                                         \
    }
#define MOVED(path, status, to)                                                                    \
    {                                                                                              \
        path, #status " to " to, NULL, "", "", "Location", to, status, AT_ONCE                     \
    }
#define TEN "aaaaaaaaaa"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static const struct fixed table[] = {
    /* ---- links in the body ---- */
    PAGE("/kinds/images.html", "Images, srcset and maps", "",
         "<img src=\"/image/1.png\" alt=\"\" srcset=\"/image/2.png 1x, /image/3.png 2x\">\n"
         "<img src=/image/4.gif srcset=\"../image/5.png 320w,\n ../image/6.png 640w\" sizes=50vw>\n"
         "<picture><source srcset=\"/image/7.svg\" type=\"image/svg+xml\">"
         "<img src=\"../image/8.png\" alt=\"\"></picture>\n"
         "<img src=\"/image/9.png\" usemap=\"#map\" alt=\"\">\n"
         "<map name=\"map\"><area shape=\"rect\" coords=\"0,0,4,4\" href=\"/leaf/area.html\" "
         "alt=\"\"></map>\n"
         "<img src=\"data:image/gif;base64,R0lGODlhAQABAAAAACw=\" alt=\"\">\n"
         "<p><a href=\"/image/11.png\">a picture</a>\n"),
    PAGE("/kinds/styles.html", "Style sheets, style elements and attributes",
         "<link rel=\"stylesheet\" href=\"/static/main.css\">\n"
         "<link rel=stylesheet media=print href=../static/print.css>\n"
         "<link rel=\"shortcut icon\" href=\"/image/12.png\">\n"
         "<link rel=preload as=font href=/static/font.woff2 crossorigin>\n"
         "<style>\n@import url(\"/static/by-style.css\");\n"
         "h1 { background: url(/image/13.svg) }\n/* url(/never/in-css-comment.png) */\n</style>\n",
         "<p style=\"background: url(&quot;/image/14.png&quot;)\">in an attribute\n"),
    PAGE("/kinds/scripts.html", "Scripts, comments and other text",
         "<script src=\"/static/script.js\"></script>\n",
         "<script>document.write('<a href=\"/never/in-script.html\">no</a>')</script>\n"
         "<noscript><a href=\"/leaf/noscript.html\">without scripts</a></noscript>\n"
         "<!-- <a href=\"/never/in-comment.html\">no</a> -->\n"
         "<textarea><a href=\"/never/in-textarea.html\">no</a></textarea>\n"
         "<title><a href=\"/never/in-title.html\">no</a></title>\n"
         "<p title='<a href=\"/never/in-attribute.html\">'>a title\n"),
    PAGE("/kinds/frames.html", "Frames and objects", "",
         "<iframe src=\"/leaf/iframe.html\"></iframe>\n"
         "<object data=\"/static/paper.pdf\" type=\"application/pdf\"></object>\n"
         "<embed src=\"/image/17.svg\" type=\"image/svg+xml\">\n"
         "<p><a href=\"frameset.html\">a frameset</a>\n"),
    FILE_("/kinds/frameset.html", "text/html",
          "<html><head><title>Frameset</title></head><frameset cols=\"50%,*\">"
          "<frame src=\"/leaf/frame.html\"></frameset></html>\n"),
    PAGE("/kinds/media.html", "Video and audio", "",
         "<video src=\"/media/clip.webm\" poster=\"/image/18.png\">"
         "<track src=\"/media/clip.vtt\" kind=\"captions\"></video>\n"
         "<audio controls><source src=\"/media/tone.wav\" type=\"audio/wav\">"
         "<source src=\"/media/tone.ogg\" type=\"audio/ogg\"></audio>\n"),
    PAGE("/kinds/forms.html", "Forms", "",
         "<form action=\"/search\" method=\"get\"><input name=\"q\"></form>\n"
         "<form action=\"/never/posted\" method=\"post\"><input name=\"q\"></form>\n"),
    PAGE("/kinds/spelling.html", "Links in every spelling", "",
         "<ul>\n<li><a href=\"/search?q=warp&amp;r=weft\">an entity</a>\n"
         "<li><a href=\"/search?page=2&copy=1\">what looks like one</a>\n"
         "<li><a href=\"/leaf/&#99;oded.html\">a number</a>\n"
         "<li><a href='/leaf/single.html'>single quotes</a>\n"
         "<li><a href=/leaf/unquoted.html>no quotes</a>\n"
         "<li><A HREF = \"/leaf/upper.html\">upper case</A>\n"
         "<li><a href=\"/leaf/new\nline.html\">a line end</a>\n"
         "<li><a href=\"/leaf\\back\\slash.html\">backslashes</a>\n"
         "<li><a href=\"/leaf/gone/../%2e%2e/leaf/./dots.html\">dots</a>\n"
         "<li><a href=\"\">this page</a>\n<li><a href=\"#top\">its top</a>\n"
         "<li><a href=\"?\">this page with an empty query</a>\n"
         "<li><a name=\"anchor\">no link</a>\n</ul>\n"),
    PAGE("/kinds/names.html", "Names that file systems and shells dislike", "",
         "<ul>\n<li><a href=\"/leaf/with space.html\">a space</a>\n"
         "<li><a href=\"/leaf/with%20space.html\">the same, escaped</a>\n"
         "<li><a href=\"/leaf/café.html\">an accent</a>\n"
         "<li><a href=\"/leaf/%E2%82%AC.html\">an escaped sign</a>\n"
         "<li><a href=\"/leaf/a;b,c.html\">a semicolon and a comma</a>\n"
         "<li><a href=\"/leaf/it's(so).html\">a quote and parentheses</a>\n"
         "<li><a href=\"/leaf/a*b.html\">a star</a>\n<li><a href=\"/leaf/a:b.html\">a colon</a>\n"
         "<li><a href=\"/leaf/100%25.html\">a percent sign</a>\n"
         "<li><a href=\"/leaf/a%2Fb.html\">an escaped slash</a>\n"
         "<li><a href=\"/leaf/.hidden.html\">a dot</a>\n<li><a href=\"/leaf/-rf.html\">a dash</a>\n"
         "<li><a href=\"/leaf/con.html\">a device</a>\n<li><a href=\"/leaf/end.\">a dot at the "
         "end</a>\n"
         "<li><a href=\"/leaf/" HUNDRED HUNDRED HUNDRED ".html\">300 bytes</a>\n</ul>\n"),
    PAGE("/kinds/external.html", "Links to elsewhere", "",
         "<ul>\n<li><a href=\"http://other.invalid/\">http</a>\n"
         "<li><a href=\"https://other.invalid/x\">https</a>\n"
         "<li><a href=\"//other.invalid/y\">no scheme</a>\n"
         "<li><a href=\"ftp://other.invalid/z\">ftp</a>\n"
         "<li><a href=\"mailto:nobody@other.invalid\">mail</a>\n"
         "<li><a href=\"tel:+1234\">a telephone</a>\n<li><a href=\"javascript:void(0)\">a "
         "script</a>\n"
         "<li><a href=\"data:text/html,<a href=/never/in-data.html>\">data</a>\n"
         "<li><img src=\"http://other.invalid/picture.png\" alt=\"\">\n</ul>\n"),

    /* ---- links in the head, and in the head of the answer ---- */
    PAGE("/kinds/refresh.html", "A page that moves on",
         "<meta http-equiv=\"refresh\" content=\"0; url=/leaf/refreshed.html\">\n", ""),
    {"/kinds/refresh-field.html", "A page that moves on by a field", NULL, "", "", "Refresh",
     "5; url=/leaf/refreshed-by-field.html", 0, AT_ONCE},
    {"/kinds/link-field.html", "Links in a field", NULL, "", "", "Link",
     "</leaf/linked.html>; rel=\"next\", </static/by-field.css>; rel=stylesheet", 0, AT_ONCE},
    PAGE("/kinds/base.html", "A base", "<base href=\"/leaf/deep/\">\n",
         "<p><a href=\"one.html\">below it</a> <a href=\"../up.html\">beside it</a> "
         "<a href=\"#part\">the base itself</a>\n"),
    PAGE("/kinds/nofollow.html", "Links not to be followed", "",
         "<p><a rel=\"nofollow\" href=\"/leaf/nofollow.html\">one</a> "
         "<a rel=\"external NoFollow\" href=\"/leaf/nofollow-2.html\">two</a>\n"),
    PAGE("/kinds/meta-nofollow.html", "A page whose links are not to be followed",
         "<meta name=\"robots\" content=\"nofollow\">\n",
         "<p><a href=\"/leaf/meta-nofollow.html\">one</a>\n"),
    PAGE("/kinds/noindex.html", "A page not to be kept in an index",
         "<meta name=\"robots\" content=\"noindex\">\n",
         "<p><a href=\"/leaf/from-noindex.html\">one</a>\n"),

    /* ---- encodings ---- */
    {"/gzip.html", "Compressed", NULL, "", "<p><a href=\"/leaf/from-gzip.html\">one</a>\n",
     "Content-Encoding", "gzip", 0, GZIPPED},
    {"/chunked.html", "Without a length", NULL, "",
     "<p><a href=\"/leaf/from-chunks.html\">one</a>\n", NULL, NULL, 0, IN_CHUNKS},
    {"/latin1.html", "ISO-8859-1 by its field", "text/html; charset=ISO-8859-1", "",
     "<!doctype html><title>caf\xe9</title><a href=\"/leaf/latin-\xe9.html\">caf\xe9</a>\n", NULL,
     NULL, 0, AT_ONCE},
    {"/windows-1252.html", "windows-1252 by its meta", "text/html", "",
     "<!doctype html><meta charset=windows-1252><title>\x93"
     "caf\xe9\x94</title>"
     "<a href=\"/leaf/euro-\x80.html\">5 \x80</a>\n",
     NULL, NULL, 0, AT_ONCE},

    /* ---- redirects ---- */
    MOVED("/redirect/301", 301, "landed.html"),
    MOVED("/redirect/302", 302, "/redirect/landed.html"),
    MOVED("/redirect/303", 303, "./landed.html#part"),
    MOVED("/redirect/307", 307, "../redirect/landed.html"),
    MOVED("/redirect/308", 308, "/redirect/landed.html?from=308"),
    MOVED("/redirect/chain/3", 301, "2"),
    {"/redirect/chain/2", NULL, NULL, "", "", "Location", "1", 302, AT_ONCE},
    {"/redirect/chain/1", NULL, NULL, "", "", "Location", "/leaf/chained.html", 307, AT_ONCE},
    MOVED("/redirect/loop/a", 302, "b"),
    {"/redirect/loop/b", NULL, NULL, "", "", "Location", "a", 302, AT_ONCE},
    MOVED("/redirect/self", 302, "self"),
    MOVED("/redirect/outside", 301, "http://other.invalid/moved"),
    {"/redirect/nowhere", "302 to nowhere", NULL, "", "", NULL, NULL, 302, AT_ONCE},
    {"/redirect/landed.html", NULL, NULL, "", "<p id=\"part\">where redirects lead", NULL, NULL, 0,
     AT_ONCE},

    /* ---- other answers ---- */
    {"/missing.html", "A page that is not there", NULL, "", "", NULL, NULL, 404, AT_ONCE},
    {"/gone.html", "A page that is gone", NULL, "", "", NULL, NULL, 410, AT_ONCE},
    {"/empty.html", "An empty page", "text/html", "", "", NULL, NULL, 0, AT_ONCE},
    PAGE("/slow.html", "A slow page", "", "<p><a href=\"/leaf/from-slow.html\">one</a>\n"),
    {"/plain.txt", "A text", "text/plain", "", "<a href=\"/never/in-text.html\">no</a>\n", NULL,
     NULL, 0, AT_ONCE},
    PAGE("/private/secret.html", "A page that robots.txt forbids", "", ""),
    PAGE("/private/open.html", "A page that it allows", "", ""),
    PAGE("/both", "A file with the name of a folder", "",
         "<p><a href=\"/both/below.html\">below</a> <a href=\"/both/\">with a slash</a>\n"),
    PAGE("/both/", NULL, "", "<p>the folder itself"),
    PAGE("/both/below.html", NULL, "", "<p>below a file"),
    PAGE("/Case", "Upper case", "", "<p>Case"),
    PAGE("/case", "Lower case", "", "<p>case"),
    PAGE("/search", "A search", "", "<p>nothing was found"),

    /* ---- requisites ---- */
    FILE_("/static/main.css", "text/css",
          "@import \"more.css\";\n@import url(theme/dark.css) screen;\n"
          "/* url(/never/in-css-comment.png) */\n"
          "@font-face { font-family: demo; src: url('font.woff2') format(\"woff2\") }\n"
          "body { background: url( \"../image/15.png\" ); content: \"url(/never/in-string.png)\" "
          "}\n"),
    FILE_("/static/more.css", "text/css", "p { background: url(\"with\\29.svg\") }\n"),
    FILE_("/static/theme/dark.css", "text/css", "a { cursor: url(../../image/16.svg), auto }\n"),
    FILE_("/static/print.css", "text/css", "h1 { color: black }\n"),
    FILE_("/static/by-style.css", "text/css", "h1 { color: green }\n"),
    FILE_("/static/by-field.css", "text/css", "h1 { color: blue }\n"),
    FILE_("/static/script.js", "text/javascript", "var no = '<a href=\"/never/in-js.html\">';\n"),
    FILE_("/static/with).svg", "image/svg+xml", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n"),
    FILE_("/static/paper.pdf", "application/pdf", "%PDF-1.4\n%%EOF\n"),
    FILE_("/media/clip.webm", "video/webm", "\x1a\x45\xdf\xa3 a clip\n"),
    FILE_("/media/clip.vtt", "text/vtt", "WEBVTT\n\n00:00.000 --> 00:01.000\na clip\n"),
    FILE_("/media/tone.ogg", "audio/ogg", "OggS a tone\n"),

    /* ---- where the links above lead ---- */
    LEAF("area.html", "From an area"),
    LEAF("noscript.html", "From noscript"),
    LEAF("iframe.html", "In an iframe"),
    LEAF("frame.html", "In a frame"),
    LEAF("coded.html", "From a coded link"),
    LEAF("single.html", "From single quotes"),
    LEAF("unquoted.html", "From no quotes"),
    LEAF("upper.html", "From upper case"),
    LEAF("newline.html", "From a line end"),
    LEAF("back/slash.html", "From backslashes"),
    LEAF("dots.html", "From dots"),
    LEAF("with%20space.html", "A name with a space"),
    LEAF("caf%C3%A9.html", "A name with an accent"),
    LEAF("%E2%82%AC.html", "A name with a sign"),
    LEAF("a;b,c.html", "A semicolon and a comma"),
    LEAF("it's(so).html", "A quote and parentheses"),
    LEAF("a*b.html", "A star"),
    LEAF("a:b.html", "A colon"),
    LEAF("100%25.html", "A percent sign"),
    LEAF("a%2Fb.html", "An escaped slash"),
    LEAF(".hidden.html", "A dot"),
    LEAF("-rf.html", "A dash"),
    LEAF("con.html", "A device"),
    LEAF("end.", "A dot at the end"),
    LEAF(HUNDRED HUNDRED HUNDRED ".html", "300 bytes"),
    LEAF("refreshed.html", "From a refresh"),
    LEAF("refreshed-by-field.html", "From the field Refresh"),
    LEAF("linked.html", "From the field Link"),
    LEAF("deep/one.html", "Below a base"),
    LEAF("deep/", "The base itself"),
    LEAF("up.html", "Beside a base"),
    LEAF("nofollow.html", "From a nofollow link"),
    LEAF("nofollow-2.html", "From another nofollow link"),
    LEAF("meta-nofollow.html", "From a nofollow page"),
    LEAF("from-noindex.html", "From a noindex page"),
    LEAF("from-gzip.html", "From a compressed page"),
    LEAF("from-chunks.html", "From a page in chunks"),
    LEAF("from-slow.html", "From a slow page"),
    LEAF("latin-%C3%A9.html", "From ISO-8859-1"),
    LEAF("euro-%E2%82%AC.html", "From windows-1252"),
    LEAF("chained.html", "After three redirects"),
    LEAF("only-in-sitemap.html", "Listed in the sitemap only"),
};

enum { ROWS = sizeof table / sizeof *table };

static const char only_in_sitemap[] = "/leaf/only-in-sitemap.html";

/* Has it a place in a list of the site? */
static bool is_listed(const struct fixed *row)
{
    return row->title != NULL && !weft_text_starts(weft_text_of(row->path), "/leaf/");
}

const char *fixed_listed(size_t *at)
{
    while (*at < ROWS) {
        const struct fixed *row = &table[(*at)++];
        bool is_good = row->status == 0 && !weft_text_starts(weft_text_of(row->path), "/private/");
        if ((is_listed(row) && is_good) || strcmp(row->path, only_in_sitemap) == 0)
            return row->path;
    }
    return NULL;
}

void serve_kinds(struct weft_op *op)
{
    struct visit *visit = visit_of(op);
    page_begin_html(&visit->page, "Every kind of link", "");
    page_addf(&visit->page, "<ul>\n");
    for (size_t i = 0; i < ROWS; i++) {
        if (is_listed(&table[i]))
            page_addf(&visit->page, "<li><a href=\"%s\">%s</a></li>\n", table[i].path,
                      table[i].title);
    }
    page_addf(&visit->page, "<li><a href=\"/flaky/1\">500 the first time</a></li>\n"
                            "<li><a href=\"/flaky/2\">and another one</a></li>\n"
                            "<li><a href=\"/big.bin\">a big file</a></li>\n</ul>\n"
                            "<p><a href=\"/\">home</a></p>\n");
    page_end_html(&visit->page);
    visit_answer_html(visit);
}

/* ---- one row -------------------------------------------------------------------------------- */

static const struct fixed *row_of(struct weft_text path)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (weft_text_is(path, table[i].path))
            return &table[i];
    }
    return NULL;
}

static void write_row(struct page *page, const struct fixed *row)
{
    if (row->type != NULL) {
        page_addf(page, "%s", row->body);
        return;
    }
    page_begin_html(page, row->title != NULL ? row->title : row->path, row->head);
    page_addf(page, "%s<p><a href=\"/kinds/\">all kinds</a></p>\n", row->body);
    page_end_html(page);
}

static void chunk_written(struct weft_op *op, struct weft_op *piece)
{
    if (piece->status != 0)
        weft_end(op, piece->status);
    else
        weft_http_end(&visit_of(op)->request);
}

static void answer_in_chunks(struct visit *visit)
{
    struct weft_http_request *request = &visit->request;
    int err = visit->page.err;
    if (err == 0)
        err = weft_http_start(request, 200, "text/html; charset=utf-8", WEFT_HTTP_UNKNOWN);
    if (err != 0)
        weft_end(&request->op, err);
    else
        weft_http_write(&request->op, &visit->piece, request, visit->page.data, visit->page.size,
                        chunk_written);
}

void serve_fixed(struct weft_op *op)
{
    struct visit *visit = visit_of(op);
    const struct fixed *row = row_of(visit->request.head.path);
    if (row == NULL) {
        visit_answer_missing(visit);
        return;
    }
    if (row->field != NULL)
        weft_http_set(&visit->request, row->field, row->value);
    write_row(&visit->page, row);
    if (row->how == GZIPPED)
        page_gzip(&visit->page);
    if (row->how == IN_CHUNKS)
        answer_in_chunks(visit);
    else
        visit_answer(visit, row->status != 0 ? row->status : 200,
                     row->type != NULL ? row->type : "text/html; charset=utf-8");
}
