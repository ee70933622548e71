from ._plain_files import PlainFileSystem as PlainFileSystem

COMPRESSIONS: tuple[tuple[str, str, list[str]], ...]

def register(force: bool = True) -> None: ...
