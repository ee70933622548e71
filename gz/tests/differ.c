/* Random sequences of calls with the library and with zlib: the results agree.
 * differ LIBRARY FOLDER SEED COUNT [exact]
 * With `exact` nothing is parallel, so errors, offsets and written bytes agree too. Otherwise a damaged file may give its
 * error some bytes later than with zlib, and the rest agrees. */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#undef gzgetc
#undef gzopen
#undef gzseek
#undef gztell
#undef gzoffset

#define LENGTH_MAX 400000

static const char *NAMES[] = {
    "gzopen",  "gzbuffer", "gzread",  "gzfread",  "gzgetc",   "gzungetc",   "gzgets",   "gzdirect", "gzrewind",
    "gzseek",  "gztell",   "gzoffset", "gzeof",   "gzerror",  "gzclearerr", "gzclose",  "gzwrite",  "gzfwrite",
    "gzputc",  "gzputs",   "gzprintf", "gzflush", "gzsetparams", "gzdopen", "gzgetc_"};

typedef struct {
    gzFile (*open)(const char *, const char *);
    int (*buffer)(gzFile, unsigned);
    int (*read)(gzFile, void *, unsigned);
    size_t (*fread)(void *, size_t, size_t, gzFile);
    int (*getc)(gzFile);
    int (*ungetc)(int, gzFile);
    char *(*gets)(gzFile, char *, int);
    int (*direct)(gzFile);
    int (*rewind)(gzFile);
    off_t (*seek)(gzFile, off_t, int);
    off_t (*tell)(gzFile);
    off_t (*offset)(gzFile);
    int (*eof)(gzFile);
    const char *(*error)(gzFile, int *);
    void (*clearerr)(gzFile);
    int (*close)(gzFile);
    int (*write)(gzFile, const void *, unsigned);
    size_t (*fwrite)(const void *, size_t, size_t, gzFile);
    int (*putc)(gzFile, int);
    int (*puts)(gzFile, const char *);
    int (*printf)(gzFile, const char *, ...);
    int (*flush)(gzFile, int);
    int (*setparams)(gzFile, int, int);
    gzFile (*dopen)(int, const char *);
    int (*getc_)(gzFile);
} Calls;

static Calls OURS, ZLIB;
static int EXACT;
static uint64_t SEED, STATE;
static char WHERE[200];

static uint32_t next(uint32_t bound) {
    STATE = STATE * 6364136223846793005u + 1442695040888963407u;
    return bound ? (uint32_t)(STATE >> 33) % bound : 0;
}

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "sequence %llu: %s: ", (unsigned long long)SEED, WHERE);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    exit(1);
}

#define SAME(what, ours, zlib)                                                                             \
    do {                                                                                                   \
        long long a_ = (long long)(ours), b_ = (long long)(zlib);                                          \
        if (a_ != b_) fail("%s: %lld, and zlib %lld", what, a_, b_);                                       \
    } while (0)

static Calls calls_of(const char *path) {
    union {
        Calls calls;
        void *pointers[sizeof(NAMES) / sizeof(*NAMES)];
    } found;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail("%s", dlerror());
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++)
        if (!(found.pointers[i] = dlsym(library, NAMES[i]))) fail("%s lacks %s", path, NAMES[i]);
    return found.calls;
}

static unsigned char *PLAIN, *CODED, *A, *B;

static size_t some_length(void) {
    static const uint32_t BOUNDS[] = {2, 100, 9000, 40000, LENGTH_MAX};
    return next(BOUNDS[next(5)]);
}

static void make_plain(size_t length) {
    uint32_t kind = next(4), period = 1 + next(60);
    for (size_t i = 0; i < length; i++) {
        switch (kind) {
        case 0: PLAIN[i] = (unsigned char)next(256); break;
        case 1: PLAIN[i] = "ACGTACGTN\n"[next(10)]; break;
        case 2: PLAIN[i] = i % period ? (unsigned char)('a' + next(3)) : '\n'; break;
        default: PLAIN[i] = (unsigned char)(i / 700);
        }
    }
}

static void save(const char *path, const unsigned char *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file)) fail("cannot write %s", path);
}

static size_t load(const char *path, unsigned char *bytes, size_t most) {
    FILE *file = fopen(path, "rb");
    if (!file) fail("cannot read %s", path);
    size_t length = fread(bytes, 1, most, file);
    fclose(file);
    return length;
}

