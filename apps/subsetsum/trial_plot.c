/* The table as a drawing: a row for each mode, on a logarithmic scale of time, since the modes are
 * orders of magnitude apart. It needs nothing outside of itself, and has a dress for dark pages. */
#include "subsetsum/bench.h"
#include <inttypes.h>

enum {
    WIDTH = 720,
    MARGIN = 20,
    LEFT = 90,   /* of the scale, */
    RIGHT = 450, /* to here; then the figures */
    COLUMN = 85,
    TOP = 100, /* of the rows */
    ROW = 36,
    FOOT = 44, /* below them: the scale's numbers, */
    NOTE = 20, /* and a note each */
};

/* From 10^least to 10^most milliseconds. */
struct scale {
    int least, most;
};

/* libm is not linked for this one. 10^x: the digits of x, in binary. */
static double log10_of(double number)
{
    double result = 0, digit = 1;
    while (number >= 10) {
        number /= 10;
        result++;
    }
    while (number < 1) {
        number *= 10;
        result--;
    }
    for (int i = 0; i < 16; i++) {
        number *= number;
        digit /= 2;
        if (number >= 10) {
            number /= 10;
            result += digit;
        }
    }
    return result;
}

static double log10_ms(double ms)
{
    return log10_of(ms > 0.001 ? ms : 0.001);
}

static double at(struct scale scale, double ms)
{
    return LEFT + (RIGHT - LEFT) * (log10_ms(ms) - scale.least) / (scale.most - scale.least);
}

/* Whole decades around everything that is drawn, and around a millisecond to a hundred in any case. */
static struct scale find_scale(const struct subset_bench *bench)
{
    struct scale scale = {0, 2};
    for (size_t i = 0; i < bench->over; i++) {
        struct trial_figures figures = trial_figures(&bench->trials[i]);
        while (scale.least > log10_ms(figures.p50_ms))
            scale.least--;
        while (scale.most < log10_ms(figures.most_ms))
            scale.most++;
    }
    return scale;
}

/* ---- the parts ------------------------------------------------------------------------------ */

static void draw_style(FILE *file)
{
    fputs("<style>\n"
          ".page{fill:#ffffff}.word{fill:#1f2328}.less{fill:#59636e}\n"
          ".grid{stroke:#d1d9e0}.span{stroke:#0969da;stroke-opacity:.35}\n"
          ".p50{fill:#0969da}.p99{fill:#bc4c00}.max{fill:#8250df}\n"
          "text{font:13px system-ui,-apple-system,'Segoe UI',sans-serif}\n"
          ".title{font-size:16px;font-weight:600}.figure{font-variant-numeric:tabular-nums}\n"
          "@media (prefers-color-scheme:dark){\n"
          ".page{fill:#0d1117}.word{fill:#e6edf3}.less{fill:#9198a1}\n"
          ".grid{stroke:#3d444d}.span{stroke:#4493f8}\n"
          ".p50{fill:#4493f8}.p99{fill:#f0883e}.max{fill:#ab7df8}\n"
          "}\n"
          "</style>\n",
          file);
}

static void draw_scale(FILE *file, struct scale scale, int bottom)
{
    static const char *const names[] = {"0.001 ms", "0.01 ms", "0.1 ms", "1 ms",  "10 ms",
                                        "100 ms",   "1 s",     "10 s",   "100 s", "1000 s"};
    for (int decade = scale.least; decade <= scale.most && decade <= 6; decade++) {
        double x =
            LEFT + (RIGHT - LEFT) * (double)(decade - scale.least) / (scale.most - scale.least);
        fprintf(file,
                "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n"
                "<text class=\"less\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                x, TOP - 6, x, bottom, x, bottom + 20, names[decade + 3]);
    }
}

/* p50 is a dot, p99 a diamond and max a bar: colours are not all that tells them apart. */
static void draw_marks(FILE *file, double p50, double p99, double most, double y)
{
    fprintf(file,
            "<rect class=\"max\" x=\"%.1f\" y=\"%.1f\" width=\"4\" height=\"18\"/>\n"
            "<path class=\"p99\" d=\"M%.1f %.1fm-6 0l6 -8l6 8l-6 8z\"/>\n"
            "<circle class=\"p50\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>\n",
            most - 2, y - 9, p99, y, p50, y);
}

static void draw_legend(FILE *file)
{
    static const char *const names[] = {"p50 ms", "p99 ms", "max ms"};
    double y = TOP - 16;
    for (int i = 0; i < 3; i++)
        fprintf(file, "<text class=\"less\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                RIGHT + (i + 1) * COLUMN, y, names[i]);
    draw_marks(file, RIGHT + COLUMN - 58, RIGHT + 2 * COLUMN - 58, RIGHT + 3 * COLUMN - 60, y - 4);
}

static void draw_figure(FILE *file, int column, double y, const char *figure)
{
    fprintf(file, "<text class=\"word figure\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
            RIGHT + column * COLUMN, y, figure);
}

static void draw_row(FILE *file, struct scale scale, const struct trial *trial, double y)
{
    struct trial_figures figures = trial_figures(trial);
    double p50 = at(scale, figures.p50_ms), p99 = at(scale, figures.p99_ms),
           most = at(scale, figures.most_ms);
    fprintf(file, "<text class=\"word\" x=\"%d\" y=\"%.1f\">%s</text>\n", MARGIN, y + 4,
            finding_mode_names[trial->mode]);
    draw_figure(file, 1, y + 4, figures.p50);
    draw_figure(file, 2, y + 4, figures.p99);
    draw_figure(file, 3, y + 4, figures.most);
    if (figures.requests == 0)
        return;
    fprintf(file,
            "<line class=\"span\" stroke-width=\"4\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
            "y2=\"%.1f\"/>\n",
            p50, y, most, y);
    draw_marks(file, p50, p99, most, y);
}

static int draw_notes(FILE *file, const struct subset_bench *bench, int y)
{
    char note[TRIAL_TEXT];
    for (size_t i = 0; i < bench->over; i++) {
        if (!trial_note(&bench->trials[i], note))
            continue;
        if (file != NULL)
            fprintf(file, "<text class=\"less\" x=\"%d\" y=\"%d\">%s</text>\n", MARGIN, y, note);
        y += NOTE;
    }
    return y;
}

void trial_plot(const struct subset_bench *bench, FILE *file)
{
    static const char title[] = "Latency of / while the server searches";
    char head[TRIAL_TEXT];
    struct scale scale = find_scale(bench);
    int bottom = TOP + ROW * (int)bench->over, height = draw_notes(NULL, bench, bottom + FOOT);
    trial_head(bench, head);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" role=\"img\">\n<title>%s</title>\n<desc>%s</desc>\n",
            WIDTH + MARGIN, height, WIDTH + MARGIN, height, title, head);
    draw_style(file);
    fprintf(file,
            "<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n"
            "<text class=\"word title\" x=\"%d\" y=\"30\">%s</text>\n"
            "<text class=\"less\" x=\"%d\" y=\"52\">%s</text>\n",
            MARGIN, title, MARGIN, head);
    draw_legend(file);
    draw_scale(file, scale, bottom);
    for (size_t i = 0; i < bench->over; i++)
        draw_row(file, scale, &bench->trials[i], TOP + ROW * ((double)i + 0.5));
    draw_notes(file, bench, bottom + FOOT);
    fputs("</svg>\n", file);
}
