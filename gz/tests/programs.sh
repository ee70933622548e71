#!/bin/sh
# Programs of Debian with the library and without: the same output. programs.sh LIBRARY
set -eu
library=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# A genome and reads of it, long enough to be parallel.
awk 'BEGIN { srand(1); print ">genome"; for (i = 0; i < 5000; i++) { line = "";
	for (j = 0; j < 60; j++) line = line substr("ACGT", 1 + int(rand() * 4), 1); print line } }' >genome.fa
awk 'NR > 1 { whole = whole $0 } END { srand(2); for (i = 0; i < 60000; i++) { at = 1 + int(rand() * (length(whole) - 150))
	quality = ""; for (j = 0; j < 150; j++) quality = quality substr("F:,#", 1 + int(rand() * 4), 1)
	print "@read" i "\n" substr(whole, at, 150) "\n+\n" quality } }' genome.fa >reads.fq
gzip -k reads.fq genome.fa
awk 'BEGIN { srand(3); print "##fileformat=VCFv4.2\n##contig=<ID=1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"
	for (i = 1; i < 400000; i++) print "1\t" i * 7 "\t.\tA\tC\t" int(rand() * 1000) "\tPASS\tDP=" int(rand() * 100) }' >sites.vcf
awk 'BEGIN { srand(4); for (i = 1; i < 400000; i++) print "1\t" i * 9 "\t" i * 9 + int(rand() * 90) "\tname" int(rand() * 1e6) }' \
	>parts.bed
gzip -k sites.vcf parts.bed
test "$(stat -c %s parts.bed.gz)" -gt 1048576
bwa index genome.fa.gz 2>/dev/null

both() {
	"$@" >without 2>/dev/null
	LD_PRELOAD=$library "$@" >with 2>words || { cat words; exit 1; }
	cmp with without || { echo "$* differs"; exit 1; }
	test -s with && echo "the same: $*"
}
both seqtk seq -A reads.fq.gz
both seqtk fqchk reads.fq.gz
both minimap2 -t 1 -x sr genome.fa.gz reads.fq.gz
# The header of SAM has no time, and its line of the program is the same.
both bwa mem genome.fa.gz reads.fq.gz
both bedtools merge -i parts.bed.gz
both vcftools --gzvcf sites.vcf.gz --minQ 500 --recode --recode-INFO-all --stdout
