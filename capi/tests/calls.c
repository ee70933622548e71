/* Every call of pzcomp.h, and its errors. The argument is a folder for files. */
#define _POSIX_C_SOURCE 200809L
#include <pzcomp.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                              \
    do {                                                                                              \
        if (!(condition)) {                                                                           \
            fprintf(stderr, "%s:%d: %s; last error %d: %s\n", __FILE__, __LINE__, #condition,         \
                    pz_error_code(), pz_error_message());                                             \
            exit(1);                                                                                  \
        }                                                                                             \
    } while (0)

#define LENGTH ((size_t)3000000)
static unsigned char plain[LENGTH];

static void fill(void) {
    uint32_t state = 1;
    size_t at;
    for (at = 0; at < LENGTH; at++) {
        if (at % 8 == 0)
            state = state * 1664525 + 1013904223;
        plain[at] = (unsigned char)(at % 8 == 7 ? '\n' : 'a' + (state >> 28) + at % 8);
    }
}

static pz_options *format(const char *name) {
    pz_options *options = pz_options_new();
    CHECK(options);
    CHECK(pz_options_text(options, "format", name) == PZ_OK);
    return options;
}

static void memory_to_memory(void) {
    const char *names[] = {"zstd", "gzip", "lz4", "xz", "bzip2", "lzip", "snappy", "zlib", "zip"};
    size_t place;
    for (place = 0; place < sizeof names / sizeof *names; place++) {
        pz_options *options = format(names[place]);
        void *coded, *back;
        size_t coded_length, back_length;
        if (strcmp(names[place], "snappy"))
            CHECK(pz_options_number(options, "level", 1) == PZ_OK);
        CHECK(pz_compress(options, plain, LENGTH, &coded, &coded_length) == PZ_OK);
        CHECK(coded_length < LENGTH * 9 / 10);
        /* zlib is not recognised by its first bytes. */
        CHECK(pz_options_text(options, "accept", names[place]) == PZ_OK);
        CHECK(pz_decompress(options, coded, coded_length, &back, &back_length) == PZ_OK);
        CHECK(back_length == LENGTH && !memcmp(back, plain, LENGTH));
        pz_free(back);
        CHECK(pz_decompress(options, coded, coded_length / 2, &back, &back_length) == PZ_DAMAGED);
        CHECK(strlen(pz_error_message()) > 20 && pz_error_code() == PZ_DAMAGED);
        pz_free(coded);
        pz_options_free(options);
    }
}

static void limits_and_errors(void) {
    pz_options *options = pz_options_new();
    void *coded, *back;
    size_t coded_length, back_length;
    CHECK(pz_options_number(options, "levle", 3) == PZ_INVALID && strstr(pz_error_message(), "level"));
    CHECK(pz_options_number(options, "index", 2) == PZ_INVALID);
    CHECK(pz_options_number(options, NULL, 2) == PZ_INVALID);
    CHECK(pz_options_number(NULL, "level", 2) == PZ_INVALID);
    CHECK(pz_options_text(options, "format", "zstf") == PZ_INVALID && strstr(pz_error_message(), "zstd"));
    CHECK(pz_options_text(options, "layout", "bgzf") == PZ_OK);
    CHECK(pz_compress(options, plain, 10, &coded, &coded_length) == PZ_INVALID);
    pz_options_free(options);

    CHECK(pz_compress(NULL, plain, LENGTH, &coded, &coded_length) == PZ_OK);
    options = pz_options_new();
    CHECK(pz_options_number(options, "max_output", 1000) == PZ_OK);
    CHECK(pz_decompress(options, coded, coded_length, &back, &back_length) == PZ_LIMIT);
    pz_options_free(options);
    options = pz_options_new();
    CHECK(pz_options_text(options, "accept", "gzip") == PZ_OK);
    CHECK(pz_decompress(options, coded, coded_length, &back, &back_length) == PZ_DAMAGED);
    pz_options_free(options);
    CHECK(pz_compress(NULL, NULL, 10, &coded, &coded_length) == PZ_INVALID);
    CHECK(pz_compress(NULL, plain, 10, NULL, &coded_length) == PZ_INVALID);
    CHECK(pz_compress(NULL, plain, SIZE_MAX, &coded, &coded_length) == PZ_INVALID);
    pz_free(coded);
    pz_free(NULL);
    CHECK(pz_decompress(NULL, NULL, 0, &back, &back_length) == PZ_DAMAGED);
    CHECK(!pz_writer_path(NULL, "/nowhere/file") && pz_error_code() == PZ_SYSTEM);
    CHECK(strstr(pz_error_message(), "/nowhere/file"));
    CHECK(!pz_reader_path(NULL, NULL) && pz_error_code() == PZ_INVALID);
    CHECK(!pz_open(NULL, "/nowhere/file") && pz_error_code() == PZ_SYSTEM);
    CHECK(pz_write(NULL, plain, 1) == PZ_INVALID);
    CHECK(pz_read(NULL, plain, 0) == -1);
    CHECK(pz_writer_finish(NULL) == PZ_INVALID);
    pz_writer_abort(NULL);
    pz_reader_close(NULL);
    pz_close(NULL);
    pz_options_free(NULL);
}

