/* What programs that were compiled earlier rely on: the names and types of the calls, and the values and the layout of the
 * header. A line here changes only together with the number in the name of the library. New calls get a line. */
#include <pzcomp.h>

#define VALUE(name, value) _Static_assert(name == value, #name " has changed")
VALUE(PZ_VERSION_MAJOR, 0);
VALUE(PZ_OK, 0);
VALUE(PZ_INVALID, 1);
VALUE(PZ_SYSTEM, 2);
VALUE(PZ_DAMAGED, 3);
VALUE(PZ_UNSUPPORTED, 4);
VALUE(PZ_MEMORY, 5);
VALUE(PZ_LIMIT, 6);
VALUE(PZ_FORKED, 7);
VALUE(PZ_INTERNAL, 8);
VALUE(PZ_UNKNOWN, UINT64_MAX);

#define FIELD(name, type, offset)                                                                      \
    _Static_assert(offsetof(pz_info, name) == offset, "the place of " #name " has changed");          \
    _Static_assert(_Generic(&((pz_info *)0)->name, type: 1, default: 0), "the type of " #name " has changed")
#if UINTPTR_MAX == UINT64_MAX
FIELD(size, size_t *, 0);
FIELD(coded_length, uint64_t *, 8);
FIELD(plain_length, uint64_t *, 16);
FIELD(frames, uint64_t *, 24);
FIELD(format, char(*)[16], 32);
FIELD(check, char(*)[16], 48);
FIELD(has_index, int *, 64);
_Static_assert(sizeof(pz_info) == 72, "the size of pz_info has changed");
#endif

/* The type of each call, and of callbacks. */
#define CALL(result, name, arguments) result(*const name##_is) arguments = name
CALL(const char *, pz_version, (void));
CALL(int, pz_error_code, (void));
CALL(const char *, pz_error_message, (void));
CALL(pz_options *, pz_options_new, (void));
CALL(int, pz_options_number, (pz_options *, const char *, int64_t));
CALL(int, pz_options_text, (pz_options *, const char *, const char *));
CALL(int, pz_options_bytes, (pz_options *, const char *, const void *, size_t));
CALL(void, pz_options_free, (pz_options *));
CALL(int, pz_compress, (const pz_options *, const void *, size_t, void **, size_t *));
CALL(int, pz_decompress, (const pz_options *, const void *, size_t, void **, size_t *));
CALL(void, pz_free, (void *));
CALL(pz_writer *, pz_writer_path, (const pz_options *, const char *));
CALL(pz_writer *, pz_writer_descriptor, (const pz_options *, int));
CALL(pz_writer *, pz_writer_callback,
     (const pz_options *, ptrdiff_t (*)(void *, const void *, size_t), void *));
CALL(int, pz_write, (pz_writer *, const void *, size_t));
CALL(int, pz_flush, (pz_writer *));
CALL(int, pz_writer_finish, (pz_writer *));
CALL(void, pz_writer_abort, (pz_writer *));
CALL(pz_reader *, pz_reader_path, (const pz_options *, const char *));
CALL(pz_reader *, pz_reader_descriptor, (const pz_options *, int));
CALL(pz_reader *, pz_reader_callback, (const pz_options *, ptrdiff_t (*)(void *, void *, size_t), void *));
CALL(ptrdiff_t, pz_read, (pz_reader *, void *, size_t));
CALL(void, pz_reader_close, (pz_reader *));
CALL(pz_file *, pz_open, (const pz_options *, const char *));
CALL(int, pz_size, (const pz_file *, uint64_t *));
CALL(ptrdiff_t, pz_pread, (const pz_file *, void *, size_t, uint64_t));
CALL(void, pz_close, (pz_file *));
CALL(int, pz_inspect, (const pz_options *, const char *, pz_info *));

int main(void) {
    pz_info info = {.size = sizeof info - 1};
    /* The library has the same size of the structure. */
    return pz_inspect(0, "/", &info) == PZ_INVALID && (info.size++, pz_inspect(0, "/", &info) != PZ_INVALID) ? 0 : 1;
}
