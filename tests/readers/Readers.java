// Reads files by Java's own classes, by commons-compress and by Hadoop's codecs.
//
// Each line of standard input has the name of a reader, a tab and the name of a file. Each line of the output has both,
// and the SHA-256 of the plain bytes or the word "error" with the message. Hadoop's codecs are only there if its jars are.

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipInputStream;
import org.apache.commons.compress.archivers.zip.ZipArchiveInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorInputStream;
import org.apache.commons.compress.compressors.lzma.LZMACompressorInputStream;
import org.apache.commons.compress.compressors.snappy.FramedSnappyCompressorInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.apache.commons.compress.compressors.zstandard.ZstdCompressorInputStream;

class Readers {
    public static void main(String[] arguments) throws Exception {
        var lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            var fields = line.split("\t");
            String result;
            try (var file = new BufferedInputStream(new FileInputStream(fields[1]))) {
                result = hash(plain(fields[0], file));
            } catch (Exception | Error error) {
                result = "error\t" + error.toString().replaceAll("\\s+", " ");
            }
            System.out.println(line + "\t" + result);
        }
    }

    static InputStream plain(String reader, InputStream file) throws Exception {
        switch (reader) {
            case "java gzip": return new GZIPInputStream(file);
            case "java zlib": return new InflaterInputStream(file);
            case "java zip": {
                var zip = new ZipInputStream(file);
                zip.getNextEntry();
                return zip;
            }
            case "commons-compress zip": {
                var zip = new ZipArchiveInputStream(file);
                zip.getNextZipEntry();
                return zip;
            }
            case "commons-compress gzip": return new GzipCompressorInputStream(file, true);
            case "commons-compress bzip2": return new BZip2CompressorInputStream(file, true);
            case "commons-compress xz": return new XZCompressorInputStream(file, true);
            case "commons-compress lzma": return new LZMACompressorInputStream(file);
            case "commons-compress lz4": return new FramedLZ4CompressorInputStream(file, true);
            case "commons-compress snappy": return new FramedSnappyCompressorInputStream(file);
            case "commons-compress zstd": return new ZstdCompressorInputStream(file);
            case "hadoop gzip": return hadoop("GzipCodec", file);
            case "hadoop bzip2": return hadoop("BZip2Codec", file);
            case "hadoop zlib": return hadoop("DefaultCodec", file);
            default: throw new IllegalArgumentException("no reader " + reader);
        }
    }

    /** A codec of Hadoop, found at run time, because the other readers do not need its jars. */
    static InputStream hadoop(String codec, InputStream file) throws Exception {
        var configuration = Class.forName("org.apache.hadoop.conf.Configuration");
        var settings = configuration.getConstructor().newInstance();
        var type = Class.forName("org.apache.hadoop.io.compress." + codec);
        var instance = type.getConstructor().newInstance();
        type.getMethod("setConf", configuration).invoke(instance, settings);
        return (InputStream) type.getMethod("createInputStream", InputStream.class).invoke(instance, file);
    }

    static String hash(InputStream plain) throws Exception {
        var digest = MessageDigest.getInstance("SHA-256");
        var bytes = new byte[1 << 16];
        for (int len; (len = plain.read(bytes)) >= 0; ) {
            digest.update(bytes, 0, len);
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