static void dictionaries(void) {
    pz_options *with = format("zstd");
    void *coded, *back;
    size_t coded_length, back_length;
    CHECK(pz_options_bytes(with, "dictionary", plain, 5000) == PZ_OK);
    CHECK(pz_options_bytes(with, "dict", plain, 5000) == PZ_INVALID);
    CHECK(pz_compress(with, plain + 100, 2000, &coded, &coded_length) == PZ_OK);
    CHECK(coded_length < 500);
    CHECK(pz_decompress(with, coded, coded_length, &back, &back_length) == PZ_OK);
    CHECK(back_length == 2000 && !memcmp(back, plain + 100, 2000));
    pz_free(back);
    CHECK(pz_decompress(NULL, coded, coded_length, &back, &back_length) != PZ_OK);
    pz_free(coded);
    pz_options_free(with);
}

static unsigned char back[LENGTH + 1];

/* Reads everything in steps of some length. */
static void read_all(pz_reader *reader, size_t step) {
    size_t filled = 0;
    ptrdiff_t got;
    CHECK(reader);
    while ((got = pz_read(reader, back + filled, LENGTH + 1 - filled < step ? LENGTH + 1 - filled : step)) > 0)
        filled += (size_t)got;
    CHECK(got == 0 && filled == LENGTH && !memcmp(back, plain, LENGTH));
    pz_reader_close(reader);
}

static void files(const char *folder) {
    char path[4096];
    pz_writer *writer;
    pz_reader *reader;
    pz_file *file;
    pz_info info;
    uint64_t size;
    size_t at;
    pz_options *options = format("gzip");
    FILE *stream;
    snprintf(path, sizeof path, "%s/calls.gz", folder);
    CHECK(pz_options_number(options, "block_size", 100000) == PZ_OK);
    CHECK(pz_options_number(options, "threads", 2) == PZ_OK);
    writer = pz_writer_path(options, path);
    CHECK(writer);
    for (at = 0; at < LENGTH; at += 10000)
        CHECK(pz_write(writer, plain + at, 10000) == PZ_OK);
    CHECK(pz_flush(writer) == PZ_OK);
    CHECK(pz_writer_finish(writer) == PZ_OK);
    read_all(pz_reader_path(NULL, path), 777);

    file = pz_open(NULL, path);
    CHECK(file && pz_size(file, &size) == PZ_OK && size == LENGTH);
    for (at = 0; at < LENGTH; at += 123457) {
        size_t length = LENGTH - at < 5000 ? LENGTH - at : 5000;
        CHECK(pz_pread(file, back, 5000, at) == (ptrdiff_t)length && !memcmp(back, plain + at, length));
    }
    CHECK(pz_pread(file, back, 10, LENGTH) == 0);
    pz_close(file);

    info.size = sizeof info;
    CHECK(pz_inspect(NULL, path, &info) == PZ_OK);
    CHECK(info.plain_length == LENGTH && info.frames == 30 && info.has_index && !strcmp(info.format, "gzip"));
    info.size = 3;
    CHECK(pz_inspect(NULL, path, &info) == PZ_INVALID);

    /* A descriptor stays open. */
    stream = fopen(path, "wb");
    CHECK(stream);
    writer = pz_writer_descriptor(NULL, fileno(stream));
    CHECK(writer && pz_write(writer, plain, LENGTH) == PZ_OK && pz_writer_finish(writer) == PZ_OK);
    CHECK(fclose(stream) == 0);
    stream = fopen(path, "rb");
    CHECK(stream);
    read_all(pz_reader_descriptor(NULL, fileno(stream)), LENGTH);
    CHECK(fclose(stream) == 0);
    CHECK(!pz_writer_descriptor(NULL, -1) && pz_error_code() == PZ_INVALID);

    /* What is given up is refused by readers. */
    writer = pz_writer_path(NULL, path);
    CHECK(writer && pz_write(writer, plain, LENGTH) == PZ_OK);
    pz_writer_abort(writer);
    reader = pz_reader_path(NULL, path);
    CHECK(reader);
    while (pz_read(reader, back, LENGTH) > 0)
        ;
    CHECK(pz_error_code() == PZ_DAMAGED);
    pz_reader_close(reader);
    pz_options_free(options);
}

