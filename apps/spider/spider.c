/* weft spider: from the command line to a crawl, and from what became of it to an exit status.
 *
 * The first Ctrl-C lets what is under way finish, the second one does not. Whatever happens, the
 * state on the disk is good, and the same command goes on. */
#include "command.h"
#include "leave.h"
#include "spider/crawl.h"
#include "spider/sheet.h"
#include "spider/why.h"
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct spider {
    struct weft_op op;
    struct weft_signal interrupt, terminate, hang_up;
    struct weft_signal resized, paused, resumed; /* of a terminal that is drawn on */
    struct crawl crawl;
    struct weft_file_save save; /* the report */
    struct out report;
    bool asked_to_stop;                        /* once; the second time it leaves at once */
    uint64_t asked_at;                         /* ms */
    bool over;                                 /* the crawl is, and its report is being written */
    int status;                                /* to exit with */
    char password[SETTINGS_PASSWORD_MOST + 2]; /* a CR may stand behind it */
    char temporary[64];                        /* the folder of a dry run; "" if there is none */
};

/* ---- signals -------------------------------------------------------------------------------- */

static void stop(struct spider *spider)
{
    struct crawl *crawl = &spider->crawl;
    uint64_t now = weft_now(weft_loop_of(&spider->op));
    if (spider->over)
        return;
    if (spider->asked_to_stop) {
        /* Sooner it is the same request, told twice. */
        if (now - spider->asked_at >= WEFT_INTERRUPTIBLE_MOMENT_MS)
            crawl_abort(crawl);
        return;
    }
    spider->asked_to_stop = true;
    spider->asked_at = now;
    if (!crawl->settings->quiet)
        complain("finishing what is under way; once more to leave at once");
    crawl_stop(crawl, CRAWL_INTERRUPTED);
    show_now(crawl); /* it is said at once */
}

static void interrupted(struct weft_op *op)
{
    stop(weft_owner(op, struct spider, interrupt.op));
}

static void terminated(struct weft_op *op)
{
    stop(weft_owner(op, struct spider, terminate.op));
}

static void hung_up(struct weft_op *op)
{
    stop(weft_owner(op, struct spider, hang_up.op));
}

static void resized(struct weft_op *op)
{
    show_now(&weft_owner(op, struct spider, resized.op)->crawl);
}

/* Ctrl-Z: the terminal is the shell's from now on. The usual effect is the system's to decide on: it stops
 * nobody whom nobody could make go on. */
static void paused(struct weft_op *op)
{
    struct sigaction ours, usual = {.sa_handler = SIG_DFL};
    show_pause(&weft_owner(op, struct spider, paused.op)->crawl.progress);
    if (sigaction(SIGTSTP, &usual, &ours) != 0)
        return;
    raise(SIGTSTP);
    sigaction(SIGTSTP, &ours, NULL);
}

static void resumed(struct weft_op *op)
{
    show_again(&weft_owner(op, struct spider, resumed.op)->crawl);
}

