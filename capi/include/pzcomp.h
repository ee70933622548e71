/* pzcomp: compresses and decompresses on all cores. libpzcomp(3) explains the interface.
 *
 * Calls that can fail return PZ_OK or a code above 0, a pointer that is NULL, or a length below 0. pz_error_message then
 * has a sentence. No call keeps a pointer to memory of the caller, but for the context of a callback.
 *
 * An object may be used by one thread at a time. A pz_file may be used by several. In a child that was forked, objects of
 * the parent are refused with PZ_FORKED, and may be closed; new objects work.
 */
#ifndef PZCOMP_H
#define PZCOMP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. A later library has all calls of this header as long as the first number is the same. */
#define PZ_VERSION_MAJOR 0
#define PZ_VERSION_MINOR 1

/* Why a call failed. Later versions may have more codes. */
enum {
    PZ_OK = 0,
    PZ_INVALID = 1,     /* an argument or an option is wrong */
    PZ_SYSTEM = 2,      /* the system, or a callback, cannot read or write */
    PZ_DAMAGED = 3,     /* the data is damaged, cut off, or not compressed */
    PZ_UNSUPPORTED = 4, /* the data is valid, but cannot be read here, as without its dictionary */
    PZ_MEMORY = 5,      /* more memory is needed than the system has, or than "memory" allows */
    PZ_LIMIT = 6,       /* the plain data is longer than "max_output" allows */
    PZ_FORKED = 7,      /* the object belongs to the parent of this process */
    PZ_INTERNAL = 8     /* a fault of the library: please report it */
};

typedef struct pz_options pz_options;
typedef struct pz_writer pz_writer;
typedef struct pz_reader pz_reader;
typedef struct pz_file pz_file;

/* The version of the library, as "0.1.0". */
const char *pz_version(void);

/* The code and the sentence of the last call that failed in this thread. The sentence is valid until the next one. */
int pz_error_code(void);
const char *pz_error_message(void);

/* Options for writing and for reading. Each call that takes options accepts NULL for the usual ones, which write zstd.
 * The caller may free the options when the call has returned. Names and values: libpzcomp(3). */
pz_options *pz_options_new(void);
int pz_options_number(pz_options *options, const char *name, int64_t value);
int pz_options_text(pz_options *options, const char *name, const char *value);
int pz_options_bytes(pz_options *options, const char *name, const void *data, size_t length);
void pz_options_free(pz_options *options);

/* Memory to memory. The result is freed with pz_free. */
int pz_compress(const pz_options *options, const void *data, size_t length, void **result, size_t *result_length);
int pz_decompress(const pz_options *options, const void *data, size_t length, void **result, size_t *result_length);
void pz_free(void *result);

/* Writes all bytes and returns how many of them were taken, at least 1; or -1. It runs in calls of the writer, does not
 * use that writer, and lets no exception out. */
typedef ptrdiff_t (*pz_write_callback)(void *context, const void *data, size_t length);
/* Reads at most length bytes and returns how many, 0 at the end; or -1. The same holds for it and its reader. */
typedef ptrdiff_t (*pz_read_callback)(void *context, void *data, size_t length);

/* Compresses what is written. The path is created, or emptied. The descriptor is the caller's, who closes it after the
 * writer. On Windows paths are UTF-8, and the number of a HANDLE takes the place of a descriptor. */
pz_writer *pz_writer_path(const pz_options *options, const char *path);
pz_writer *pz_writer_descriptor(const pz_options *options, int descriptor);
pz_writer *pz_writer_callback(const pz_options *options, pz_write_callback callback, void *context);
/* All bytes are taken, or the call fails. */
int pz_write(pz_writer *writer, const void *data, size_t length);
/* Writes what was taken so far, so that a reader can read it. */
int pz_flush(pz_writer *writer);
/* Ends the compressed data, and frees the writer in any case. The data is whole only if this returns PZ_OK. */
int pz_writer_finish(pz_writer *writer);
/* Frees the writer. What was written is left unfinished, so that every reader refuses it. */
void pz_writer_abort(pz_writer *writer);

/* Decompresses what is read, of any format. The caller closes the descriptor after the reader. */
pz_reader *pz_reader_path(const pz_options *options, const char *path);
pz_reader *pz_reader_descriptor(const pz_options *options, int descriptor);
pz_reader *pz_reader_callback(const pz_options *options, pz_read_callback callback, void *context);
/* The length that was read, 0 only at the end of whole data; or -1. */
ptrdiff_t pz_read(pz_reader *reader, void *data, size_t length);
void pz_reader_close(pz_reader *reader);

/* The plain data of a compressed file, from any place. */
pz_file *pz_open(const pz_options *options, const char *path);
/* The length of the plain data. Without an index in the file, the first call decodes it. */
int pz_size(const pz_file *file, uint64_t *size);
/* Less than the length is read only at the end of the data; -1 is an error. */
ptrdiff_t pz_pread(const pz_file *file, void *data, size_t length, uint64_t offset);
void pz_close(pz_file *file);

/* What a compressed file holds. */
typedef struct pz_info {
    size_t size;           /* the caller sets it to sizeof(pz_info) */
    uint64_t coded_length; /* bytes of the compressed data */
    uint64_t plain_length; /* bytes of the plain data, or PZ_UNKNOWN */
    uint64_t frames;       /* frames, members, blocks or streams, or PZ_UNKNOWN */
    char format[16];       /* the format of the first frame */
    char check[16];        /* the check of the first frame, or "-" */
    int has_index;         /* whether an index states where the frames are */
} pz_info;
#define PZ_UNKNOWN UINT64_MAX
/* Reads as little of the file as possible. */
int pz_inspect(const pz_options *options, const char *path, pz_info *info);

#ifdef __cplusplus
}
#endif
#endif
