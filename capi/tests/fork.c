/* In a forked child, objects of the parent are refused at once, and new objects work. The argument is a folder. */
#define _POSIX_C_SOURCE 200809L
#include <pzcomp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                              \
    do {                                                                                              \
        if (!(condition)) {                                                                           \
            fprintf(stderr, "%s:%d: %s; %s\n", __FILE__, __LINE__, #condition, pz_error_message());   \
            exit(1);                                                                                  \
        }                                                                                             \
    } while (0)

#define LENGTH ((size_t)8 << 20)

static void child(pz_writer *writer, pz_reader *reader, pz_file *file, const char *plain) {
    char byte;
    void *coded, *back;
    size_t length;
    CHECK(pz_write(writer, "x", 1) == PZ_FORKED && strstr(pz_error_message(), "parent"));
    CHECK(pz_read(reader, &byte, 1) == -1 && pz_error_code() == PZ_FORKED);
    CHECK(pz_pread(file, &byte, 1, 0) == -1 && pz_error_code() == PZ_FORKED);
    CHECK(pz_writer_finish(writer) == PZ_FORKED);
    pz_reader_close(reader);
    pz_close(file);
    CHECK(pz_compress(NULL, plain, LENGTH, &coded, &length) == PZ_OK);
    CHECK(pz_decompress(NULL, coded, length, &back, &length) == PZ_OK && length == LENGTH);
    CHECK(!memcmp(back, plain, LENGTH));
}

int main(int count, char **words) {
    char path[4096], *plain = malloc(LENGTH), byte;
    int status;
    pz_writer *writer;
    pz_reader *reader;
    pz_file *file;
    pid_t process;
    FILE *stream;
    size_t at;
    CHECK(count == 2 && plain);
    for (at = 0; at < LENGTH; at++)
        plain[at] = (char)(at * at >> 9);
    snprintf(path, sizeof path, "%s/fork.zst", words[1]);
    writer = pz_writer_path(NULL, path);
    CHECK(writer && pz_write(writer, plain, LENGTH) == PZ_OK && pz_writer_finish(writer) == PZ_OK);
    reader = pz_reader_path(NULL, path);
    CHECK(reader && pz_read(reader, &byte, 1) == 1);
    file = pz_open(NULL, path);
    CHECK(file && pz_pread(file, &byte, 1, 5) == 1);
    snprintf(path, sizeof path, "%s/fork2.zst", words[1]);
    stream = fopen(path, "w+b");
    CHECK(stream);
    writer = pz_writer_descriptor(NULL, fileno(stream));
    CHECK(writer && pz_write(writer, plain, LENGTH) == PZ_OK);
    process = fork();
    if (process == 0) {
        alarm(60);
        child(writer, reader, file, plain);
        _exit(0);
    }
    CHECK(process > 0 && waitpid(process, &status, 0) == process);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(pz_writer_finish(writer) == PZ_OK);
    CHECK(pz_read(reader, &byte, 1) == 1);
    pz_reader_close(reader);
    pz_close(file);
    fclose(stream);
    free(plain);
    return 0;
}