/* Makes a file to read. Returns whether it may be damaged. */
static int make_file(const char *path) {
    size_t length = some_length(), done = 0;
    char mode[4] = {'w', (char)('0' + next(10)), 0, 0};
    make_plain(length);
    if (next(6) == 0) {
        save(path, PLAIN, length);
        return 0;
    }
    unlink(path);
    do {
        size_t part = next(3) ? length - done : next((uint32_t)(length - done + 1));
        gzFile file = ZLIB.open(path, mode);
        for (size_t at = 0; at < part;) {
            size_t some = 1 + next(50000);
            if (some > part - at) some = part - at;
            ZLIB.write(file, PLAIN + done + at, (unsigned)some);
            at += some;
            if (next(8) == 0) ZLIB.flush(file, (int)(1 + next(4)));
        }
        ZLIB.close(file);
        mode[0] = 'a';
        done += part;
    } while (done < length);
    size_t coded = load(path, CODED, 2 * LENGTH_MAX);
    switch (next(8)) {
    case 0: coded = next((uint32_t)coded + 1); break;
    case 1:
        for (uint32_t more = 1 + next(30); more; more--) CODED[coded++] = (unsigned char)next(256);
        break;
    case 2:
        memset(CODED + coded, 0, 600);
        coded += 600;
        break;
    case 3: CODED[coded++] = 31; break;
    case 4: CODED[next((uint32_t)coded)] ^= (unsigned char)(1 << next(8)); break;
    default: return 0;
    }
    save(path, CODED, coded);
    return 1;
}

static int code_of(const Calls *calls, gzFile file, const char **text) {
    int code;
    *text = calls->error(file, &code);
    return code;
}

/* Reads to the end, and returns the code of the error. */
static int drained(const Calls *calls, gzFile file) {
    const char *text;
    while (calls->read(file, A, 5000) > 0) {
    }
    return code_of(calls, file, &text);
}

static int agrees(gzFile ours, gzFile zlib, int is_damaged) {
    const char *our_text, *text;
    int our_code = code_of(&OURS, ours, &our_text), code = code_of(&ZLIB, zlib, &text);
    if (!EXACT && is_damaged && (our_code != code || our_code < Z_ERRNO)) {
        /* The error comes in both. */
        our_code = drained(&OURS, ours);
        code = drained(&ZLIB, zlib);
        /* zlib 1.2.13 can miss that a file is cut off, if a buffer is full there. */
        if (our_code != Z_BUF_ERROR || code != Z_OK) SAME("the error of a damaged file", our_code, code);
        return 0;
    }
    /* How many bytes gzungetc takes depends on what is in the buffer. It takes one after each byte that was read. */
    if (!EXACT && our_code != code && (strstr(our_text, "out of room to push") || strstr(text, "out of room to push"))) return 0;
    SAME("the code of gzerror", our_code, code);
    if (strcmp(our_text, text)) fail("gzerror: %s, and zlib %s", our_text, text);
    SAME("gztell", OURS.tell(ours), ZLIB.tell(zlib));
    SAME("gzeof", OURS.eof(ours), ZLIB.eof(zlib));
    if (EXACT) SAME("gzoffset", OURS.offset(ours), ZLIB.offset(zlib));
    return 1;
}

/* Whether gzseek fails. It forgets an earlier gzseek then, and the position depends on what was in the buffer. */
static int fails(gzFile zlib, off_t offset, int whence) {
    return !EXACT && offset + (whence == SEEK_SET ? 0 : ZLIB.tell(zlib)) < 0;
}

/* gzgetc, the macro. */
static int fast_byte(const Calls *calls, gzFile file) {
    return file->have ? (file->have--, file->pos++, *file->next++) : calls->getc(file);
}

