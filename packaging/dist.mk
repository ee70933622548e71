# Targets for packages. The Makefile includes this file.

dist:            ## all packages of this version in dist/: static binary, archive, sources, .deb, .rpm, wheel, image, SBOM, checksums
	packaging/dist.sh

dist-test:
	scripts/peers.sh install debootstrap lintian skopeo rpm jq man-db openssh-client python3-venv
	packaging/test-sign.sh
	packaging/test.sh

dist-twice:
	packaging/twice.sh

# cargo-deny takes minutes to build, so `make check` runs it only where it is installed, and says so where it is not.
DENY = target/dist/tools/bin/cargo-deny
deny:            ## licences, sources and duplicates of the dependencies; installs cargo-deny
	packaging/tools.sh cargo-deny
	$(DENY) --offline --all-features check --hide-inclusion-graph licenses sources bans

# What changes while the code does not: the advisories of RustSec, which this downloads.
audit:
	packaging/tools.sh cargo-deny
	$(DENY) --all-features check --hide-inclusion-graph advisories

check: $(if $(wildcard $(DENY)),deny,no-deny)

no-deny:
	@echo "The licences of the dependencies are not checked; make deny installs cargo-deny and checks them."

.PHONY: dist dist-test dist-twice deny audit no-deny
