//! The suffixes for the option `--exclude-compressed`, as in zstd 1.5.7.
//!
//! `Args`, and the flags of pzcomp itself, put the table into the request, and `work` skips inputs with these suffixes.
//! The table must be that of the original, because scripts rely on which files are skipped.

/// Suffixes of formats that compression makes no shorter. Upper and lower case make a difference.
pub(in super::super) const SUFFIXES: &[&str] = &[
    ".zst", ".tzst", ".gz", ".tgz", ".lzma", ".xz", ".txz", ".lz4", ".tlz4", ".7z", ".aa3", ".aac", ".aar",
    ".ace", ".alac", ".ape", ".apk", ".apng", ".arc", ".archive", ".arj", ".ark", ".asf", ".avi", ".avif",
    ".ba", ".br", ".bz2", ".cab", ".cdx", ".chm", ".cr2", ".divx", ".dmg", ".dng", ".docm", ".docx", ".dotm",
    ".dotx", ".dsft", ".ear", ".eftx", ".emz", ".eot", ".epub", ".f4v", ".flac", ".flv", ".gho", ".gif",
    ".gifv", ".gnp", ".iso", ".jar", ".jpeg", ".jpg", ".jxl", ".lz", ".lzh", ".m4a", ".m4v", ".mkv", ".mov",
    ".mp2", ".mp3", ".mp4", ".mpa", ".mpc", ".mpe", ".mpeg", ".mpg", ".mpl", ".mpv", ".msi", ".odp", ".ods",
    ".odt", ".ogg", ".ogv", ".otp", ".ots", ".ott", ".pea", ".png", ".pptx", ".qt", ".rar", ".s7z", ".sfx",
    ".sit", ".sitx", ".sqx", ".svgz", ".swf", ".tbz2", ".tib", ".tlz", ".vob", ".war", ".webm", ".webp",
    ".wma", ".wmv", ".woff", ".woff2", ".wvl", ".xlsx", ".xpi", ".xps", ".zip", ".zipx", ".zoo", ".zpaq",
];
