"""Files that are open when a process forks. In the child they refuse, because their threads are in the parent only.

The raw ends refuse by themselves: the extension module compares the process. But the buffers of the standard library
around them have data of the parent, which the child would give out or write once more, and locks that a thread of the
parent may have held. So the child makes these buffers anew, around the same raw ends. `_file.py` and `_standard.py` note
each buffer that they make.
"""

import io
import os
import weakref

_buffers: weakref.WeakSet[io.IOBase] = weakref.WeakSet()


def note(buffer):
    """Notes a buffer around a raw end, or a text wrapper around one. Returns it."""
    _buffers.add(buffer)
    return buffer


def _empty_in_child():
    # A text wrapper asks the buffer of bytes in it, whose lock must be free by then.
    for buffer in sorted(_buffers, key=lambda buffer: isinstance(buffer, io.TextIOWrapper)):
        _empty(buffer)
    _buffers.clear()


def _empty(buffer):
    # Nothing is held back, so that each call meets the raw end and its error.
    try:
        if isinstance(buffer, io.TextIOWrapper):
            io.TextIOWrapper.__init__(buffer, buffer.buffer, buffer.encoding, buffer.errors, write_through=True)
        elif isinstance(buffer, io.BufferedReader):
            io.BufferedReader.__init__(buffer, buffer.raw, 1)
        else:
            io.BufferedWriter.__init__(buffer, buffer.raw, 1)
    except (ValueError, RuntimeError):
        # It is closed, or without a raw end.
        pass


os.register_at_fork(after_in_child=_empty_in_child)
