#!/bin/sh
# The time of programs of Debian with the library and without, in turns, on files that gzip compressed.
# speed.sh make FOLDER [MIB]: the files, with so much FASTQ for seqtk.
# speed.sh run FOLDER LIBRARY [ROUNDS [PROGRAM...]]: medians of the rounds, of all programs or of some.
set -eu
action=$1
mkdir -p "$2"
cd "$2"

if test "$action" = make; then
	mib=${3:-1024}
	# Reads of a made-up genome. Those of seqtk come over and over: they repeat further apart than a window of gzip is long.
	awk 'BEGIN { srand(1); print ">genome"; for (i = 0; i < 5000; i++) { line = ""
		for (j = 0; j < 60; j++) line = line substr("ACGT", 1 + int(rand() * 4), 1); print line } }' >genome.fa
	awk 'NR > 1 { whole = whole $0 } END { srand(2); for (i = 0; i < 100000; i++) {
		at = 1 + int(rand() * (length(whole) - 150)); quality = ""
		for (j = 0; j < 150; j++) quality = quality substr("FFFFFF:,", 1 + int(rand() * 8), 1)
		print "@read" i "\n" substr(whole, at, 150) "\n+\n" quality } }' genome.fa >some.fq
	while :; do cat some.fq; done 2>/dev/null | head -c "${mib}M" | gzip >reads.fq.gz
	awk 'BEGIN { srand(3); print "##fileformat=VCFv4.2\n##contig=<ID=1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"
		for (i = 1; i < 2000000; i++) print "1\t" i * 7 "\t.\tA\tC\t" int(rand() * 1000) "\tPASS\tDP=" int(rand() * 100) }' |
		gzip >sites.vcf.gz
	awk 'BEGIN { srand(4); for (i = 1; i < 3000000; i++)
		print "1\t" i * 9 "\t" i * 9 + int(rand() * 90) "\tname" int(rand() * 1e6) }' | gzip >parts.bed.gz
	gzip -f some.fq genome.fa
	bwa index genome.fa.gz 2>/dev/null
	ls -l ./*.gz
	exit
fi

library=$3 rounds=${4:-5}
shift 3
test $# = 0 || shift
programs="${*:-seqtk minimap2 bwa bedtools vcftools}"

milliseconds() {
	start=$(date +%s%N)
	"$@" >/dev/null 2>&1
	echo $((($(date +%s%N) - start) / 1000000)) >>"$times"
}

# turns COMMAND...: if its program is asked for.
turns() {
	case " $programs " in *" $1 "*) ;; *) return 0 ;; esac
	for round in $(seq "$rounds"); do
		times=zlib milliseconds "$@"
		times=ours milliseconds env LD_PRELOAD="$library" "$@"
	done
	for side in zlib ours; do
		sort -n $side | sed -n "$(((rounds + 1) / 2))p" >median.$side
		rm $side
	done
	awk -v command="$*" '{ getline ours <"median.ours"
		printf "%s: zlib %d ms, libpzcomp-gz %d ms, %.2f x\n", command, $1, ours, $1 / ours }' median.zlib
	rm median.*
}
turns seqtk seq -A reads.fq.gz
turns seqtk fqchk reads.fq.gz
turns minimap2 -t 1 -x sr genome.fa.gz some.fq.gz
turns bwa mem genome.fa.gz some.fq.gz
turns bedtools merge -i parts.bed.gz
turns vcftools --gzvcf sites.vcf.gz --minQ 500 --recode --recode-INFO-all --stdout
