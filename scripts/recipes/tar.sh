#!/usr/bin/env bash
# tar with pzcomp as its program, by -I and by --use-compress-program, as barman calls it.
. "$(dirname "$0")/common.sh"
need tar
make_files files

# recipe
tar -I pzcomp -cf files.tar.zst files
tar -I pzcomp -tf files.tar.zst
# end
mkdir restored
# recipe
tar -I pzcomp -xf files.tar.zst -C restored
# end
same_files files restored/files

# recipe
tar --use-compress-program='pzcomp -F gzip --idle -M 256M' -cf files.tar.gz files
# end
rm -r restored/files
tar -xzf files.tar.gz -C restored
same_files files restored/files

# recipe
pzcomp --exec --verify --recovery -o verified.tar.zst -- tar -cf - files
# end
rm -r restored/files
pzcomp -dc verified.tar.zst | tar -xf - -C restored
same_files files restored/files

# recipe
pzcomp --exec --verify --recovery -o changing.tar.zst -- sh -c 'tar -cf - files || [ $? -eq 1 ]'
# end
cmp <(pzcomp -dc changing.tar.zst) <(pzcomp -dc verified.tar.zst)
! pzcomp --exec -q -o none.tar.zst -- sh -c 'tar -cf - missing 2>/dev/null || [ $? -eq 1 ]' 2>/dev/null
[ ! -e none.tar.zst ]

# By the suffix, tar calls zstd, which is pzcomp here.
link_names
tar -caf named.tar.zst files
cmp <(tar -cf - files) <(pzcomp -dc named.tar.zst)
ok tar "$(version tar --version)"
