/* apps/spider/crawl.h: the crawl, its hosts and its pages, and who calls whom.
 *
 *                 crawl ── what is left to do? ──► host ──► page ── queue ──► fetch
 *                   ▲                                                          │
 *                   │            follow: links ◄── reader: body ◄──────────────┤
 *                   │              │                                           ▼
 *                   └── a URL that is new            outcome: save, move on, try again, give up
 *
 * What is known about URLs is in the state (weft/crawl.h), on the disk; here is only what is under
 * way. A page is in memory from the moment its host takes it out of its line to the moment it is
 * settled, and their number is bounded.
 *
 * How far. A URL has a depth: how many links it is away from a start URL, the shortest way. Links
 * to pages are followed while depth is below the nesting. What a page is shown with (requisites)
 * belongs to it and may be up to CRAWL_REQUISITES links farther away. A URL that is reached again on
 * a shorter way is looked through again, from the disk, so that what is fetched does not depend on
 * what came first.
 *
 * What happens is told to the user (report.c) and to the story (story.h), which
 * keeps a log and the numbers of the report for whoever asked. */
#ifndef WEFT_SPIDER_CRAWL_H
#define WEFT_SPIDER_CRAWL_H

#include "spider/check.h"
#include "spider/edges.h"
#include "spider/harvest.h"
#include "spider/name.h"
#include "spider/offline.h"
#include "spider/pace.h"
#include "spider/progress.h"
#include "spider/reader.h"
#include "spider/save.h"
#include "spider/scope.h"
#include "spider/settings.h"
#include "spider/story.h"
#include "spider/trap.h"
#include "spider/update.h"
#include "warc/warc.h"
#include <stdio.h>
#include <weft.h>
#include <weft/crawl.h>
#include <weft/http_client.h>
#include <weft/robots.h>
#include <weft/url.h>

enum {
    CRAWL_REQUISITES = 8,     /* how much deeper than the nesting requisites may be */
    CRAWL_REDIRECTS = 20,     /* in a row */
    CRAWL_DISK = 4,           /* pages read from the disk at once */
    CRAWL_BEAT_MS = 250,      /* how often progress, limits and commits are looked at */
    CRAWL_COMMIT_MS = 700,    /* with a beat more, at most a second of work is not durable */
    CRAWL_PENDING = 1 << 19,  /* bytes of changes that call for a commit at once */
    CRAWL_BACKLOG = 32 << 20, /* bytes of changes from which on nothing new begins */
    CRAWL_PUSHED_BACK = 10,   /* how often a page is tried again after 429 and 503 */
    CRAWL_PARKED = 2048,   /* pages of hosts that rest, which have been tried and are in memory */
    CRAWL_NO = 4 << 20,    /* bytes of an answer that says no; nobody waits for more */
    CRAWL_UNPACK = 200,    /* how many times as large as it came a page may be */
    CRAWL_SPARE = 1 << 20, /* bytes beyond --max-bytes that what is under way may still take */
    CRAWL_AGENT = 64       /* bytes of the product token for robots.txt */
};

struct crawl;
struct page;

/* ---- hosts ---------------------------------------------------------------------------------- */

enum host_robots { HOST_UNASKED, HOST_ASKING, HOST_ASKED };
enum { HOST_WHY = 200, HOST_REST_MS = 2000 }; /* a rest that counts as one */