static bool is_ignored(int signum)
{
    struct sigaction now;
    return sigaction(signum, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static void watch(struct spider *spider, struct weft_signal *signal, int signum,
                  weft_begin_fn *arrived)
{
    signal->arrived = arrived;
    signal->background = true;
    weft_signal(&spider->op, signal, signum, NULL);
}

static void watch_terminal(struct spider *spider)
{
    watch(spider, &spider->resized, SIGWINCH, resized);
    watch(spider, &spider->resumed, SIGCONT, resumed);
    if (!is_ignored(SIGTSTP)) /* as by a shell without jobs */
        watch(spider, &spider->paused, SIGTSTP, paused);
}

/* ---- the exit status ------------------------------------------------------------------------ */

static bool a_start_failed(struct crawl *crawl)
{
    for (size_t i = 0; i < crawl->starts_count; i++) {
        weft_crawl_id id = crawl->starts[i].id;
        struct weft_crawl_result result;
        for (unsigned hops = 0; hops <= CRAWL_REDIRECTS; hops++) {
            if (weft_crawl_result(&crawl->state, id, &result) != 0)
                return true;
            if (result.what != WEFT_CRAWL_MOVED)
                break;
            if (result.redirect == 0)
                return true;
            id = result.redirect;
        }
        if (result.what == WEFT_CRAWL_FAILED || result.what == WEFT_CRAWL_SKIPPED ||
            result.what == WEFT_CRAWL_MOVED)
            return true;
    }
    return false;
}

static int exit_status(struct crawl *crawl)
{
    int status = crawl->op.status;
    if (crawl->output_error != 0)
        return EXIT_NO_OUTPUT;
    if (crawl->stop == CRAWL_INTERRUPTED)
        return EXIT_INTERRUPTED;
    if (status == UV_EINVAL)
        return EXIT_USAGE;
    if (status != 0)
        return EXIT_NO_OUTPUT; /* the folder or the state could not be opened */
    if (crawl->settings->check && crawl->stop == CRAWL_LIMIT && crawl_left(crawl) > 0)
        return EXIT_INTERRUPTED; /* nobody can say yet that nothing is broken */
    if (a_start_failed(crawl))
        return EXIT_START_FAILED;
    bool some = crawl->state.counts[WEFT_CRAWL_FAILED] > 0 || crawl->failed > 0;
    return some ? EXIT_SOME_FAILED : EXIT_OK;
}

/* ---- the run -------------------------------------------------------------------------------- */

/* Who has asked twice does not want to wait for a name that is being looked up: everything is closed by now. */
static void end(struct spider *spider)
{
    crawl_close(&spider->crawl);
    if (spider->crawl.aborted) {
        fflush(stdout);
        leave_soon(spider->status);
    }
    out_free(&spider->report);
    weft_end(&spider->op, spider->crawl.op.status); /* and with it what watches for signals */
}

static void no_report(struct spider *spider, int status)
{
    complain("cannot write the report '%s': %s", spider->crawl.settings->report,
             weft_strerror(status));
    spider->status = EXIT_NO_OUTPUT;
}

static void reported(struct weft_op *op, struct weft_op *save)
{
    struct spider *spider = weft_owner(op, struct spider, op);
    if (save->status != 0)
        no_report(spider, save->status);
    end(spider);
}

/* Also after an interruption: what was done until then is worth a look. */
static void report(struct spider *spider)
{
    const char *path = spider->crawl.settings->report;
    int err =
        path != NULL && spider->crawl.begun ? sheet_write(&spider->crawl, &spider->report) : 0;
    if (err == 0 && settings_is_output(path)) {
        err = out_write(&spider->report, STDOUT_FILENO);
    } else if (err == 0 && spider->report.size > 0) {
        weft_file_save(&spider->op, &spider->save, path, spider->report.data, spider->report.size,
                       reported);
        return;
    }
    if (err != 0)
        no_report(spider, err);
    end(spider);
}

static void crawled(struct weft_op *op, struct weft_op *crawl)
{
    struct spider *spider = weft_owner(op, struct spider, op);
    hosts_rest_no_more(&spider->crawl);
    show_end(&spider->crawl.progress);
    if (spider->crawl.begun && (crawl->status == 0 || spider->crawl.stop != CRAWL_GOES_ON))
        report_summary(&spider->crawl);
    if (spider->crawl.begun)
        story_end(&spider->crawl);
    spider->status = exit_status(&spider->crawl);
    spider->over = true;
    report(spider);
}

static void begin(struct weft_op *op)
{
    struct spider *spider = weft_owner(op, struct spider, op);
    spider->interrupt.arrived = interrupted;
    spider->terminate.arrived = terminated;
    weft_signal(op, &spider->interrupt, SIGINT, NULL);
    weft_signal(op, &spider->terminate, SIGTERM, NULL);
    spider->hang_up.arrived = hung_up;
    if (!is_ignored(SIGHUP)) /* as by nohup */
        weft_signal(op, &spider->hang_up, SIGHUP, NULL);
    show_begin(&spider->crawl.progress, spider->crawl.settings);
    if (spider->crawl.progress.kind == PROGRESS_LIVE)
        watch_terminal(spider);
    weft_run(op, &spider->crawl.op, crawl_begin, crawled);
}

/* ---- folders and files ---------------------------------------------------------------------- */

static int choose_folder(struct spider *spider, const struct settings *settings)
{
    spider->crawl.folder_path = settings->folder;
    if (settings_dry(settings)) {
        const char *tmp = getenv("TMPDIR");
        snprintf(spider->temporary, sizeof spider->temporary, "%s/weft-spider-XXXXXX",
                 tmp != NULL && strlen(tmp) < 32 ? tmp : "/tmp");
        if (mkdtemp(spider->temporary) == NULL) {
            complain("cannot make a folder for what is read: %s", strerror(errno));
            spider->temporary[0] = '\0';
            return EXIT_NO_OUTPUT;
        }
        spider->crawl.folder_path = spider->temporary;
        return EXIT_OK;
    }
    int err = save_folder_make(settings->folder);
    if (err == 0)
        return EXIT_OK;
    complain("cannot make '%s': %s", settings->folder, weft_strerror(err));
    return EXIT_NO_OUTPUT;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

/* Are all hosts that can be asked addresses, or this machine? */
static bool needs_no_names(const struct settings *settings)
{
    struct weft_url url = {0};
    bool none = !settings->check && !settings->requisites && settings->scope_kind == SCOPE_HOST;
    for (size_t i = 0; none && i < settings->urls_count; i++)
        none = weft_url_parse(&url, weft_text_of(settings->urls[i]), NULL) == 0 &&
               host_is_loopback(weft_url_hostname(&url));
    weft_url_free(&url);
    return none;
}

/* Pages are read there by as many threads as processors: more would only be in each other's way, and are not
 * begun (WEFT_CREW_VISITS). But names are looked up there, too, by half of them at most, and a name whose server
 * is silent holds one for a long time: others wait for their answers meanwhile. Who knows better has said so
 * in the environment. */
static void set_pool(const struct settings *settings)
{
    enum { FOR_NAMES = 64 };
    char text[16];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    long threads = processors < 2 ? 2 : processors > 8 ? 8 : processors;
    snprintf(text, sizeof text, "%ld", needs_no_names(settings) ? threads : FOR_NAMES);
    setenv("UV_THREADPOOL_SIZE", text, 0);
}

/* A connection, a file that is spilled and a few more: descriptors for that many downloads. */
static int check_descriptors(const struct settings *settings)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return EXIT_OK;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    rlim_t needed = 2 * (rlim_t)settings->concurrency + 64;
    if (files.rlim_max == RLIM_INFINITY || files.rlim_max >= needed)
        return EXIT_OK;
    return misused("spider", "%u downloads at once need %llu open files, and %llu are allowed",
                   settings->concurrency, (unsigned long long)needed,
                   (unsigned long long)files.rlim_max);
}

__attribute__((format(printf, 2, 3))) static int no_password(const char *path, const char *format,
                                                             ...)
{
    char why[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    complain("cannot take a password from '%s': %s", path, why);
    return EXIT_USAGE;
}

/* Up to the end of the line, which does not belong to it. Half of a password would be refused by
 * somebody else, and nobody would know why. */
static int take_password(struct spider *spider, FILE *file, const char *path)
{
    char *password = spider->password;
    size_t size = 0;
    int byte;
    while ((byte = getc(file)) != EOF && byte != '\n' && size <= SETTINGS_PASSWORD_MOST)
        password[size++] = (char)byte;
    if (ferror(file))
        return no_password(path, "%s", strerror(errno));
    if (byte == EOF && size == 0)
        return no_password(path, "it is empty");
    if (size > 0 && password[size - 1] == '\r')
        size--;
    if (size > SETTINGS_PASSWORD_MOST || (byte != EOF && byte != '\n'))
        return no_password(path, "its first line has more than %d bytes", SETTINGS_PASSWORD_MOST);
    if (memchr(password, '\0', size) != NULL)
        return no_password(path, "there is a zero byte in it");
    password[size] = '\0';
    return EXIT_OK;
}

/* The first line of a file, so that a password need not stand on the command line. */
static int read_password(struct spider *spider, const struct settings *settings)
{
    const char *path = settings->password_file;
    spider->crawl.password = settings->password;
    if (path == NULL)
        return EXIT_OK;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return no_password(path, "%s", strerror(errno));
    int status = take_password(spider, file, path);
    fclose(file);
    spider->crawl.password = spider->password;
    return status;
}

static int crawl(const struct settings *settings)
{
    static struct spider spider;
    spider = (struct spider){.crawl = {.settings = settings, .folder = SAVE_FOLDER_CLOSED}};
    int status = check_descriptors(settings);
    if (status == EXIT_OK)
        status = read_password(&spider, settings);
    if (status == EXIT_OK)
        status = choose_folder(&spider, settings);
    if (status == EXIT_OK) {
        signal(SIGPIPE, SIG_IGN); /* a server that left is an error like others, */
        signal(SIGXFSZ, SIG_IGN); /* and so is a file that may not be that large */
        set_pool(settings);
        spider.status = EXIT_NO_OUTPUT; /* unless the crawl says otherwise */
        weft_go(&spider.op, begin);
        signal(SIGINT, SIG_IGN); /* who is that near the end goes there */
        signal(SIGTERM, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        status = spider.status;
        if (!finish_output() && status != EXIT_USAGE)
            status = EXIT_NO_OUTPUT;
    }
    if (spider.temporary[0] != '\0')
        nftw(spider.temporary, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return status;
}

int spider_run(int argc, char **argv)
{
    struct settings settings;
    int status = settings_read(&settings, argc, argv);
    if (status == EXIT_OK && settings.save_config != NULL)
        status = settings_save(&settings);
    else if (status == EXIT_OK)
        status = settings.why != NULL ? why_run(&settings) : crawl(&settings);
    settings_free(&settings);
    return status;
}
