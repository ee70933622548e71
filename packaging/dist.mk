# Targets for packages. The Makefile includes this file.

dist:            ## all packages of this version in dist/: static binary, archive, .deb, .rpm, image, SBOM, checksums
	packaging/dist.sh

dist-test:       ## the packages of dist/ in Debian roots and empty ones: a quarter of an hour, root, and downloads
	scripts/peers.sh install debootstrap lintian skopeo rpm jq man-db
	packaging/test.sh

dist-twice:      ## builds dist/ in two folders and compares all bytes: two builds from nothing
	packaging/twice.sh

# cargo-deny takes minutes to build, so `make check` runs it only where it is installed.
DENY = $(wildcard target/dist/tools/bin/cargo-deny)
deny:            ## licences, sources and duplicates of the dependencies; installs cargo-deny
	packaging/tools.sh cargo-deny
	target/dist/tools/bin/cargo-deny --offline --all-features check --hide-inclusion-graph licenses sources bans

check: $(if $(DENY),deny)

.PHONY: dist dist-test dist-twice deny
