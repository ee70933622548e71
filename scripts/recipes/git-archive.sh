#!/usr/bin/env bash
# git archive writes .tar.zst by pzcomp, and .tar.gz too.
. "$(dirname "$0")/common.sh"
need git
git init -q repository
make_files repository/files
cd repository
git add files
git -c user.name=NAME -c user.email=NAME@example.org commit -q -m 'files'

# recipe
git config --global tar.tar.zst.command 'pzcomp -19'
git config --global tar.tar.gz.command 'pzcomp -F gzip'
git archive --prefix=files-1.0/ -o ../files-1.0.tar.zst HEAD
# end
git archive --prefix=files-1.0/ -o ../files-1.0.tar.gz HEAD
cd ..
for archive in files-1.0.tar.zst files-1.0.tar.gz; do
  pzcomp -dc "$archive" | tar -xf -
  same_files repository/files files-1.0/files
  rm -r files-1.0
done
ok git "$(version git --version)"
