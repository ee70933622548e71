complete -c pzcomp -s o -l output -d 'Write to FILE, all input one after the other; - is standard output' -r -F
complete -c pzcomp -s S -l suffix -d 'Suffix of compressed files, in place of the format\'s own' -r
complete -c pzcomp -s F -l format -d 'Format to write [default: zstd]' -r -f -a "zstd\t''
gzip\t''
lz4\t''
xz\t''
bzip2\t''
lzip\t''"
complete -c pzcomp -l level -d 'Level, also given as -N: the higher, the smaller and slower. zstd 1 to 22 (3), gzip 0 to 12 (6), lz4 1 to 12 (1), xz 0 to 9 (6), bzip2 1 to 9 (9), lzip 0 to 9 (6)' -r
complete -c pzcomp -l fast -d 'Faster than level 1, the more the larger N is, where the format has such levels; else its lowest level' -r
complete -c pzcomp -s p -s T -l threads -d 'Number of worker threads; 0, the default, is the CPUs this process may use' -r
complete -c pzcomp -s b -l block-size -d 'Plain bytes in each frame, as 1M or 256K; by default it grows with the level' -r
complete -c pzcomp -s M -l memory -d 'Ceiling for the memory of buffers and codecs, as 64M' -r
complete -c pzcomp -l bench-formats -d 'Formats to measure, as zstd,gzip [default: all, or that of -F]' -r
complete -c pzcomp -l bench-levels -d 'Levels to measure, as 1,3,6-9 [default: 1,3,6,9, or the one given]; a format leaves out those that it does not have' -r
complete -c pzcomp -l bench-seconds -d 'Seconds for each format and level, half of them for each direction; at least one pass is made [default: 3]' -r
complete -c pzcomp -l bench-sample -d 'Sample so much, evenly; a pipe is read to its end for that [default: 32M for each thread, from 64M to 1G]' -r
complete -c pzcomp -l target -d 'Name the smallest format and level that compresses so much plain data a second, as 300MB/s or 10Gbit/s' -r
complete -c pzcomp -l max-size -d 'Name the fastest format and level that gets below this part of the plain size, as 25%' -r
complete -c pzcomp -l json -d 'Write the results to FILE as JSON (docs/bench.schema.json); - is standard output' -r -F
complete -c pzcomp -l csv -d 'Write the results to FILE as comma-separated values; - is standard output' -r -F
complete -c pzcomp -l plot -d 'Draw speed against size to FILE.svg or FILE.png' -r -F
complete -c pzcomp -l generate -d 'Print a file of the distribution: bash, zsh or fish for completions, or a man page such as gzip.1' -r
complete -c pzcomp -l as -d 'Be the program of this name, as gzip; must be the first option, and what follows is that program\'s' -r
complete -c pzcomp -l install-links -d 'Make links of all those names in DIR, which turn this program into theirs' -r -f -a "(__fish_complete_directories)"
complete -c pzcomp -s d -l decompress -d 'Decompress; the format is recognised by its bytes'
complete -c pzcomp -s t -l test -d 'Decode and check everything, write nothing'
complete -c pzcomp -s l -l list -d 'Print format, frames, sizes, ratio, check and whether there is an index'
complete -c pzcomp -s c -l stdout -d 'Write to standard output, all files one after the other, and keep them'
complete -c pzcomp -s k -l keep -d 'Keep input files: the default'
complete -c pzcomp -l rm -d 'Remove each input file once its output is safely on disk'
complete -c pzcomp -s f -l force -d 'Overwrite files, follow links, compress what has the suffix already, use terminals'
complete -c pzcomp -s r -l recursive -d 'Go into directories'
complete -c pzcomp -l best -d 'The highest level that is sensible: 19 for zstd, else the format\'s highest'
complete -c pzcomp -l no-index -d 'Leave out the index at the end of zstd, gzip and lz4 output; xz always has its own, bzip2 and lzip none'
complete -c pzcomp -l one-member -d 'For gzip: one member around all, as gzip writes, for readers that stop after the first; without index'
complete -c pzcomp -l bench -d 'Measure formats and levels on a sample of FILE or standard input (generated text if there is neither), in memory, both ways, and say which to choose'
complete -c pzcomp -s q -l quiet -d 'Do not print warnings; the exit status tells of them still'
complete -c pzcomp -s v -l verbose -d 'Print figures for each stream; twice: settings as well'
complete -c pzcomp -s h -l help -d 'Print help, the short one for -h'
complete -c pzcomp -s V -l version -d 'Print the version'
