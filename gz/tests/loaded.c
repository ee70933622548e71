/* A program that loads zlib by itself, as ctypes of Python does. It gets zlib's own functions, even if others are
 * preloaded. Some of zlib's functions call others by name, and those of the preloaded library come then. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef void *File;

static void *zlib;

static void *find(const char *name) {
    void *found = dlsym(zlib, name);
    if (!found) fprintf(stderr, "%s is missing\n", name);
    return found;
}

#define CALL(type, name, parameters) type (*name) parameters = (type (*) parameters)find(#name)

int main(void) {
    char text[64];
    int failed = 0;
    zlib = dlopen("libz.so.1", RTLD_NOW);
    if (!zlib) return 1;
    CALL(File, gzopen, (const char *, const char *));
    CALL(int, gzclose, (File));
    CALL(int, gzwrite, (File, const void *, unsigned));
    CALL(int, gzprintf, (File, const char *, ...));
    CALL(int, gzputs, (File, const char *));
    CALL(int, gzread, (File, void *, unsigned));
    CALL(char *, gzgets, (File, char *, int));
    CALL(int, gzgetc, (File));
    CALL(int, gzrewind, (File));
    File file = gzopen("loaded.gz", "wb");
    failed |= gzwrite(file, "first\n", 6) != 6;
    failed |= gzprintf(file, "number %d\n", 2) != 9;
    failed |= gzputs(file, "third\n") != 6;
    failed |= gzclose(file) != 0;
    file = gzopen("loaded.gz", "rb");
    failed |= gzgets(file, text, sizeof text) != text || strcmp(text, "first\n");
    failed |= gzgetc(file) != 'n';
    failed |= gzrewind(file) != 0;
    failed |= gzread(file, text, sizeof text) != 21 || memcmp(text, "first\nnumber 2\nthird\n", 21);
    failed |= gzclose(file) != 0;
    return failed;
}
