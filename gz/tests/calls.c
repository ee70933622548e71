/* Calls whose results are known, in the manner of the example of zlib; a forked child; a file that is cut off; and
 * a disk that is full. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);           \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

#define LENGTH (6 << 20)

static unsigned char *plain, *back;

static void example(void) {
    int code;
    char line[100];
    gzFile file = gzopen("hello.gz", "wb");
    CHECK(file && gzputc(file, 'h') == 'h' && gzputs(file, "ello") == 4);
    CHECK(gzprintf(file, ", %s!", "hello") == 8 && gzseek(file, 1L, SEEK_CUR) == 14);
    CHECK(gzclose(file) == Z_OK);
    file = gzopen("hello.gz", "rb");
    CHECK(gzread(file, line, sizeof line) == 14 && !memcmp(line, "hello, hello!", 14));
    CHECK(gzseek(file, -8L, SEEK_CUR) == 6 && gztell(file) == 6);
    CHECK(gzgetc(file) == ' ' && gzungetc(' ', file) == ' ');
    CHECK(gzgets(file, line, sizeof line) && strlen(line) == 7 && !strcmp(line, " hello!"));
    CHECK(gzread(file, line, 1) == 0 && gzeof(file) && !strcmp(gzerror(file, &code), "") && code == Z_OK);
    CHECK(gzclose_w(file) == Z_STREAM_ERROR && gzclose_r(file) == Z_OK);
    errno = 0;
    CHECK(!gzopen("absent/absent.gz", "rb") && errno == ENOENT);
    CHECK(!gzopen("hello.gz", "wx") && errno == EEXIST);
    CHECK(!gzopen("hello.gz", "r+") && !gzopen("hello.gz", "rT") && !gzdopen(-1, "r"));
    CHECK(gzread(NULL, line, 1) == -1 && gzclose(NULL) == Z_STREAM_ERROR && !gzerror(NULL, &code));
}

static void whole_file(void) {
    gzFile file = gzopen("long.gz", "wb3");
    for (int done = 0; done < LENGTH; done += 1 << 16) CHECK(gzwrite(file, plain + done, 1 << 16) == 1 << 16);
    CHECK(gzclose(file) == Z_OK);
    file = gzopen("long.gz", "rb");
    CHECK(gzread(file, back, LENGTH + 1) == LENGTH && !memcmp(back, plain, LENGTH) && gzclose(file) == Z_OK);
}

/* A child reads on from the place of its parent, and so does the parent. It gives nothing to a file that is written. */
static void forked(void) {
    int status;
    gzFile file = gzopen("long.gz", "rb"), written = gzopen("child.gz", "wb1");
    CHECK(gzread(file, back, 100000) == 100000);
    CHECK(gzwrite(written, plain, LENGTH) == LENGTH);
    pid_t child = fork();
    if (!child) {
        int got = gzread(file, back, LENGTH);
        if (got != LENGTH - 100000 || memcmp(back, plain + 100000, (size_t)got)) _exit(1);
        gzclose(file);
        file = gzopen("long.gz", "rb");
        if (gzread(file, back, LENGTH) != LENGTH || memcmp(back, plain, LENGTH)) _exit(2);
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(gzclose(written) == Z_OK);
    gzclose(file);
    written = gzopen("child.gz", "rb");
    CHECK(gzread(written, back, LENGTH + 1) == LENGTH && !memcmp(back, plain, LENGTH) && gzclose(written) == Z_OK);
}

/* A file that is cut off gives what it has, and then the error. */
static void cut_off(void) {
    int code;
    gzFile file = gzopen("cut.gz", "wb");
    memset(back, 'x', LENGTH);
    CHECK(gzwrite(file, back, LENGTH) == LENGTH && gzclose(file) == Z_OK);
    CHECK(truncate("cut.gz", 5000) == 0);
    file = gzopen("cut.gz", "rb");
    memset(back, 0, LENGTH);
    CHECK(gzbuffer(file, 8) == 0);
    int got = gzread(file, back, LENGTH);
    CHECK(got > 4000000 && got < LENGTH && back[0] == 'x' && !memcmp(back, back + 1, (size_t)got - 1));
    CHECK(gzread(file, back, 1) == 0 && gzeof(file));
    CHECK(!strcmp(gzerror(file, &code), "cut.gz: unexpected end of file") && code == Z_BUF_ERROR);
    CHECK(gztell(file) == got && gzclose(file) == Z_BUF_ERROR);
}

static void full_disk(void) {
    int code;
    gzFile file = gzopen("/dev/full", "wb1");
    int written = gzwrite(file, plain, LENGTH), flushed = gzflush(file, Z_FINISH);
    CHECK(!written || flushed == Z_ERRNO);
    CHECK(!strcmp(gzerror(file, &code), "/dev/full: No space left on device") && code == Z_ERRNO);
    CHECK(gzwrite(file, plain, 1) == 0 && gzclose(file) == Z_ERRNO);
}

/* Pipes: through gzdopen, and the first bytes come before the input ends. */
static void piped(void) {
    int ends[2], status;
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (!child) {
        close(ends[0]);
        gzFile file = gzdopen(ends[1], "wb1");
        gzwrite(file, plain, 50000);
        gzflush(file, Z_SYNC_FLUSH);
        usleep(200000);
        gzwrite(file, plain + 50000, LENGTH - 50000);
        _exit(gzclose(file));
    }
    close(ends[1]);
    gzFile file = gzdopen(ends[0], "rb");
    CHECK(gzread(file, back, 30000) == 30000);
    CHECK(waitpid(child, &status, WNOHANG) == 0);
    CHECK(gzread(file, back + 30000, LENGTH) == LENGTH - 30000 && !memcmp(back, plain, LENGTH));
    CHECK(gzrewind(file) == -1 && gzclose(file) == Z_OK);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(void) {
    unsigned state = 1;
    plain = malloc(LENGTH);
    back = malloc(LENGTH + 1);
    for (int i = 0; i < LENGTH; i++) {
        state = state * 1664525 + 1013904223;
        plain[i] = (unsigned char)("ACGT\nabc"[state >> 29]);
    }
    example();
    whole_file();
    piped();
    forked();
    cut_off();
    full_disk();
    return 0;
}
