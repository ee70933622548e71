// Compresses standard input to standard output, or decompresses it with -d, by cgo:
//
//	go build copy.go
package main

// #cgo LDFLAGS: -lpzcomp
// #include <pzcomp.h>
import "C"

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"unsafe"
)

// locked runs calls on one thread, because the library has its errors for each thread.
func locked(calls func() bool) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if calls() {
		return nil
	}
	return errors.New(C.GoString(C.pz_error_message()))
}

// Writer is an io.WriteCloser. The data is whole only if Close returns nil.
type Writer struct {
	object *C.pz_writer
	file   *os.File // Go closes files that nothing refers to.
}

func NewWriter(file *os.File) (*Writer, error) {
	writer := &Writer{file: file}
	err := locked(func() bool {
		writer.object = C.pz_writer_descriptor(nil, C.int(file.Fd()))
		return writer.object != nil
	})
	return writer, err
}

func (writer *Writer) Write(data []byte) (int, error) {
	if len(data) == 0 {
		return 0, nil
	}
	err := locked(func() bool {
		return C.pz_write(writer.object, unsafe.Pointer(&data[0]), C.size_t(len(data))) == C.PZ_OK
	})
	if err != nil {
		return 0, err
	}
	return len(data), nil
}

func (writer *Writer) Close() error {
	return locked(func() bool { return C.pz_writer_finish(writer.object) == C.PZ_OK })
}

// Reader is an io.ReadCloser.
type Reader struct {
	object *C.pz_reader
	file   *os.File
}

func NewReader(file *os.File) (*Reader, error) {
	reader := &Reader{file: file}
	err := locked(func() bool {
		reader.object = C.pz_reader_descriptor(nil, C.int(file.Fd()))
		return reader.object != nil
	})
	return reader, err
}

func (reader *Reader) Read(data []byte) (int, error) {
	if len(data) == 0 {
		return 0, nil
	}
	var length C.ptrdiff_t
	err := locked(func() bool {
		length = C.pz_read(reader.object, unsafe.Pointer(&data[0]), C.size_t(len(data)))
		return length >= 0
	})
	if err != nil {
		return 0, err
	}
	if length == 0 {
		return 0, io.EOF
	}
	return int(length), nil
}

func (reader *Reader) Close() error {
	C.pz_reader_close(reader.object)
	return nil
}

func run() error {
	if len(os.Args) > 1 && os.Args[1] == "-d" {
		reader, err := NewReader(os.Stdin)
		if err != nil {
			return err
		}
		defer reader.Close()
		_, err = io.Copy(os.Stdout, reader)
		return err
	}
	writer, err := NewWriter(os.Stdout)
	if err != nil {
		return err
	}
	if _, err := io.Copy(writer, os.Stdin); err != nil {
		C.pz_writer_abort(writer.object)
		return err
	}
	return writer.Close()
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "copy:", err)
		os.Exit(1)
	}
}
