"""The exceptions of pzcomp. The extension module raises them."""


class PzcompError(OSError):
    """Data could not be compressed or decompressed. The other classes say why."""


class DamagedError(PzcompError):
    """The data is damaged, or something is behind it that belongs to no format."""


class TruncatedError(DamagedError, EOFError):
    """The data ends too early. The file is incomplete."""


class FormatError(PzcompError):
    """The data is in no format that pzcomp reads, or not in the one that was asked for, or needs something unsupported."""


class LimitError(PzcompError):
    """The plain data is longer than `max_output` allows."""


for _error in (PzcompError, DamagedError, TruncatedError, FormatError, LimitError):
    _error.__module__ = "pzcomp"