struct host {
    struct crawl *crawl;
    struct host *next_same, *next_hungry; /* in the table, in the list of those with work */
    bool hungry;
    bool missing; /* something of it is not on the disk: robots.txt has to be asked for */
    bool resting; /* for a while: what waits for it does not keep others from being fed */
    struct weft_crawl_line line; /* what is to be fetched */
    struct weft_crawl_line held; /* and what comes after that, once it is let go: see host_hold */
    struct weft_lane lane;       /* what is being fetched */
    struct pace pace;
    uint64_t base_ms;       /* the gap between two requests that the user wants */
    uint64_t gap_ms;        /* as it was given to the lane */
    uint64_t rest_until_ms; /* as it was told to the user, */
    uint64_t rest_told_ms;  /* and to the story */
    struct weft_timer rest;
    unsigned pages;  /* in memory */
    uint64_t failed; /* in this run */
    enum host_robots asked;
    struct weft_robots robots;
    size_t rules_bytes; /* that it takes, about */
    bool denied;        /* robots.txt cannot be had: nothing is allowed for now */
    char why[HOST_WHY]; /* it was given up; "" if it was not */
    bool ours;          /* within the scope: passwords and fields of the user's may go there */
    uint64_t hash;
    size_t origin_size;
    char origin[]; /* "http://example.org:8080" */
};

/* ---- pages ---------------------------------------------------------------------------------- */

struct page {
    struct weft_op op; /* the download: a task of the queue */
    struct crawl *crawl;
    struct host *host; /* NULL: it is only read from the disk */
    struct page *next_spare;
    struct page *next_here, **link_here; /* of those in memory */
    weft_crawl_id id;
    unsigned depth;        /* as it was when its links were followed */
    unsigned scope_round;  /* the same */
    unsigned attempts;     /* requests, but for those that were pushed back */
    unsigned pushed;       /* how often it was told to come back later, */
    uint64_t answers_then; /* and how many answers its host had given to others by then */
    bool begun;            /* a request was sent, */
    uint64_t begun_at;     /* then */
    int64_t asked_at;      /* the same, in seconds since 1970 */
    struct weft_url url;
    struct weft_http_fetch fetch;
    struct reader *reader; /* while its body comes in, and until it is saved */
    bool spilling;         /* a piece of the body is on its way to the disk */
    bool good;             /* the answer is one to be kept */
    bool named, streamed;
    bool nofollow;             /* its links lead to nothing: X-Robots-Tag says so */
    enum weft_links_type type; /* if its reader has links */
    bool unknown;              /* nobody says what it is, until its first bytes do */
    bool untold;               /* it is a page, and nobody says so: it looks like one */
    bool rewrites;             /* its links are written anew */
    bool left_alone;           /* its links are not followed, because too many are like it */
    bool followed;             /* they were, before it was saved */
    bool reached;             /* while it is read from the disk an update turns out to ask for it */
    bool forgotten;           /* what it has linked to before is, */
    bool by_head;             /* it is asked for by HEAD, */
    bool head_fell_short;     /* and that was answered with no, or tells of links: by GET now */
    bool ours;                /* the file that was read has links of a copy, not of a site, */
    struct offline_line line; /* and this is its last line */
    int64_t modified;         /* when it was changed last; negative: not known */
    struct update_before before;
    weft_then_fn *written; /* when it was written anew */
    bool cut;              /* more of its body came than is kept */
    bool enough;           /* it says no, and more of its body than anybody reads: we ended it */
    bool unsaved;          /* a spill failed */
    int undigested;        /* why its links could not be read: a status, or 0 */
    int refused;           /* why its own callbacks ended the fetch: a status, or 0 */
    int unarchived;        /* why it is not in the archive: a status, or 0 */
    struct weft_sleep nap;
    struct save save;
    struct save_stream stream;
    struct save_read read;
    struct save_look look;
    struct weft_work filing;          /* into the archive, or out of it; */
    void (*filed)(struct page *page); /* and what comes then */
    unsigned tried_names;             /* of those that a file may have that others have saved */
    uint64_t hash[2];
    char name[NAME_SIZE];
    char original[NAME_SIZE]; /* the name that it is kept under as it came */
    struct update_fields ask;
    const char *fields[OPTION_LIST_MAX + 2]; /* of its request */
};

/* ---- the crawl ------------------------------------------------------------------------------ */

enum crawl_stop {
    CRAWL_GOES_ON,
    CRAWL_LIMIT,       /* as many pages, bytes or minutes as were asked for */
    CRAWL_INTERRUPTED, /* by the user */
    CRAWL_NO_OUTPUT    /* the disk is full, or worse */
};