static void reading(const char *path) {
    int is_damaged = make_file(path), has_read = 0;
    gzFile ours = OURS.open(path, "rb"), zlib = ZLIB.open(path, "rb");
    if (!ours || !zlib) fail("gzopen");
    if (next(3) == 0) {
        unsigned size = 1 + next(next(2) ? 50 : 70000);
        SAME("gzbuffer", OURS.buffer(ours, size), ZLIB.buffer(zlib, size));
    }
    for (uint32_t steps = 1 + next(40); steps; steps--) {
        long a = 0, b = 0;
        uint32_t call = next(13), length = next(next(2) ? 300 : 60000);
        snprintf(WHERE, sizeof WHERE, "reading, call %u, length %u", call, length);
        memset(A, 0, length + 2);
        memset(B, 0, length + 2);
        switch (call) {
        case 0:
        case 1:
        case 2:
            a = OURS.read(ours, A, length);
            b = ZLIB.read(zlib, B, length);
            has_read = 1;
            break;
        case 3:
            a = (long)OURS.fread(A, 7, length / 7, ours);
            b = (long)ZLIB.fread(B, 7, length / 7, zlib);
            has_read = 1;
            break;
        case 4:
            a = OURS.gets(ours, (char *)A, (int)length + 1) != NULL;
            b = ZLIB.gets(zlib, (char *)B, (int)length + 1) != NULL;
            has_read = 1;
            break;
        case 5:
            for (uint32_t i = 0; i < length; i++) {
                if ((a = fast_byte(&OURS, ours)) != (b = fast_byte(&ZLIB, zlib))) break;
                A[i] = (unsigned char)a;
                B[i] = (unsigned char)b;
                if (a < 0) break;
            }
            has_read = 1;
            break;
        case 6:
            a = OURS.getc_(ours);
            b = ZLIB.getc_(zlib);
            has_read = 1;
            break;
        case 7:
            /* zlib 1.2.13 crashes if nothing was read before. */
            for (uint32_t i = next(5); has_read && i; i--) {
                int byte = (int)next(258) - 1;
                a = OURS.ungetc(byte, ours);
                b = ZLIB.ungetc(byte, zlib);
                if (a != b) break;
            }
            break;
        case 8: {
            off_t offset = (off_t)next(LENGTH_MAX / (next(2) ? 1 : 20)) - (next(4) ? 0 : 5000);
            int whence = next(8) ? SEEK_SET : (int)next(3);
            if (fails(zlib, offset, whence)) break;
            a = OURS.seek(ours, offset, whence);
            b = ZLIB.seek(zlib, offset, whence);
            break;
        }
        case 9: {
            off_t offset = (off_t)next(30000) - 10000;
            if (fails(zlib, offset, SEEK_CUR)) break;
            a = OURS.seek(ours, offset, SEEK_CUR);
            b = ZLIB.seek(zlib, offset, SEEK_CUR);
            break;
        }
        case 10:
            a = next(3) ? 0 : OURS.rewind(ours) - ZLIB.rewind(zlib);
            break;
        case 11:
            a = OURS.direct(ours);
            b = ZLIB.direct(zlib);
            has_read = 1;
            break;
        default:
            if (next(3) == 0) {
                OURS.clearerr(ours);
                ZLIB.clearerr(zlib);
            }
        }
        if (!agrees(ours, zlib, is_damaged)) break;
        SAME("the result", a, b);
        if (memcmp(A, B, length + 2)) fail("other bytes");
    }
    if (EXACT || !is_damaged) {
        snprintf(WHERE, sizeof WHERE, "reading, the end");
        SAME("gzclose", OURS.close(ours), ZLIB.close(zlib));
    } else {
        OURS.close(ours);
        ZLIB.close(zlib);
    }
}

/* What zlib reads of a file that is perhaps not complete. */
static size_t plain_of(const char *path, unsigned char *plain) {
    size_t length = 0;
    int got;
    gzFile file = ZLIB.open(path, "rb");
    while ((got = ZLIB.read(file, plain + length, 50000)) > 0) length += (size_t)got;
    ZLIB.close(file);
    return length;
}

