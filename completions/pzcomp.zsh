#compdef pzcomp

autoload -U is-at-least

_pzcomp() {
    typeset -A opt_args
    typeset -a _arguments_options
    local ret=1

    if is-at-least 5.2; then
        _arguments_options=(-s -S -C)
    else
        _arguments_options=(-s -C)
    fi

    local context curcontext="$curcontext" state line
    _arguments "${_arguments_options[@]}" : \
'-o+[Write to FILE, all input one after the other; - is standard output]:FILE:_files' \
'--output=[Write to FILE, all input one after the other; - is standard output]:FILE:_files' \
'-S+[Suffix of compressed files, in place of the format'\''s own]:SUF:_default' \
'--suffix=[Suffix of compressed files, in place of the format'\''s own]:SUF:_default' \
'-F+[Format to write \[default\: zstd\]]:FORMAT:(zstd gzip lz4 xz bzip2 lzip)' \
'--format=[Format to write \[default\: zstd\]]:FORMAT:(zstd gzip lz4 xz bzip2 lzip)' \
'--level=[Level, also given as -N\: the higher, the smaller and slower. zstd 1 to 22 (3), gzip 0 to 12 (6), lz4 1 to 12 (1), xz 0 to 9 (6), bzip2 1 to 9 (9), lzip 0 to 9 (6)]:N:_default' \
'--fast=[Faster than level 1, the more the larger N is, where the format has such levels; else its lowest level]::N:_default' \
'-p+[Number of worker threads; 0, the default, is the CPUs this process may use]:N:_default' \
'-T+[Number of worker threads; 0, the default, is the CPUs this process may use]:N:_default' \
'--threads=[Number of worker threads; 0, the default, is the CPUs this process may use]:N:_default' \
'-b+[Plain bytes in each frame, as 1M or 256K; by default it grows with the level]:SIZE:_default' \
'--block-size=[Plain bytes in each frame, as 1M or 256K; by default it grows with the level]:SIZE:_default' \
'-M+[Ceiling for the memory of buffers and codecs, as 64M]:SIZE:_default' \
'--memory=[Ceiling for the memory of buffers and codecs, as 64M]:SIZE:_default' \
'*--bench-formats=[Formats to measure, as zstd,gzip \[default\: all, or that of -F\]]:LIST:_default' \
'--bench-levels=[Levels to measure, as 1,3,6-9 \[default\: 1,3,6,9, or the one given\]; a format leaves out those that it does not have]:LIST:_default' \
'--bench-seconds=[Seconds for each format and level, half of them for each direction; at least one pass is made \[default\: 3\]]:N:_default' \
'--bench-sample=[Sample so much, evenly; a pipe is read to its end for that \[default\: 32M for each thread, from 64M to 1G\]]:SIZE:_default' \
'--target=[Name the smallest format and level that compresses so much plain data a second, as 300MB/s or 10Gbit/s]:RATE:_default' \
'--max-size=[Name the fastest format and level that gets below this part of the plain size, as 25%]:PERCENT:_default' \
'--json=[Write the results to FILE as JSON (docs/bench.schema.json); - is standard output]:FILE:_files' \
'--csv=[Write the results to FILE as comma-separated values; - is standard output]:FILE:_files' \
'--plot=[Draw speed against size to FILE.svg or FILE.png]:FILE:_files' \
'--generate=[Print a file of the distribution\: bash, zsh or fish for completions, or a man page such as gzip.1]:WHAT:_default' \
'--as=[Be the program of this name, as gzip; must be the first option, and what follows is that program'\''s]:NAME:_default' \
'--install-links=[Make links of all those names in DIR, which turn this program into theirs]:DIR:_files -/' \
'-d[Decompress; the format is recognised by its bytes]' \
'--decompress[Decompress; the format is recognised by its bytes]' \
'-t[Decode and check everything, write nothing]' \
'--test[Decode and check everything, write nothing]' \
'-l[Print format, frames, sizes, ratio, check and whether there is an index]' \
'--list[Print format, frames, sizes, ratio, check and whether there is an index]' \
'-c[Write to standard output, all files one after the other, and keep them]' \
'--stdout[Write to standard output, all files one after the other, and keep them]' \
'-k[Keep input files\: the default]' \
'--keep[Keep input files\: the default]' \
'--rm[Remove each input file once its output is safely on disk]' \
'-f[Overwrite files, follow links, compress what has the suffix already, use terminals]' \
'--force[Overwrite files, follow links, compress what has the suffix already, use terminals]' \
'-r[Go into directories]' \
'--recursive[Go into directories]' \
'--best[The highest level that is sensible\: 19 for zstd, else the format'\''s highest]' \
'--no-index[Leave out the index at the end of zstd, gzip and lz4 output; xz always has its own, bzip2 and lzip none]' \
'--one-member[For gzip\: one member around all, as gzip writes, for readers that stop after the first; without index]' \
'(-d --decompress -t --test -l --list -o --output -c --stdout --rm -S --suffix)--bench[Measure formats and levels on a sample of FILE or standard input (generated text if there is neither), in memory, both ways, and say which to choose]' \
'-q[Do not print warnings; the exit status tells of them still]' \
'--quiet[Do not print warnings; the exit status tells of them still]' \
'*-v[Print figures for each stream; twice\: settings as well]' \
'*--verbose[Print figures for each stream; twice\: settings as well]' \
'-h[Print help, the short one for -h]' \
'--help[Print help, the short one for -h]' \
'-V[Print the version]' \
'--version[Print the version]' \
'*::files -- Files to work on; - is standard input:_files' \
&& ret=0
}

(( $+functions[_pzcomp_commands] )) ||
_pzcomp_commands() {
    local commands; commands=()
    _describe -t commands 'pzcomp commands' commands "$@"
}

if [ "$funcstack[1]" = "_pzcomp" ]; then
    _pzcomp "$@"
else
    compdef _pzcomp pzcomp
fi