struct crawl {
    struct weft_op op;
    const struct settings *settings; /* set before it begins, all three */
    const char *folder_path;
    const char *password;

    struct weft_http_client client;
    struct weft_queue queue; /* downloads */
    struct weft_queue disk;  /* pages read from the disk, */
    struct weft_lane large;  /* one at a time if they are large */
    struct weft_crawl state;
    struct save_folder folder;
    struct weft_crew crew;      /* small pages are saved several at a time */
    struct warc warc;           /* open, if there is an archive */
    struct warc_mark marked;    /* how far it was when the state was told */
    bool archived_elsewhere;    /* on another file system than the state */
    struct weft_work archiving; /* it is made durable, or put in order */
    struct scope scope;
    unsigned scope_round; /* how often the scope has grown */
    struct scope trusted; /* the same, but for where redirects have led: who gets passwords */
    uint64_t places;      /* a sum over what start URLs bring into the scope, in any order */
    bool in_clear;        /* a start URL is http: passwords may be seen by others */
    char agent[CRAWL_AGENT];

    struct host **hosts; /* a hash table */
    size_t hosts_count, hosts_room;
    struct host *hungry, **hungry_tail;
    struct weft_crawl_line again; /* what is to be looked through again */
    size_t pages, pages_max, rereading;
    size_t parked;      /* of the pages, those of hosts that rest */
    size_t resting;     /* hosts */
    size_t rules_bytes; /* that the rules of all hosts take, about */
    struct page *here;  /* pages in memory */
    struct page *spare_pages;
    struct reader *spare_readers;
    struct memo memo;
    struct trap trap;
    struct offline offline;
    struct update update;
    struct story story;
    struct edges edges;          /* who links to whom; not open: nobody wants to know */
    struct weft_url link, other; /* for the time of a call */
    char *text;                  /* the same: WEFT_CRAWL_URL_MAX + 1 bytes */
    struct start {
        weft_crawl_id id;
        bool there; /* before this run */
    } * starts;
    size_t starts_count;
    bool left_out; /* of what waits, something is in no line, because it is too far away */
    bool adopt;    /* there are files, but no state: look on the disk before a page is fetched */

    struct weft_ticker beat;
    struct weft_op naps; /* pages that are tried again after a while sleep below it */
    struct weft_crawl_commit commit;
    struct weft_op flush;
    bool begun, feeding, flushing, committing, closing, aborted;
    uint64_t committed_at, begun_at, seed;

    enum crawl_stop stop;
    int output_error;                              /* why there is no output any more */
    uint64_t fetched;                              /* requests for pages that got a status line */
    uint64_t saved, found, moved, failed, skipped; /* URLs, in this run */
    uint64_t bytes;                                /* of pages that came well, in this run */
    uint64_t wire;                                 /* of all answers, robots.txt too, */
    uint64_t unlooked;                             /* and of bodies since that was looked at */
    uint64_t said_nofollow, no_urls;               /* links that a check has passed over */
    struct harvest harvest;                        /* requests by status, pages by kind */
    struct progress progress;
};

/* crawl.c */
/* Takes over the settings; the folder exists. then gets 0 when there is nothing left to do, or the
 * reason why it ended earlier; crawl->stop says it, too. */
void crawl_begin(struct weft_op *op);
/* Finish what is under way, begin nothing new. The first call stands. */
void crawl_stop(struct crawl *crawl, enum crawl_stop why);
/* The output cannot be written. what: a name, for people. */
void crawl_no_output(struct crawl *crawl, int status, const char *what);
/* The scope grew by the host of url: so that it is known the next time, too. */
int crawl_remember_scope(struct crawl *crawl, const struct weft_url *url);
/* The scope is larger now: links that were passed over may count. Everything that is saved is
 * looked through again. */
