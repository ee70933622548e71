#!/usr/bin/env bash
# Prints the licences of everything that is in the static binary beside pzcomp itself, as Markdown.
#
#   packaging/licences.sh PLATFORM | shared
#
# THIRD-PARTY.md has the packages and the libraries in them. A static binary also holds the C library and what the
# compilers add. `shared` is for the shared libraries, which hold the standard library of Rust only.
set -euo pipefail
cd "$(dirname "$0")/.."
platform=$1

cat THIRD-PARTY.md
cat <<TEXT

## In the $([[ $platform == shared ]] && echo libraries || echo "static binary")

| work | version | licence |
|---|---|---|
| the standard library of Rust | $(rustc -V | cut -d ' ' -f 2) | MIT OR Apache-2.0 |
TEXT
case $platform in
*-gnu)
  cat <<TEXT
| the GNU C library | $(ldd --version | sed -n '1s/.* //p') | LGPL-2.1-or-later |
| libgcc and libgcc_eh | $(gcc -dumpfullversion) | GPL-3.0-or-later WITH GCC-exception-3.1 |

The GNU C library is linked statically. The sources of pzcomp are public, so anybody can link pzcomp again with another
version of that library: \`make dist\` does it. The sources of the library are those of the distribution on which the
binary was built. The exception of libgcc allows to pass on programs that contain it under any terms.

### The GNU Lesser General Public License, version 2.1

\`\`\`
$(cat /usr/share/common-licenses/LGPL-2.1)
\`\`\`
TEXT
  ;;
*-musl) echo "| musl | of the Rust toolchain | MIT |" ;;
esac