static void writing(const char *ours_path, const char *zlib_path) {
    static const char *MODES[] = {"w", "wb", "ab", "w1", "w9", "w0", "wh", "wR", "wF", "w6f", "wT", "wx", "we", "aT"};
    const char *mode = MODES[next(sizeof(MODES) / sizeof(*MODES))];
    int has_set = 0, has_written = 0, is_direct = strchr(mode, 'T') != NULL, level_0 = strchr(mode, '0') != NULL;
    if (next(2)) {
        unlink(ours_path);
        unlink(zlib_path);
    } else {
        make_plain(100);
        save(ours_path, PLAIN, 0);
        save(zlib_path, PLAIN, 0);
    }
    gzFile ours = OURS.open(ours_path, mode), zlib = ZLIB.open(zlib_path, mode);
    snprintf(WHERE, sizeof WHERE, "writing, mode %s", mode);
    SAME("gzopen", ours != NULL, zlib != NULL);
    if (!ours) return;
    if (next(3) == 0) {
        unsigned size = 2 + next(next(2) ? 100 : 70000);
        SAME("gzbuffer", OURS.buffer(ours, size), ZLIB.buffer(zlib, size));
    }
    make_plain(LENGTH_MAX);
    PLAIN[LENGTH_MAX] = 0;
    for (uint32_t steps = next(25); steps; steps--) {
        long a = 0, b = 0;
        uint32_t call = next(10), length = next(next(2) ? 300 : 50000), from = next(LENGTH_MAX - length);
        const unsigned char *bytes = PLAIN + from;
        snprintf(WHERE, sizeof WHERE, "writing, mode %s, call %u, length %u", mode, call, length);
        switch (call) {
        case 0:
        case 1:
        case 2:
            a = OURS.write(ours, bytes, length);
            b = ZLIB.write(zlib, bytes, length);
            has_written |= length > 0;
            break;
        case 3:
            a = (long)OURS.fwrite(bytes, 9, length / 9, ours);
            b = (long)ZLIB.fwrite(bytes, 9, length / 9, zlib);
            break;
        case 4: {
            char *text = strndup((const char *)bytes, length);
            a = OURS.puts(ours, text);
            b = ZLIB.puts(zlib, text);
            free(text);
            break;
        }
        case 5:
            for (uint32_t i = 0; i < length && a == b; i++) {
                a = OURS.putc(ours, bytes[i]);
                b = ZLIB.putc(zlib, bytes[i]);
            }
            break;
        case 6:
            for (uint32_t i = next(200); i && a == b; i--) {
                a = OURS.printf(ours, "%u %s\n", from, "of some lines");
                b = ZLIB.printf(zlib, "%u %s\n", from, "of some lines");
            }
            break;
        case 7:
            if (next(2)) {
                int flush = (int)next(6);
                a = OURS.flush(ours, flush);
                b = ZLIB.flush(zlib, flush);
                if (flush >= Z_PARTIAL_FLUSH && flush <= Z_FINISH && next(3) == 0) {
                    size_t our_length = plain_of(ours_path, A), zlib_length = plain_of(zlib_path, B);
                    SAME("the length after a flush", our_length, zlib_length);
                    if (memcmp(A, B, zlib_length)) fail("other bytes after a flush");
                }
            }
            break;
        case 8:
            if (next(2)) {
                int level = (int)next(11) - 1, strategy = (int)next(5);
                /* zlib 1.2.13 then uses a stream of deflate that it has not made. */
                if (is_direct) break;
                a = OURS.setparams(ours, level, strategy);
                b = ZLIB.setparams(zlib, level, strategy);
                has_set = 1;
            }
            break;
        default: {
            /* zlib 1.2.13 writes bytes without a value in place of zeros if nothing was written before. */
            off_t offset = (off_t)next(30000) - 5000;
            if (!has_written) break;
            a = OURS.seek(ours, offset, SEEK_CUR);
            b = ZLIB.seek(zlib, offset, SEEK_CUR);
        }
        }
        SAME("the result", a, b);
        SAME("gztell", OURS.tell(ours), ZLIB.tell(zlib));
        SAME("gzdirect", OURS.direct(ours), ZLIB.direct(zlib));
        SAME("gzread", OURS.read(ours, A, 1), ZLIB.read(zlib, B, 1));
    }
    snprintf(WHERE, sizeof WHERE, "writing, mode %s, the end", mode);
    SAME("gzclose", OURS.close(ours), ZLIB.close(zlib));
    size_t our_length = plain_of(ours_path, A), zlib_length = plain_of(zlib_path, B);
    SAME("the length", our_length, zlib_length);
    if (memcmp(A, B, our_length)) fail("other bytes");
    if (is_direct || (EXACT && !has_set && !level_0)) {
        our_length = load(ours_path, A, 30 * LENGTH_MAX);
        zlib_length = load(zlib_path, B, 30 * LENGTH_MAX);
        SAME("the coded length", our_length, zlib_length);
        if (memcmp(A, B, our_length)) fail("other coded bytes");
    }
}

int main(int count, char **words) {
    char ours_path[4096], zlib_path[4096];
    if (count < 5) return 2;
    EXACT = count > 5;
    PLAIN = malloc(LENGTH_MAX + 1);
    CODED = malloc(3 * LENGTH_MAX);
    A = malloc(30 * LENGTH_MAX);
    B = malloc(30 * LENGTH_MAX);
    ZLIB = calls_of("libz.so.1");
    OURS = calls_of(words[1]);
    if (OURS.read == ZLIB.read) fail("both are the same library");
    snprintf(ours_path, sizeof ours_path, "%s/ours.gz", words[2]);
    snprintf(zlib_path, sizeof zlib_path, "%s/zlib.gz", words[2]);
    uint64_t first = strtoull(words[3], NULL, 10), last = first + strtoull(words[4], NULL, 10);
    for (SEED = first; SEED < last; SEED++) {
        STATE = SEED * 0x9e3779b97f4a7c15u + 1;
        next(1);
        if (next(3))
            reading(ours_path);
        else
            writing(ours_path, zlib_path);
    }
    return 0;
}