int crawl_look_again(struct crawl *crawl);
/* There is room, or there is something new to do: begin more; and if that was all, end. */
void crawl_feed(struct crawl *crawl);
/* So many bytes of a body have come: the limit of bytes is looked at soon. */
void crawl_count(struct crawl *crawl, size_t size);
/* Pages that are there, from earlier runs too: what --max-pages limits. */
uint64_t crawl_pages_there(const struct crawl *crawl);
/* How many of the URLs that are known are still to be fetched, or looked through. */
uint32_t crawl_left(const struct crawl *crawl);
/* May one more page begin? */
bool crawl_may_begin(const struct crawl *crawl);
/* Stop at once: what is under way is left, too. */
void crawl_abort(struct crawl *crawl);
/* The name that robots.txt knows us by. */
void crawl_set_agent(struct crawl *crawl);
/* When its op is over, or it never began: close the state, free what is left. */
void crawl_close(struct crawl *crawl);

/* load.c */
/* Everything that is known of the state goes where it belongs, and the start URLs are seen. */
int crawl_load(struct crawl *crawl);
/* A URL as people write it, into crawl->link. UV_EINVAL: it is none, or not http or https. */
int crawl_parse_start(struct crawl *crawl, const char *text);
/* The rules, for the start URLs that were given; then the hosts that those were redirected to. */
int crawl_open_scope(struct crawl *crawl);
int crawl_recall_scope(struct crawl *crawl);
/* Are they those of the last run, wherever that began? */
bool crawl_has_rules(struct crawl *crawl);
/* It is a page with something in it, and it is known which bytes those are. */
bool crawl_has_body(const struct weft_crawl_result *result);
/* The same, and its links are followed: it is one of those that may be the same. */
bool crawl_counts_body(const struct weft_crawl_result *result);
/* A URL that is known, and what became of it, count against traps as when it was met. */
void crawl_count_again(struct crawl *crawl, struct weft_text url, unsigned depth,
                       const struct weft_crawl_result *result);
/* How far links are followed, by the settings or else as the last time. Static storage. */
const char *crawl_nesting_text(struct crawl *crawl);

/* host.c */
/* The host of url; NULL: no memory. */
struct host *host_of(struct crawl *crawl, const struct weft_url *url);
/* Would it be one, and there are as many as may be? */
bool host_is_one_too_many(const struct crawl *crawl, const struct weft_url *url);
void host_add(struct host *host, weft_crawl_id id);
/* A page of it has to be fetched, if nothing speaks against that. */
void host_fetch(struct page *page);
/* Take pages out of its line, as many as it may have under way. */
void host_feed(struct host *host);
void host_hungry(struct host *host);
/* What its pace says now holds: rest, rate, connections. */
void host_obey(struct host *host);
/* It is given up for this run, because a fetch (of what?) ended like this. */
void host_give_up(struct host *host, const char *what, const char *why);
bool host_is_loopback(struct weft_text hostname);
/* Is there a host that rests, and has something in its line? */
bool hosts_wait(const struct crawl *crawl);
/* As host_add, but behind all that is in its line, or will be until hosts_take_held. */
void host_hold(struct host *host, weft_crawl_id id);
/* What was held back is in the lines now, behind the rest. */
void hosts_take_held(struct crawl *crawl);
/* The crawl is over: none of them wakes up any more. */
void hosts_rest_no_more(struct crawl *crawl);
void hosts_free(struct crawl *crawl);

/* robots.c */
extern const char robots_note[]; /* why a page is skipped */
extern const char same_note[];   /* why its links are not followed: there are too many like it */
void host_ask_robots(struct host *host);
/* What an origin said, if that was kept and still holds; to be freed with weft_robots_free. */
bool robots_recall(struct crawl *crawl, const char *origin, struct weft_robots *robots);

