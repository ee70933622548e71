_pzcomp() {
    local i cur prev opts cmd
    COMPREPLY=()
    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        cur="$2"
    else
        cur="${COMP_WORDS[COMP_CWORD]}"
    fi
    prev="$3"
    cmd=""
    opts=""

if [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [[ $prev == --help && " ${COMP_WORDS[*]:COMP_CWORD - 1} " == *' = '* ]]; then
        COMPREPLY=($(compgen -W "formats backup damage recovery index tar slow-pipes python" -- "$cur"))
        return 0
    fi

for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == -- && " ${COMP_WORDS[*]:0:i} " == *" --exec "* ]]; then
            declare -F _command_offset >/dev/null && _command_offset $((i + 1))
            return 0
        fi
    done

    for i in "${COMP_WORDS[@]:0:COMP_CWORD}"
    do
        case "${cmd},${i}" in
            ",$1")
                cmd="pzcomp"
                ;;
            *)
                ;;
        esac
    done

    case "${cmd}" in
        pzcomp)
            opts="-d -t -l -c -o -k -f -r -S -F -T -p -b -M -z -N -n -D -q -v -h -V --decompress --test --list --extract --extract-to --extract-tar --tar --no-tar --extract-number --xbstream --mydumper --frames --range --index --index-format --index-interval --salvage --fill --keep-unverified --protect --check --recovery --recovery-span --repair --stdout --output --keep --rm --force --recursive --fifos --exec --expect-tail --expect-end --output-template --verify --synchronous --sparse --no-sparse --drop-cache --idle --no-sandbox --suffix --to --format --level --fast --best --threads --block-size --align --long --fixed-parameters --memory --adapt --flush-interval --buffer --no-index --one-member --compress --output-dir --files --files0 --exclude-compressed --name --no-name --dictionary --train --max-dict --rsyncable --checksum --no-check --bench --bench-formats --bench-levels --bench-seconds --bench-sample --target --max-size --csv --plot --quiet --verbose --json --hash --hash-file --progress --no-progress --progress-fd --size-hint --help --version --generate --as --install-links"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --extract)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --extract-to)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --extract-number)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --index-format)
                    COMPREPLY=($(compgen -W "pzi gzidx gzi" -- "${cur}"))
                    return 0
                    ;;
                --index-interval)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fill)
                    COMPREPLY=($(compgen -W "zero" -- "${cur}"))
                    return 0
                    ;;
                --recovery)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --recovery-span)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-tail)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-end)
                    COMPREPLY=($(compgen -W "index tar xbstream xtrabackup mysqldump mydumper" -- "${cur}"))
                    return 0
                    ;;
                --output-template)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --suffix)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -S)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -W "zstd gzip lz4 xz bzip2 lzip snappy" -- "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "zstd gzip lz4 xz bzip2 lzip snappy" -- "${cur}"))
                    return 0
                    ;;
                -F)
                    COMPREPLY=($(compgen -W "zstd gzip lz4 xz bzip2 lzip snappy" -- "${cur}"))
                    return 0
                    ;;
                --level)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fast)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -p)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -T)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --block-size)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -b)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --align)
                    COMPREPLY=($(compgen -W "newline" -- "${cur}"))
                    return 0
                    ;;
                --long)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -M)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --adapt)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --flush-interval)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --buffer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output-dir)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --files)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --files0)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dictionary)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -D)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-dict)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --checksum)
                    COMPREPLY=($(compgen -W "crc32 crc64 sha256" -- "${cur}"))
                    return 0
                    ;;
                --bench-formats)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --bench-levels)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --bench-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --bench-sample)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --target)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-size)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --csv)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --plot)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --json)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --hash)
                    COMPREPLY=($(compgen -W "sha256 blake3 xxh3" -- "${cur}"))
                    return 0
                    ;;
                --hash-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --progress)
                    COMPREPLY=($(compgen -W "bar json" -- "${cur}"))
                    return 0
                    ;;
                --progress-fd)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --size-hint)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --generate)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as)
                    COMPREPLY=($(compgen -W "gzip gunzip zcat pigz unpigz igzip xz unxz xzcat lzma unlzma lzcat bzip2 bunzip2 bzcat pbzip2 lbzip2 lbunzip2 lbzcat lzip plzip zstd unzstd zstdcat zstdmt pzstd lz4 unlz4 lz4cat bgzip qpress snzip" -- "${cur}"))
                    return 0
                    ;;
                --install-links)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=()
            return 0
            ;;
    esac
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _pzcomp -o nosort -o bashdefault -o default pzcomp
else
    complete -F _pzcomp -o bashdefault -o default pzcomp
fi
