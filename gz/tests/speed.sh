#!/bin/sh
# The time of seqtk with the library and without, in turns, on FASTQ that gzip compressed. speed.sh LIBRARY [MIB [ROUNDS]]
set -eu
library=$1 mib=${2:-1024} rounds=${3:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Reads of a made-up genome, over and over: they repeat further apart than a window of gzip is long.
awk 'BEGIN { srand(1); for (i = 0; i < 100000; i++) { sequence = ""; quality = ""
	for (j = 0; j < 150; j++) { sequence = sequence substr("ACGT", 1 + int(rand() * 4), 1)
		quality = quality substr("FFFFFF:,", 1 + int(rand() * 8), 1) }
	print "@read" i "\n" sequence "\n+\n" quality } }' >some.fq
while :; do cat some.fq; done 2>/dev/null | head -c "${mib}M" | gzip >reads.fq.gz
echo "$mib MiB of FASTQ, $(stat -c %s reads.fq.gz) bytes of gzip -6, one member"

seconds() {
	start=$(date +%s%N)
	"$@" >/dev/null
	echo $((($(date +%s%N) - start) / 1000000)) >>"$times"
}
for command in "seqtk seq -A" "seqtk fqchk"; do
	for round in $(seq "$rounds"); do
		times=zlib seconds $command reads.fq.gz
		times=ours seconds env LD_PRELOAD="$library" $command reads.fq.gz
	done
	for side in zlib ours; do
		sort -n $side | sed -n "$(((rounds + 1) / 2))p" >median.$side
		rm $side
	done
	awk -v command="$command" '{ getline ours <"median.ours"
		printf "%s: zlib %d ms, libpzcomp-gz %d ms, %.2f x (medians of the rounds)\n", command, $1, ours, $1 / ours }' median.zlib
	rm median.*
done