/* page.c */
struct page *page_new(struct crawl *crawl, struct host *host, weft_crawl_id id);
void page_free(struct page *page);
/* Number id, if it is in memory, under way; or NULL. */
struct page *page_here(const struct crawl *crawl, weft_crawl_id id);
/* Into its host's lane, or to the front of it. */
void page_queue(struct page *page);
void page_queue_first(struct page *page);
/* What every request to its host has in common. */
void page_request(struct page *page);
/* Get it a reader, for its body. */
int page_read_begin(struct page *page);
/* There is an answer, if only the beginning of one that says no. */
bool page_has_answer(const struct page *page);
void page_read_end(struct page *page);
/* As its server says, or as it looks if nobody does, or says nothing that makes sense. */
struct weft_text page_content_type(const struct page *page);
/* The name it is saved under; claimed, so that no other page gets it. */
int page_name(struct page *page);
/* The name for url, which is number id, whatever its fragment; content_type: it has to be seen in the name; or
 * empty. Claimed. */
int page_claim_name(struct crawl *crawl, weft_crawl_id id, const struct weft_url *url,
                    struct weft_text content_type, char name[NAME_SIZE]);
void pages_free(struct crawl *crawl);

/* disk.c: pages that are there already. */
/* Look through number id again; it is DONE or AGAIN. */
void disk_reread(struct crawl *crawl, weft_crawl_id id);
/* Is a page, that is new to us, on the disk? It is queued if it is not. */
void disk_adopt(struct page *page);

/* outcome.c: what an answer means, or none. */
/* An answer, or none, has come: its host's pace learns of it. Before the op of the page ends. */
void outcome_heard(struct page *page);
/* Why there is no answer, for people; weft_http_fetch_explain, and what only we know. */
const char *outcome_explain(const struct weft_http_fetch *fetch, char *why, size_t size);
/* What Retry-After says; -1: nothing. */
int64_t outcome_retry_after_ms(const struct weft_http_fetch *fetch);
weft_then_fn outcome_fetched;
/* Once more after a while, from the beginning: something was missing here, not there. */
void outcome_try_later(struct page *page);
/* Once more at once; why is for the log. */
void outcome_fetch_again(struct page *page, const char *why);

/* keep.c: a good one. */
void keep_page(struct page *page);
/* Its links were followed, and its file is there. */
void keep_finish(struct page *page);
/* Its file is not there: status says why. */
void keep_failed(struct page *page, int status);

/* archive.c: every answer, if there is an archive. */
/* Open it, if the user wants one. It was said what is wrong. */
int archive_open(struct crawl *crawl);
/* On a thread of the pool: the answer of page goes into the archive, if there is one. */
int archive_put(struct page *page);
/* The same as a visit to the pool; then, or if it fails the page leaves and the crawl stops. */
void archive_file(struct page *page, void (*then)(struct page *page));
/* The same, but first the end of a body that is spilled is written, archive or not. With neither, then
 * comes at once. */
void archive_answer(struct page *page, void (*then)(struct page *page));
/* The answer of page could not be written: it is tried again, or it leaves and the crawl stops. */
void archive_refused(struct page *page, int status);
/* It cannot be written: the crawl stops. */
void archive_failed(struct crawl *crawl, int status);
/* Is this "name" a place in an archive? Then its body is read into page->read by a child of op, which
 * op ends with. UV_ENOENT: it is not in the archive that is open. */
bool archive_has_name(struct weft_text name);
void archive_read(struct weft_op *op, struct page *page, size_t limit);
/* Tell the state how far it is; make it durable; and at the end, put its index in order. */
int archive_mark(struct crawl *crawl);
void archive_sync(struct crawl *crawl, weft_then_fn *then);
void archive_end(struct crawl *crawl);

/* moved.c: a redirect. */
void moved_page(struct page *page);

