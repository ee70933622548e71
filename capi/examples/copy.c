/* Compresses standard input to standard output, or decompresses it with -d. */
#include <pzcomp.h>

#include <stdio.h>
#include <string.h>

static char bytes[1 << 16];

static int failed(void) {
    fprintf(stderr, "copy: %s\n", pz_error_message());
    return 1;
}

static int compress(void) {
    pz_writer *writer = pz_writer_descriptor(NULL, 1);
    size_t length;
    if (!writer)
        return failed();
    while ((length = fread(bytes, 1, sizeof bytes, stdin)) > 0) {
        if (pz_write(writer, bytes, length) != PZ_OK) {
            int status = failed();
            pz_writer_abort(writer);
            return status;
        }
    }
    if (ferror(stdin)) {
        perror("copy: standard input");
        pz_writer_abort(writer);
        return 1;
    }
    return pz_writer_finish(writer) == PZ_OK ? 0 : failed();
}

static int decompress(void) {
    pz_reader *reader = pz_reader_descriptor(NULL, 0);
    ptrdiff_t length;
    int status;
    if (!reader)
        return failed();
    while ((length = pz_read(reader, bytes, sizeof bytes)) > 0)
        if (fwrite(bytes, 1, (size_t)length, stdout) < (size_t)length)
            break;
    status = length < 0 ? failed() : 0;
    if (fflush(stdout) || ferror(stdout)) {
        perror("copy: standard output");
        status = 1;
    }
    pz_reader_close(reader);
    return status;
}

int main(int count, char **words) {
    return count > 1 && !strcmp(words[1], "-d") ? decompress() : compress();
}