struct memory {
    unsigned char *bytes;
    size_t length, at;
    ptrdiff_t most;
};

static ptrdiff_t append(void *context, const void *data, size_t length) {
    struct memory *memory = context;
    if (memory->most < 0)
        return -1;
    if (length > (size_t)memory->most)
        length = (size_t)memory->most;
    memory->bytes = realloc(memory->bytes, memory->length + length);
    CHECK(memory->bytes);
    memcpy(memory->bytes + memory->length, data, length);
    memory->length += length;
    return (ptrdiff_t)length;
}

static ptrdiff_t next(void *context, void *data, size_t length) {
    struct memory *memory = context;
    if (memory->most < 0)
        return -1;
    if (length > (size_t)memory->most)
        length = (size_t)memory->most;
    if (length > memory->length - memory->at)
        length = memory->length - memory->at;
    memcpy(data, memory->bytes + memory->at, length);
    memory->at += length;
    return (ptrdiff_t)length;
}

static void callbacks(void) {
    struct memory memory = {NULL, 0, 0, 1000};
    pz_writer *writer = pz_writer_callback(NULL, append, &memory);
    pz_reader *reader;
    CHECK(writer && pz_write(writer, plain, LENGTH) == PZ_OK && pz_writer_finish(writer) == PZ_OK);
    read_all(pz_reader_callback(NULL, next, &memory), 100000);

    memory.most = -1;
    reader = pz_reader_callback(NULL, next, &memory);
    CHECK(reader && pz_read(reader, back, 10) == -1 && pz_error_code() == PZ_SYSTEM);
    CHECK(strstr(pz_error_message(), "callback failed"));
    pz_reader_close(reader);
    writer = pz_writer_callback(NULL, append, &memory);
    if (writer) {
        CHECK(pz_write(writer, plain, LENGTH) != PZ_OK || pz_writer_finish(writer) == PZ_SYSTEM);
    }
    CHECK(pz_error_code() == PZ_SYSTEM);
    CHECK(!pz_writer_callback(NULL, NULL, &memory) && pz_error_code() == PZ_INVALID);
    free(memory.bytes);
}

static pthread_key_t key;

/* A thread that ends has no place for the words of an error any more. */
static void at_end(void *code) {
    *(int *)code = pz_write(NULL, plain, 1);
    CHECK(pz_error_message());
    pz_writer_abort(NULL);
}

static void *fail_and_end(void *code) {
    CHECK(!pthread_setspecific(key, code) && pz_write(NULL, plain, 1) == PZ_INVALID);
    return NULL;
}

static void destructors(void) {
    pthread_t thread;
    int code = PZ_OK;
    CHECK(!pthread_key_create(&key, at_end) && !pthread_create(&thread, NULL, fail_and_end, &code));
    CHECK(!pthread_join(thread, NULL) && code == PZ_INVALID);
}

int main(int count, char **words) {
    CHECK(count == 2 && strcmp(pz_version(), "0.1.0") == 0);
    fill();
    memory_to_memory();
    limits_and_errors();
    dictionaries();
    files(words[1]);
    callbacks();
    destructors();
    return 0;
}