/* settle.c: the end of a page's way. The page is out of memory afterwards. */
void settle_page(struct page *page, struct weft_crawl_result *result);
/* It is saved, and its links were followed; but AGAIN if it has come nearer since. */
void settle_done(struct page *page, const struct weft_crawl_result *result);
/* It is as it was before, and so is its result, but for when it was asked for. */
void settle_same(struct page *page, struct weft_crawl_result *result);
/* For people: why. */
void settle_failed(struct page *page, int status, const char *note);
/* It is not wanted: a rule or a limit says so. */
void settle_skipped(struct page *page, const char *note);
/* The same for one that never got as far as a page. */
void settle_url(struct crawl *crawl, weft_crawl_id id, const struct weft_crawl_result *result);
/* It leaves without being settled, and waits for another time. */
void page_leave(struct page *page);
/* Has it come nearer, or has the scope grown, since its links were followed? */
bool page_is_nearer(const struct page *page);
/* A start URL, or what one leads to by redirects alone: nothing else is at no distance. */
bool page_is_start(const struct crawl *crawl, weft_crawl_id id);

/* follow.c: what links lead to. */
/* The links that its reader has found. 0, or why the state could not be told. */
int follow_found(struct page *page);
/* A page says what its links are relative to. */
int follow_base(struct page *page, struct weft_text link);
/* The same for one that stands elsewhere. 0, or why the state could not be told. */
int follow_url(struct page *page, struct weft_text link, bool requisite);
/* What page has linked to before holds no longer: it is read again. */
void follow_forget(struct page *page);
/* from leads to to: kept, if somebody wants to know. */
void follow_note(struct crawl *crawl, weft_crawl_id from, weft_crawl_id to);
/* Number id, whose URL this is, has to be fetched once more. */
int follow_again(struct crawl *crawl, const struct weft_url *url, weft_crawl_id id);
/* The same, after all that is known when the crawl begins. */
int follow_last(struct crawl *crawl, const struct weft_url *url, weft_crawl_id id);
/* The same as the first, but its URL has to be read. */
int follow_fetch(struct crawl *crawl, weft_crawl_id id);
/* Is it within the nesting? */
bool follow_is_near(const struct crawl *crawl, unsigned depth, bool requisite);
/* A picture, a style, a script, by its name: where nothing else is known of it. */
bool follow_is_requisite(const struct weft_url *url);
/* Is url, if it is new, one too many? Then that was counted, and told. TRAP_NONE: it is not. */
enum trap_kind follow_trap(struct crawl *crawl, const struct weft_url *url, unsigned depth);
/* url was found at depth by number from; a new one waits for its turn. 0, or an error of the
 * state. *id as in weft_crawl_see. */
int follow_see(struct crawl *crawl, const struct weft_url *url, unsigned depth, weft_crawl_id from,
               weft_crawl_id *id);

/* fields.c: what the fields of an answer say about links. */
/* Follow them, and keep them in the state. */
void fields_follow(struct page *page);
bool fields_nofollow(const struct page *page);
/* What was kept, for a page that is read from the disk: sets nofollow; *lines are to be freed with
 * weft_free, NULL if there are none, and to be followed when the page has a reader. */
int fields_recall(struct page *page, char **lines);
void fields_follow_lines(struct page *page, const char *lines);

/* report.c: what the user is told. */
/* A line on standard output: only if everything is to be told, and always. */
__attribute__((format(printf, 2, 3))) void report_line(struct crawl *crawl, const char *format,
                                                       ...);
__attribute__((format(printf, 2, 3))) void report_out(struct crawl *crawl, const char *format, ...);
/* A page failed: its URL, why, and who linked to it. */
void report_failure(struct crawl *crawl, weft_crawl_id id, const char *url, const char *note);
/* A host rests for so long: told if that is a while, once for each rest. */
void report_rest(struct host *host, uint64_t ms);
/* Its robots.txt wants so long between two requests, and more than the user: told if that is a while. */
void report_delay(const struct host *host, uint64_t ms);
/* A link is left out; first: it is the first of its kind. */
void report_left_out(struct crawl *crawl, const char *url, enum trap_kind kind, bool first);
/* "done", "interrupted" and so on. */
const char *report_why_it_ended(const struct crawl *crawl);
void report_summary(struct crawl *crawl);

/* summary.c: a table of what came of it. */
void summary_print(FILE *file, struct crawl *crawl, uint64_t ms);

#endif
