"""Where the parts of an output go, and how they become one file.

A target has two sides. Tasks call `put` with numbered bytes, wherever they run. The driver calls `finish` with what the
calls of `put` returned, or `abort`. To put the same part twice does no harm: both have the same bytes, and the second one
takes the place of the first.
"""

import os
import shutil
import time
import uuid

from .._errors import PzcompError
from .._splits import open_store

#: What S3 allows: bytes in a part that is not the last, numbers of parts, and bytes in a part.
S3_PART_MIN = 5 << 20
S3_PARTS_MAX = 10_000
S3_PART_MAX = 5 << 30

_COPY_LEN = 16 << 20


def put_again(target, number, data):
    """Puts a part from the process that calls, which no engine does again."""
    for wait in (1, 5):
        try:
            return target.put(number, data)
        except OSError:
            time.sleep(wait)
    return target.put(number, data)


class Parts:
    """Parts as files beside the output, in any store of fsspec. The driver writes them one behind the other."""

    #: The fewest bytes of a part that is not the last, and the most.
    minimum, maximum = 0, 1 << 62
    #: The greatest number of a part.
    most = 1_000_000

    def __init__(self, url, storage_options):
        self.url, self.storage_options = url, storage_options
        store, path = open_store(url, storage_options)
        self._folder = f"{path}.parts-{uuid.uuid4().hex[:12]}"
        if _is_local(store):
            # A folder that is missing is an error, as in `pzcomp.open`: it may be a typing error, or a disk that is absent.
            os.mkdir(self._folder)
        else:
            store.makedirs(self._folder, exist_ok=False)

    def put(self, number, data):
        """Writes a part. Returns what the driver needs to find it."""
        store, _ = open_store(self.url, self.storage_options)
        path = f"{self._folder}/{number:06}"
        # A reader of this path sees all of a part or nothing, whatever happens to this process.
        attempt = f"{path}.{uuid.uuid4().hex[:8]}"
        with store.open(attempt, "wb") as file:
            file.write(data)
        if _is_local(store):
            os.replace(attempt, path)
        else:
            store.mv(attempt, path)
        return path

    def finish(self, parts, tail):
        """Makes one file of the parts, in the order of their numbers, and the bytes `tail` behind them."""
        store, path = open_store(self.url, self.storage_options)
        paths = [found for _, found in sorted(parts)]
        if _is_local(store):
            self._join_local(path, paths, tail)
        else:
            # A store shows the file when it is closed. A copy that breaks off must not be closed.
            file = store.open(path, "wb")
            try:
                for part in paths:
                    with store.open(part, "rb") as found:
                        shutil.copyfileobj(found, file, _COPY_LEN)
                file.write(tail)
            except BaseException:
                if hasattr(file, "discard"):
                    file.discard()
                raise
            file.close()
        self.abort()

    def _join_local(self, path, paths, tail):
        joined = f"{self._folder}/joined"
        with open(joined, "wb") as file:
            for part in paths:
                with open(part, "rb") as found:
                    _copy(found, file)
                # The disk holds each part once only.
                os.unlink(part)
            file.write(tail)
            file.flush()
            os.fsync(file.fileno())
        os.replace(joined, path)

    def abort(self):
        """Removes the parts."""
        store, _ = open_store(self.url, self.storage_options)
        # A task that was cancelled may still write a part.
        for _ in range(5):
            try:
                store.invalidate_cache()
                if not store.exists(self._folder):
                    return
                store.rm(self._folder, recursive=True)
            except FileNotFoundError:
                continue
            except OSError:
                time.sleep(0.2)


def _copy(found, file):
    """Copies a file to the end of another. The system does it, if it can."""
    left = os.fstat(found.fileno()).st_size
    try:
        while left > 0:
            copied = os.copy_file_range(found.fileno(), file.fileno(), left)
            if copied == 0:
                break
            left -= copied
    except OSError:
        pass
    if left > 0:
        found.seek(-left, os.SEEK_END)
        shutil.copyfileobj(found, file, _COPY_LEN)
        file.flush()


def _is_local(store):
    protocol = store.protocol
    return "file" in ((protocol,) if isinstance(protocol, str) else protocol)


class S3Parts:
    """Parts of a multipart upload to S3. The output appears when the upload is completed."""

    minimum, maximum, most = S3_PART_MIN, S3_PART_MAX, S3_PARTS_MAX

    def __init__(self, url, storage_options):
        self.url, self.storage_options = url, storage_options
        store, path = open_store(url, storage_options)
        self._bucket, self._key, _ = store.split_path(path)
        self._upload = self._call("create_multipart_upload")["UploadId"]

    def _call(self, method, **arguments):
        store, _ = open_store(self.url, self.storage_options)
        return store.call_s3(method, Bucket=self._bucket, Key=self._key, **arguments)

    def put(self, number, data):
        data = bytes(data)
        return self._call("upload_part", UploadId=self._upload, PartNumber=number, Body=data)["ETag"]

    def finish(self, parts, tail):
        parts = sorted(parts)
        number = parts[-1][0] + 1 if parts else 1
        if tail or not parts:
            parts.append((number, put_again(self, number, tail)))
        named = {"Parts": [{"PartNumber": number, "ETag": tag} for number, tag in parts]}
        self._call("complete_multipart_upload", UploadId=self._upload, MultipartUpload=named)
        open_store(self.url, self.storage_options)[0].invalidate_cache()

    def abort(self):
        """Ends the upload, and goes on until S3 has no part of it: a part may arrive behind the first call."""
        for _ in range(20):
            try:
                self._call("abort_multipart_upload", UploadId=self._upload)
                if not self._call("list_parts", UploadId=self._upload).get("Parts"):
                    return
            except FileNotFoundError:
                return
            except OSError as error:
                if "NoSuchUpload" in str(error) or "does not exist" in str(error):
                    return
            time.sleep(0.5)
        raise PzcompError(f"the multipart upload {self._upload} to {self.url} could not be aborted; abort it by hand")


class LocalPlaces:
    """A local file, or one of a file system that all machines share, in which each part has its place."""

    minimum, maximum, most = 0, 1 << 62, 1 << 62

    def __init__(self, url, storage_options):
        self.url, self.storage_options = url, storage_options
        _, self._path = open_store(url, storage_options)
        self._part = f"{self._path}.{uuid.uuid4().hex[:12]}.part"
        with open(self._part, "xb"):
            pass

    def put(self, offset, data):
        # The file must be there: a task that was cancelled must not make it again.
        with open(self._part, "r+b", buffering=0) as file:
            left = memoryview(data)
            while left:
                written = os.pwrite(file.fileno(), left, offset)
                left, offset = left[written:], offset + written
        return None

    def finish(self, length):
        with open(self._part, "r+b") as file:
            found = os.fstat(file.fileno()).st_size
            if found != length:
                raise PzcompError(f"{self._part} has {found} bytes, expected {length}; do all machines share the folder?")
            os.fsync(file.fileno())
        os.replace(self._part, self._path)

    def abort(self):
        try:
            os.unlink(self._part)
        except FileNotFoundError:
            pass


def parts_of(url, storage_options):
    """The parts for an output at this URL."""
    store, _ = open_store(url, storage_options)
    return (S3Parts if hasattr(store, "call_s3") else Parts)(url, storage_options)


def is_local(url, storage_options):
    return _is_local(open_store(url, storage_options)[0])
