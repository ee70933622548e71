/* Prints the plain data of a file, or of standard input without one. What gzdirect and crc32 say goes to standard error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LENGTH_MAX (8 << 20)

int main(int count, char **words) {
    unsigned char *plain = malloc(LENGTH_MAX), again[5000];
    gzFile file = count > 1 ? gzopen(words[1], "rb") : gzdopen(0, "rb");
    int length = 0, got, code;
    if (!plain || !file) return 3;
    while ((got = gzread(file, plain + length, 10000)) > 0) length += got;
    const char *text = gzerror(file, &code);
    if (code != Z_OK) {
        fprintf(stderr, "%s\n", text);
        return 1;
    }
    if (count > 1 && (gzseek(file, 1000, SEEK_SET) != 1000 || gzread(file, again, 5000) != 5000 ||
                      memcmp(again, plain + 1000, 5000))) return 2;
    fwrite(plain, 1, (size_t)length, stdout);
    fprintf(stderr, "direct %d crc %08lx\n", gzdirect(file), crc32(0, plain, (unsigned)length));
    free(plain);
    return gzclose(file) == Z_OK ? 0 : 4;
}
