/* apps/spider/check.h: links are checked, and nothing is saved (--check).
 *
 * The pages of the crawl are fetched and read as always, and so are their style sheets, whose pictures, fonts and
 * imports are links, too. What they lead to beyond it, to other hosts or farther away than the nesting, is only
 * looked at, and so are pictures and the like: by HEAD, and if that says no, or leads elsewhere, by GET, since many
 * servers do not know better. What is broken is told in the end, with all that link to it. */
#ifndef WEFT_SPIDER_CHECK_H
#define WEFT_SPIDER_CHECK_H

#include <stdbool.h>
#include <weft/links.h>

struct crawl;
struct page;

/* Before a request: is HEAD enough? */
bool check_by_head(const struct page *page);
/* There is an answer, of a type that has links: is it only looked at, and not read? */
bool check_only_looks(const struct page *page, enum weft_links_type type);
/* The answer to a HEAD has come. true: it was dealt with. */
bool check_answered(struct page *page);
/* There is no answer. Is that no wonder, because it was a HEAD, which some servers drop? And then: true: it was
 * dealt with. */
bool check_by_get_instead(const struct page *page);
bool check_unanswered(struct page *page);
/* In the end: what is broken, and who links to it. */
void check_report(struct crawl *crawl);

#endif
