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
'(-l --list --exec --bench --index)*--extract=[With -d, -t and --to\: take the file NAME of a qpress or 7z archive, as -l prints it. Without this option, -d takes the first file, and -t verifies all files. Of all other files, -d takes the member NAME of the tar archive inside, or all members in the folder NAME, and writes their data to standard output. NAME may have the wildcards *, ? and \[...\], and the option may be given several times. Only the frames with these members are read, if the file or an index beside it lists them]:NAME:_default' \
'(-l --list --exec --bench --index -t --test --to -c --stdout -o --output --rm)--extract-to=[With -d\: write the members that --extract names, or all members of a tar archive, to files in DIR, with their modes and times. No name leads out of DIR, and no file is overwritten without -f]:DIR:_files -/' \
'(--extract -l --list --exec --bench --index)--extract-number=[With -d, -t and --to\: take the file number N of a qpress or 7z archive, in the order of -l, which begins with 1. For names that several files have, and names that cannot be typed]:N:_default' \
'*--range=[With -d and -c or -o\: write only the bytes of the plain data from A up to, and not including, B. The range can also be A+LENGTH, or A- up to the end, with units as in 4K or 1M. Several ranges, separated by commas or given by several options, are written in the order given. Only the frames that hold the ranges are read. If a range ends behind the data, what is there is written, and the exit status is 1. The input must be a regular file]:A-B:_default' \
'--index-format=[Format of the index\: pzi, for all formats; gzidx, which Python'\''s indexed_gzip reads, for gzip; or gzi, which bgzip reads, for BGZF \[default\: pzi\]]:NAME:(pzi gzidx gzi)' \
'--index-interval=[Bytes of plain data between two places in a gzip file at which reading can begin \[default\: 4M\]. A place takes some 10 KiB in the index]:SIZE:_default' \
'--fill=[With --salvage\: write as many zeros as bytes are lost, if their number is known, so that everything behind them keeps its offset]:WITH:(zero)' \
'--recovery=[Write recovery records between the frames of zstd, gzip and lz4, by which --repair mends damage to the file. PERCENT is how much of the file may be damaged, from 0.5 to 100 \[default\: 5\]. Every program that reads the format skips the records. With --protect\: the share of the records beside the file]::PERCENT:_default' \
'--recovery-span=[With --recovery or --protect\: the share counts for each SIZE bytes of the file, from 64K to 64M \[default\: 64M\]]:SIZE:_default' \
'-o+[Write all outputs to FILE, one after the other; - is standard output. Without -F, the suffix of FILE, as .gz, chooses the format]:FILE:_files' \
'--output=[Write all outputs to FILE, one after the other; - is standard output. Without -F, the suffix of FILE, as .gz, chooses the format]:FILE:_files' \
'(-d --decompress -t --test -l --list --bench)--expect-tail=[Fail, as with --exec, if the last 4 KiB of the data to compress do not contain what matches REGEX, as '\''-- Dump completed'\'']:REGEX:_default' \
'(-l --list --bench --expect-tail)--expect-end=[With -d, -t or --to\: fail if the data does not end with the index that pzcomp writes. Without this flag, data looks whole if its sender was killed between two frames. bzip2, lzip and Snappy have no index, nor has what was written with --one-member or --no-index, files of less than 16 KiB, and most data of other programs\: they fail then. What goes to standard output has the index at any length. -tv says whether it is there]::KIND:((index\:"The index that pzcomp writes"
tar\:"Two blocks of zeros behind the last member"
xbstream\:"The end of each file"
xtrabackup\:"The same, and xtrabackup_info or mariadb_backup_info, which the backup program writes behind all tables"
mysqldump\:""-- Dump completed" in the last line, of mysqldump and mariadb-dump"
mydumper\:""# Finished dump at" in the metadata at the end of a stream of mydumper"))' \
'(-o --output --output-dir --files --files0 -c --stdout --exec -r --recursive -t --test -l --list --bench --rm)--output-template=[Write to the file TEMPLATE, with the only argument in the place of {}; the input is standard input. So pzcomp is a program to which another one appends a number\: pzcomp --output-template '\''base.{}.tar.zst'\'' 1]:TEMPLATE:_files' \
'-S+[Use the suffix SUF for compressed files, instead of the suffix of the format]:SUF:_default' \
'--suffix=[Use the suffix SUF for compressed files, instead of the suffix of the format]:SUF:_default' \
'(-t --test -l --list --exec --expect-tail)--to=[Decompress, and compress again as FORMAT, in one step\: FILE.lz4 becomes FILE.xz. The input can be in any format. No plain data is written to a disk. All checks of the input are verified before the output is complete]:FORMAT:(zstd gzip lz4 xz bzip2 lzip snappy)' \
'-F+[Format to write \[default\: zstd\]]:FORMAT:(zstd gzip lz4 xz bzip2 lzip snappy)' \
'--format=[Format to write \[default\: zstd\]]:FORMAT:(zstd gzip lz4 xz bzip2 lzip snappy)' \
'--level=[Level, also given as -N; a higher level is slower and mostly compresses better, but -1 of zstd may be smaller than -3 for columns of numbers, as --bench shows. Levels, and the default in parentheses\: zstd 1 to 22 (3), gzip 0 to 12 (6), lz4 1 to 12 (1), xz 0 to 9 (6), bzip2 1 to 9 (9), lzip 0 to 9 (6), snappy 1 to 1 (1)]:N:_default' \
'--fast=[Compress faster than level 1; a larger N is faster and compresses less. A format without such levels uses its lowest level]::N:_default' \
'-p+[Number of worker threads; 0, the default, stands for the CPUs that this process may use]:N:_default' \
'-T+[Number of worker threads; 0, the default, stands for the CPUs that this process may use]:N:_default' \
'--threads=[Number of worker threads; 0, the default, stands for the CPUs that this process may use]:N:_default' \
'-b+[Bytes of input in each frame, as 1M or 256K. The default depends on the format and the level]:SIZE:_default' \
'--block-size=[Bytes of input in each frame, as 1M or 256K. The default depends on the format and the level]:SIZE:_default' \
'--align=[Where frames end\: with newline, behind the last line that fits into the frame, so that each frame has whole lines. A line that is longer than a frame is divided]:WHERE:(newline)' \
'--long=[Find repetitions that are up to 2^N bytes apart, with N from 10 to 30, with -d to 31 \[default without N\: 27, which is 128 MiB\]. Only zstd has this. Frames are at least this long, so each thread takes several times as much memory, and the first output comes only when a frame is complete; -v says how much both are. If N is above 27, readers need --long=N too, or -M. With -d, accept windows of 2^N bytes for each thread, unless -M is given]::N:_default' \
'-M+[Limit of the memory for buffers, codecs and windows together, as 64M. Without -M, the window that a stream demands to be decompressed may have 128 MiB for each thread. With -M it may have what is left of SIZE, which may be more or less. Without -M, there are fewer threads if they would need more than half of the memory of the cgroup, or of what ulimit -v or -d leaves]:SIZE:_default' \
'--memory=[Limit of the memory for buffers, codecs and windows together, as 64M. Without -M, the window that a stream demands to be decompressed may have 128 MiB for each thread. With -M it may have what is left of SIZE, which may be more or less. Without -M, there are fewer threads if they would need more than half of the memory of the cgroup, or of what ulimit -v or -d leaves]:SIZE:_default' \
'--adapt=[Let the level follow what the source and the sink take\: of the levels with which the threads are 1.1 times as fast, the one with the shortest output, from min to max, as --adapt=min=1,max=15. --level is the level to begin with, and the lowest one without min\: no frame is longer than at that level. With min, a lower level is used if the pipe is faster than the threads. -v prints the share of each level and what they cost. The output depends on timing, so two runs give different bytes]::min=N,max=N:_default' \
'--flush-interval=[Let no byte of input wait longer than TIME, such as 200ms or 2s, for the rest of its frame\: pzcomp then ends the frame, so that the reader at the other end gets the byte. Frames are shorter, so the output is longer, and it depends on when the input comes. Files are not waited for, so this is for pipes]:TIME:_default' \
'--buffer=[Store up to SIZE bytes, as 1G, between a producer and a consumer that are fast at different times\: compressed output until it can be written, or with -d compressed input that is read ahead. Memory is taken only as bytes come; all of SIZE counts for -M. A file to decompress is not read ahead]:SIZE:_default' \
'(-o --output -c --stdout -t --test -l --list --exec --bench --index --protect --repair)--output-dir=[Write the output files to DIR, which exists; with -r, to the same folders in DIR as those of their inputs]:DIR:_files -/' \
'(--files0 --exec)--files=[Also take the files with the names in FILE, one on each line; - is standard input]:FILE:_default' \
'(--exec)--files0=[The same, with a null byte behind each name, as find -print0 writes them]:FILE:_default' \
'(--bench)-D+[With zstd\: compress with this dictionary, or with -d decompress with it. --train makes one]:FILE:_files' \
'(--bench)--dictionary=[With zstd\: compress with this dictionary, or with -d decompress with it. --train makes one]:FILE:_files' \
'--max-dict=[With --train\: the most bytes of the dictionary \[default\: 110K\]]:SIZE:_default' \
'--checksum=[The check of xz data\: crc32, crc64 or sha256 \[default\: crc64\]]:NAME:(crc32 crc64 sha256)' \
'*--bench-formats=[Formats to measure, as zstd,gzip \[default\: the format of -F, or all formats\]]:LIST:_default' \
'--bench-levels=[Levels to measure, as 1,3,6-9 \[default\: the given level, or 1,3,6,9\]. A level that a format does not have is left out for that format. Level 3 of zstd, or the only level, is measured with --long too, if the sample is all of the input and at least 16 frames long, or if its parts are as long as the window]:LIST:_default' \
'--bench-seconds=[Seconds for each format and level\: a third for each direction, and a third for the memory. What is slow is measured with a part of the sample. With 0, one pass over all of the sample is made \[default\: 3\]]:N:_default' \
'--bench-sample=[Size of the sample, taken in even parts of the input. A pipe is read to its end \[default\: 32M for each thread, from 64M to 1G\]. From 1G the parts have 128M, so that --long is measured]:SIZE:_default' \
'--target=[Recommend the format and level with the smallest output that compresses this much input per second, as 300MB/s or 10Gbit/s]:RATE:_default' \
'--max-size=[Recommend the fastest format and level with an output smaller than this part of the input, as 25%]:PERCENT:_default' \
'--csv=[Write the results to FILE as comma-separated values; - is standard output]:FILE:_files' \
'--plot=[Draw a chart of speed and size to FILE; its name ends in .svg]:FILE:_files' \
'--json=[Write a record of the run to FILE when it ends, as JSON on one line\: sizes, times, for what the run waited, warnings and errors, also if it fails; docs/json.md describes it. - is standard error. An earlier record is replaced, and any other file with -f only. With --bench, write the results to FILE, as docs/bench.schema.json describes them; - is standard output]:FILE:_files' \
'(-l --list --range --index --bench)*--hash=[Hash the plain and the coded data of each stream while it passes\: sha256, blake3 or xxh3, or a list of them. The hashes are printed on standard error, unless --json or --hash-file has them]:LIST:(sha256 blake3 xxh3)' \
'(-l --list --range --index --bench)--hash-file=[Write the hash of each output to FILE, in the form that sha256sum -c, b3sum -c or xxhsum -c reads; with -t, that of each input. Without --hash it is sha256. - is standard output, if no data goes there]:FILE:_files' \
'--progress=[Show progress\: a bar, or a line now and then if standard error is no terminal, or with --progress=json lines of JSON, one each second. The default is a bar if standard error is a terminal and no data goes to standard output. SIGUSR1 prints a line in any case, but not on Windows]::HOW:(bar json)' \
'--progress-fd=[Write progress as lines of JSON to the descriptor N, which the caller has opened, as 3 in 3>progress]:N:_default' \
'--size-hint=[About how long each input is that is no file, as 20G, so that progress can say how much time is left]:SIZE:_default' \
'--generate=[Print a man page such as gzip.1, or the completions for bash, zsh or fish]:WHAT:_default' \
'--as=[Behave as the program NAME, such as gzip. This must be the first option; the arguments after it are read as that program reads them]:NAME:(gzip gunzip zcat pigz unpigz igzip xz unxz xzcat lzma unlzma lzcat bzip2 bunzip2 bzcat pbzip2 lbzip2 lbunzip2 lbzcat lzip plzip zstd unzstd zstdcat zstdmt pzstd lz4 unlz4 lz4cat bgzip qpress snzip)' \
'--install-links=[Make links to pzcomp in DIR under the names of the other programs, and install their man pages]:DIR:_files -/' \
'-d[Decompress. The format is recognised by the first bytes of the data]' \
'--decompress[Decompress. The format is recognised by the first bytes of the data]' \
'-t[Decompress and verify everything, and write nothing]' \
'--test[Decompress and verify everything, and write nothing]' \
'-l[Print formats, frames, sizes, ratio, check, and whether there is an index]' \
'--list[Print formats, frames, sizes, ratio, check, and whether there is an index]' \
'(-l --list --exec --bench --index -t --test --to --rm --extract-to)--extract-tar[With -d\: write a tar archive of the members that --extract names to standard output or to the file of -o]' \
'--tar[With -l\: print the members of the tar archive in each file, as tar -tv does. If the file or an index beside it lists them, no data is read. To compress\: the data must be a tar archive, and zstd, gzip and lz4 output lists its members. Without this option such a list is written if the data begins as a tar archive]' \
'--no-tar[Write no list of the members of a tar archive]' \
'(--extract --extract-number --extract-to --extract-tar --tar --exec --bench --to --verify --hash --hash-file --sparse --buffer)--xbstream[With -d, -t or -l\: the input is an xbstream, as mariadb-backup --stream=xbstream writes it. Decompress its members with the suffixes .qp, .zst and .lz4, on all cores, and write an xbstream of plain files for mbstream -x. -l lists the members with their sizes, also those of an xbstream that was compressed as a whole]' \
'(--xbstream --extract --extract-number --extract-to --extract-tar --tar --exec --bench --verify --hash --hash-file --sparse --buffer)--mydumper[With -d, -t, --to or -l\: the input is a stream of mydumper --stream. Decompress its members with names that end with .zst, .gz or .lz4, for myloader --stream, or bring them to another format, or list them. What is made of a member is in memory until its length is known\: at most half of -M, or 4 GiB]' \
'--frames[With -l\: print a table of the frames of each file, with their offsets and lengths in bytes. A plain length that only decoding tells is a dash]' \
'--index[Make an index of each file in FILE.pzi, or in the file that -o names. Each file is decompressed and verified once. Afterwards --range reads only parts of the file, whatever program has made it. With -t\: verify the index beside each file, FILE.pzi, FILE.gzidx or FILE.gzi, against all of the file]' \
'--salvage[With -d\: skip what is damaged, and write everything else. Standard error says which coded and plain bytes are lost, as ranges A-B without the byte B, and the exit status is 2 if anything is. Frames, members and blocks are written only if their check is right. A gzip member that states no size is written up to the damage, and again from the next block on before which 32 KiB are known; these bytes are listed as not verified. With -t\: write only the report. The input must be a regular file]' \
'--keep-unverified[With --salvage\: also write what decodes of a damaged frame before the damage is seen. Some of these bytes may be wrong; they are listed as not verified]' \
'(-d --decompress -t --test -l --list --to --exec -c --stdout --rm --repair --bench --salvage)--protect[Write recovery records for each file, compressed or not, to FILE.pzr, or to the file that -o names. With them, --repair mends damage up to 5 % of the file, or to the share of --recovery. FILE is only read. With -r, each file in a folder gets its own]' \
'(-o --output --repair)--check[With --protect\: write nothing, and verify each file by its FILE.pzr. The exit status is 1 if anything is damaged]' \
'(-d --decompress -t --test -l --list --to --exec -c --stdout --bench --salvage)--repair[Mend each damaged file by its recovery records, which are in it or in FILE.pzr. The new file takes the place of the old one, which is kept as FILE.damaged, unless there is --rm; with -o, the new file goes there. It appears only if all of it is as it was. If more is damaged than can be mended, no file is made, and the exit status is 2]' \
'-c[Write all outputs to standard output, one after the other, and keep the input files]' \
'--stdout[Write all outputs to standard output, one after the other, and keep the input files]' \
'-k[Keep the input files\: the default]' \
'--keep[Keep the input files\: the default]' \
'--rm[Remove each input file when its output is complete and on disk]' \
'-f[Overwrite files, follow symbolic links, compress named files that have the suffix already, and use terminals for compressed data. With -dc, an input that begins in no known format is written as it is]' \
'--force[Overwrite files, follow symbolic links, compress named files that have the suffix already, and use terminals for compressed data. With -dc, an input that begins in no known format is written as it is]' \
'-r[Take the files in directories]' \
'--recursive[Take the files in directories]' \
'(-d --decompress -t --test -l --list --to -o --output --output-template -c --stdout --exec -r --recursive --rm --bench --verify --recovery --protect --repair --index --salvage --train --hash --hash-file --drop-cache --idle --adapt --flush-interval --buffer)--fifos[Compress named pipes, as xtrabackup --fifo-streams writes to them, each to a file of its own\: pzcomp --fifos --output-dir DIR FIFO... All are read at the same time. They share the threads of -p and the memory of -M. If one of them fails, all end, and no file is made. --verify, --recovery, --idle, --drop-cache, hashes and --adapt cannot be used with it]' \
'(-d --decompress -t --test -l --list --rm -r --recursive --bench)--exec[Run a program, without a shell, and compress its standard output\: pzcomp --exec -o b.zst -- mariadb-backup --backup. The program begins with the first word that is no option of pzcomp, or behind --. If the program fails, pzcomp fails, and no output file is made; to a pipe, the output then ends in the middle of a frame, so that its reader fails too. If pzcomp is ended or fails, it ends the program by SIGTERM]' \
'--verify[Decode what was written, while it is written, and compare it with what was read, before the output gets its name and before --rm removes the input. An output file is read again for that; to a pipe, the bytes that are handed over are decoded. With -d, read the output file again and compare it with what was decoded. Half as many threads as -p says work for that in addition]' \
'--synchronous[Wait until each output file and its folder are on disk before the file gets its name]' \
'--sparse[With -d\: blocks of 4 KiB of zeros in the data become holes in regular files, which take no room on the disk; also in a file that standard output is redirected to, but not in one that is open for appending]' \
'--no-sparse[Write zeros as they are\: the default]' \
'--drop-cache[Keep input and output files out of the page cache of the system, so that other programs, such as a database, keep theirs. Pages are dropped behind the reads and the writes. Each output file is then on the disk when it is complete. Linux and FreeBSD have this]' \
'--idle[Take only what other programs leave\: the workers run in the idle class of the scheduler and of the disks, and pause while other programs wait for a CPU. The output is the same, and comes later on a busy machine. Linux has this; macOS and Windows have the class alone, and FreeBSD has neither]' \
'--no-sandbox[Keep all rights. On Linux a run gives up the network, programs and other processes before it codes. With one input most runs also give up all files but the output]' \
'--best[Use level 19 for zstd, and the highest level for other formats]' \
'--fixed-parameters[With zstd, use libzstd'\''s parameters of the level for all data. Without this flag, the levels 2 to 4 have parameters of their own for tables of numbers and for records, such as logs and dumps. --long has the same effect]' \
'--no-index[Write no index at the end of zstd, gzip and lz4 output. xz always has an index; bzip2 and lzip have none]' \
'--one-member[Write one gzip member, as gzip does, for readers that stop after the first member; there is no index then]' \
'-z[Compress\: the default]' \
'--compress[Compress\: the default]' \
'--exclude-compressed[Do not compress files with suffixes of compressed formats, such as .gz, .jpg and .mp4]' \
'-N[With -d\: give the file the name and the time that its gzip header states. With -F gzip --one-member\: store both there]' \
'--name[With -d\: give the file the name and the time that its gzip header states. With -F gzip --one-member\: store both there]' \
'-n[Neither store nor restore name and time\: the default]' \
'--no-name[Neither store nor restore name and time\: the default]' \
'(-D --dictionary --exec --bench --to)--train[Make a dictionary of many short FILEs for -D, and write it to the file of -o. Of each FILE the first 128 KiB count, and 256 MiB of all]' \
'--rsyncable[Let the content decide where blocks end, so that rsync finds unchanged parts]' \
'--no-check[Write no check of the data. Damage may then go unnoticed]' \
'(-d --decompress -t --test -l --list --frames --range --index -o --output -c --stdout --rm -S --suffix --long --to --verify --idle)--bench[Measure formats and levels on a sample of FILE or standard input, in memory and in both directions, and recommend a format and a level. Without input, measure generated text]' \
'-q[Print no warnings; they still change the exit status]' \
'--quiet[Print no warnings; they still change the exit status]' \
'*-v[Print the sizes, ratio, speed and memory of each stream; given twice, print settings as well]' \
'*--verbose[Print the sizes, ratio, speed and memory of each stream; given twice, print settings as well]' \
'--no-progress[Show no progress]' \
'-h[Print all options; -h prints the usual ones, and --help=TOPIC a page about formats, backup, damage, recovery, index, tar, slow-pipes or python]' \
'--help[Print all options; -h prints the usual ones, and --help=TOPIC a page about formats, backup, damage, recovery, index, tar, slow-pipes or python]' \
'-V[Print the version; with -v also the commit, the libraries and the CPU features in use]' \
'--version[Print the version; with -v also the commit, the libraries and the CPU features in use]' \
'*::files -- Input files; - is standard input:_files' \
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
