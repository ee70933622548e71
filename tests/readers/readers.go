// Reads files by Go's standard library and by the packages that most Go programs use beside it.
//
// Each line of standard input has the name of a reader, a tab and the name of a file. Each line of the output has both,
// and the SHA-256 of the plain bytes or the word "error" with the message.
package main

import (
	"archive/zip"
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strings"

	fastgzip "github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"
)

func plain(reader string, file *os.File) (io.Reader, error) {
	input := bufio.NewReader(file)
	switch reader {
	case "go gzip":
		return gzip.NewReader(input)
	case "go zlib":
		return zlib.NewReader(input)
	case "go bzip2":
		return bzip2.NewReader(input), nil
	case "go zip":
		about, err := file.Stat()
		if err != nil {
			return nil, err
		}
		archive, err := zip.NewReader(file, about.Size())
		if err != nil {
			return nil, err
		}
		return archive.File[0].Open()
	case "klauspost gzip":
		return fastgzip.NewReader(input)
	case "klauspost zstd":
		return zstd.NewReader(input)
	case "klauspost snappy":
		return s2.NewReader(input), nil
	case "pierrec lz4":
		return lz4.NewReader(input), nil
	case "ulikunitz xz":
		return xz.NewReader(input)
	case "ulikunitz lzma":
		return lzma.NewReader(input)
	}
	return nil, fmt.Errorf("no reader %s", reader)
}

func hash(reader, name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	bytes, err := plain(reader, file)
	if err != nil {
		return "", err
	}
	digest := sha256.New()
	if _, err := io.Copy(digest, bytes); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", digest.Sum(nil)), nil
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		reader, name, _ := strings.Cut(lines.Text(), "\t")
		result, err := hash(reader, name)
		if err != nil {
			result = "error\t" + strings.Join(strings.Fields(err.Error()), " ")
		}
		fmt.Printf("%s\t%s\n", lines.Text(), result)
	}
}
