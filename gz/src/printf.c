/* gzprintf and gzvprintf: functions with a variable number of arguments, which Rust cannot define.
 * calls/write.rs has the rest. */
#include <stdarg.h>
#include <stdio.h>

/* The room for the text. Returns 0, or what the caller gets. */
int pz_gz_text_room(void *file, char **room, unsigned *size);
/* The text has this length. Returns what the caller gets. */
int pz_gz_text_written(void *file, unsigned length);
/* gzvprintf of zlib, if all calls go there, or if the file is one of zlib. */
typedef int pz_gz_vprintf(void *file, const char *format, va_list arguments);
pz_gz_vprintf *pz_gz_real_vprintf(void *file);

int gzvprintf(void *file, const char *format, va_list arguments) {
    char *room;
    unsigned size;
    int result, length;
    pz_gz_vprintf *real = pz_gz_real_vprintf(file);
    if (real) return real(file, format, arguments);
    result = pz_gz_text_room(file, &room, &size);
    if (result) return result;
    room[size - 1] = 0;
    length = vsnprintf(room, size, format, arguments);
    if (length <= 0 || (unsigned)length >= size || room[size - 1]) return 0;
    return pz_gz_text_written(file, (unsigned)length);
}

int gzprintf(void *file, const char *format, ...) {
    va_list arguments;
    int result;
    va_start(arguments, format);
    result = gzvprintf(file, format, arguments);
    va_end(arguments);
    return result;
}
