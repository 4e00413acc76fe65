# check-loans: `make help` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
# What is built, and what is tested, takes all cores by itself.
.NOTPARALLEL:

PREFIX ?= /usr/local
DESTDIR ?=

# What a build needs, and what the tests and the benchmarks need beyond it (Debian's names).
BUILD_PACKAGES := libxml2-dev libsqlite3-dev zlib1g-dev libarchive-dev libical-dev \
  libtomlplusplus-dev pkg-config tzdata
# And what builds the libraries that go into the archive.
LIBRARY_PACKAGES := curl gcc binutils xz-utils
TEST_PACKAGES := libxml2-utils libnotify-bin dbus-daemon libglib2.0-bin python3-dbusmock faketime \
  systemd python3-venv patch git bsdutils zsh fish sqlite3 jq mandoc remind gettext python3-polib \
  python3-babel gcc curl tmux less libgmime-3.0-dev mblaze msmtp python3-aiosmtpd \
  khal python3-vobject python3-html5lib
BROWSER_PACKAGES := chromium-headless-shell fonts-dejavu-core
BENCH_PACKAGES := libxml2-utils hyperfine time python3-lxml xmlstarlet libpugixml-dev \
  gnuplot-nox gcc g++
PACKAGE_PACKAGES := debhelper dpkg-dev lintian buildah libarchive13 libical3 jq
PACKAGE_TEST_PACKAGES := autopkgtest systemd-container systemd runc jq mmdebstrap debian-archive-keyring
DESKTOP_TEST_PACKAGES := systemd-container systemd libpam-systemd dbus-user-session libnotify-bin \
  python3-dbusmock
# MariaDB without its service; psql and the server of PostgreSQL.
REAL_PACKAGES := mariadb-server-core mariadb-client-core postgresql
PICTURE_PACKAGES := xvfb xterm dunst dbus libglib2.0-bin libnotify-bin imagemagick \
  x11-xserver-utils fonts-dejavu-core chromium-headless-shell mblaze

# The Swift runtime goes into the release binary; libxml2, SQLite and zlib stay outside, where the system
# keeps them up to date. Nothing in it is for others to link to, and it is the same wherever it is built.
RELEASE := --configuration release --static-swift-stdlib --disable-local-rpath \
  --product check-loans -Xlinker --no-export-dynamic -Xlinker -z -Xlinker now \
  -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen \
  -Xswiftc -file-prefix-map -Xswiftc "$(CURDIR)=." -Xcc "-ffile-prefix-map=$(CURDIR)=." \
  -Xcxx "-ffile-prefix-map=$(CURDIR)=."
BINARY := .build/release/check-loans

# The version is written down in one place. What is packed has the time of its release.
VERSION := $(shell sed -n 's/.*number = "\(.*\)"/\1/p' Sources/CommandOutput/Process/ProgramVersion.swift)
HASHES := \#\#
RELEASE_DATE = $(or $(shell sed -n '/^$(HASHES) $(VERSION) (\(.*\))$$/{s//\1/p;q}' CHANGELOG.md),$(error \
  CHANGELOG.md has no heading `$(HASHES) $(VERSION) (YYYY-MM-DD)`))
dist deb oci sbom: export SOURCE_DATE_EPOCH = $(shell date --utc --date $(RELEASE_DATE) +%s)
PACKAGES := .build/packages
ARCHIVE := check-loans-$(VERSION)-linux-$(shell uname -m)

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: setup build ## Install what is missing, build, and check books.xml
	mkdir -p -m 700 .build/books
	$(BINARY) --state .build/books/schedule.sqlite books.xml

# The tests. They are built once, optimised, apart from the release; Tests/run.sh knows how.
RELEASED := CHECK_LOANS_BINARY="$(CURDIR)/$(BINARY)"

.PHONY: test
test: setup-test lint build test-build ## Install what is missing, lint, run every suite, try the release
	Tests/run.sh
	$(RELEASED) Tests/run.sh --list Tests/smoke.txt

.PHONY: test-all
test-all: test test-command test-ci-recipes docs ## Test everything, for a night
	# The soak waits most of its time, so the others run beside it, each to its end.
	$(MAKE) test-soak & soak=$$!; \
	$(MAKE) test-sanitize & sanitize=$$!; \
	status=0; $(MAKE) -k test-random test-faults test-growth || status=$$?; \
	wait $$soak || status=$$?; wait $$sanitize || status=$$?; exit $$status
	@if [ -n "$${XMLCONF_DIR:-}" ]; then \
	  $(MAKE) test-conformance; \
	else \
	  echo "make: LEFT OUT: test-conformance, since XMLCONF_DIR does not name the W3C XML suite" >&2; \
	fi
	@if (( EUID == 0 )); then \
	  $(MAKE) -k test-real test-packages test-desktop; \
	else \
	  echo "make: LEFT OUT: test-real, test-packages, test-desktop, since only root can make a throw-away root" >&2; \
	fi

.PHONY: test-command
test-command: setup-test build test-build ## Run all tests of the command on the release binary
	$(RELEASED) Tests/run.sh --filter '^(CheckLoans|Runs|Settings|Reports|Validation)Tests'

.PHONY: test-ci-recipes
test-ci-recipes: setup-test setup-browser build test-build test-tools ## Run docs/ci.md, public tools, a browser
	CHECK_LOANS_PYTHON="$(CURDIR)/$(PYTHON)" $(RELEASED) Tests/run.sh --filter \
	  'Tests\.(CIRecipe|GitHubAction|PipelineFile|PreCommit|PublicTool|PublicCalendar|ChannelRecipe|PageBrowser)Tests'

.PHONY: test-faults
test-faults: setup-test test-build ## Kill, starve and damage it everywhere: takes an hour
	CHECK_LOANS_EFFORT=full CHECK_LOANS_KILLS=500 Tests/run.sh --filter '^FaultTests'

.PHONY: test-random
test-random: setup-test test-build ## Try ten thousand histories, and all seeds of what is random
	CHECK_LOANS_HISTORIES=10000 Tests/run.sh --filter 'Any history of a library'
	CHECK_LOANS_EFFORT=full Tests/run.sh --filter \
	  'ClosedDaysTests|DeliveryHoursTests|CalendarReadingTests|steps|Any order of reloads|RemindTests|SplitReadingTests|ChangedCatalogueTests'

.PHONY: test-growth
test-growth: setup-test test-build ## Run it daily for 400 days over 100,000 loans: takes half an hour
	CHECK_LOANS_GROWTH=1 Tests/run.sh --filter 'Growth over 400 days'

.PHONY: test-soak
test-soak: setup-test test-build ## Let watch reload every second for an hour
	CHECK_LOANS_SOAK=3600 Tests/run.sh --filter WatchSoakTests

.PHONY: test-conformance
test-conformance: setup-test build ## Hold it against the W3C XML suite in XMLCONF_DIR, and xmllint
	Tests/Conformance/run.py $(BINARY) "$${XMLCONF_DIR:?must name the folder that xmlconf.xml is in}"

.PHONY: test-real
test-real: setup build ## Send mail through real mail systems, and ask real databases: needs root
	@$(call install-missing,$(REAL_PACKAGES))
	Tests/Real/mail.sh $(BINARY)
	Tests/Real/sql.sh $(BINARY)

.PHONY: test-archive
test-archive: setup-test dist test-build ## Run all tests of the command on the archive's program, and those of its libxml2
	CHECK_LOANS_BINARY="$(CURDIR)/$(PACKAGES)/$(ARCHIVE)/check-loans" Tests/run.sh \
	  --filter '^(CheckLoans|Runs|Settings|Reports|Validation)Tests' --skip 'It needs no Swift'
	LIBRARIES=$(LIBRARIES) Tests/run.sh --build
	LIBRARIES=$(LIBRARIES) Tests/run.sh --filter '^LoanCatalogueTests'

.PHONY: test-packages
test-packages: dist deb oci sbom try-packages ## Make all packages, then install, run, upgrade and purge them: needs root

# The packages that are there, with a systemd of their own and on other systems.
.PHONY: try-packages
try-packages: PACKAGED = $(wildcard $(PACKAGES)/check-loans_$(VERSION)_libxml2-2_*.deb)
try-packages:
	@$(call install-packages,$(PACKAGE_TEST_PACKAGES))
	Tests/Real/deb.sh $(PACKAGED)
	Tests/Real/systems.sh $(PACKAGES)
	Tests/Real/oci.sh $(PACKAGES)/$(ARCHIVE).oci.tar

.PHONY: test-desktop
test-desktop: setup build ## Log in after a missed daily run, before the desktop: needs root
	@$(call install-missing,$(DESKTOP_TEST_PACKAGES))
	Tests/Real/desktop.sh $(BINARY)

.PHONY: test-sanitize
test-sanitize: setup-test ## Run the suite under address sanitizer, then under thread sanitizer
	Tests/Sanitizers/run.sh address
	Tests/Sanitizers/run.sh thread

.PHONY: test-build
test-build: setup
	Tests/run.sh --build

FUZZ_SECONDS ?= 60
FUZZER := .build-fuzz/release/CatalogueFuzzer

.PHONY: fuzz
fuzz: setup ## Read catalogues damaged at random, for FUZZ_SECONDS (60)
	FUZZ=1 swift build --configuration release --scratch-path .build-fuzz \
	  --sanitize fuzzer -Xswiftc -sanitize=fuzzer,address --product CatalogueFuzzer
	mkdir -p .build-fuzz/corpus .build-fuzz/profiles Fuzz/found
	# Each profile that is built in, with each catalogue of its form after it.
	for profile in Sources/LoanCatalogue/Profiles/Forms/*.xml; do \
	  form=$$(basename $$profile .xml); for catalogue in Fixtures/systems/$${form%%-*}-*.xml; do \
	    cat $$profile $$catalogue >.build-fuzz/profiles/$$form-$$(basename $$catalogue); done; done
	# Swift's own report of a crash would keep libFuzzer from keeping what it was found with.
	SWIFT_BACKTRACE=enable=no $(FUZZER) .build-fuzz/corpus Fuzz/seeds .build-fuzz/profiles Fixtures/valid \
	  Fixtures/invalid Fixtures/systems -dict=Fuzz/xml.dict -max_total_time=$(FUZZ_SECONDS) -max_len=16384 \
	  -timeout=100 -report_slow_units=50 -rss_limit_mb=2048 -detect_leaks=1 -artifact_prefix=Fuzz/found/ \
	  -print_final_stats=1 \
	  || { echo "make: read it alone with '$(FUZZER) FILE'; FILE is in Fuzz/found" >&2; exit 1; }

.PHONY: build
build: ## Build the release binary
	swift build $(RELEASE) -Xlinker -s

.PHONY: lint
lint: ## Check the sources' form
	swift format lint --strict --recursive Package.swift Sources Tests Examples Fuzz
	@export LC_ALL=C; \
	diff -U0 --label .unsafe-files <(sort .unsafe-files) \
	  --label 'files with unsafe code' <(grep -rlw --include='*.swift' unsafe Sources | sort) \
	  || { echo "make: correct the list of the files that may be unsafe, .unsafe-files" >&2; exit 1; }
	@docs/rooms.py | diff -U0 <(sed -n '/^```text$$/,/^```$$/{//!p}' docs/architecture.md) - \
	  || { echo "make: bring docs/architecture.md in line with the graph that docs/rooms.py prints" >&2; exit 1; }
	@$(write-template) | diff -U0 $(TEMPLATE) - \
	  || { echo "make: bring the translations in line with 'make translations'" >&2; exit 1; }
	for file in $(TRANSLATIONS)/*.po; do msgfmt --check --output-file=/dev/null $$file; done

# The messages in the sources, as a template for translators. xgettext(1) knows no Swift, but reads the
# calls as those of C; which messages have values in braces is noted so that msgfmt(1) checks them (but dates, where
# {day02} is {day} in some languages).
TRANSLATIONS := Sources/Languages/Translations
TEMPLATE := $(TRANSLATIONS)/check-loans.pot
define write-template
xgettext --language=C --from-code=UTF-8 --keyword --keyword=message:1,1t --keyword=message:1c,2,2t \
  --keyword=plural:1,2 --add-comments=Translators --no-location \
  --package-name=check-loans --output=- Sources/Languages/Messages/*.swift \
  | sed -e '1,5{/^# [A-Z]/d}' -e '/^"POT-Creation-Date/d' -e 's/charset=CHARSET/charset=UTF-8/' \
  | awk 'BEGIN { RS = ""; ORS = "\n\n" } \
    NR > 1 && /[{]/ && !/month02/ { i = match($$0, /(msgctxt|msgid) "/); \
      $$0 = substr($$0, 1, i - 1) "#, perl-brace-format\n" substr($$0, i) } 1'
endef

.PHONY: translations
translations: setup-test ## Bring the translations in line with the messages of the sources
	$(write-template) >$(TEMPLATE)
	for file in $(TRANSLATIONS)/*.po; do \
	  msgmerge --quiet --update --backup=none --no-fuzzy-matching --no-wrap $$file $(TEMPLATE); \
	  msgattrib --no-obsolete --no-wrap --output-file=$$file $$file; \
	done

LIBRARY := System Loans Languages LoanCatalogue LoanRules Mail ReminderSchedule Notifiers \
  ReminderService
SYMBOLS := .build-docs/library-symbols

.PHONY: docs
docs: setup ## Make the library's documentation in .build/LoanReminders.doccarchive
	# The compiler writes the symbols down as it builds the library.
	mkdir -p .build-docs/symbols
	swift build --scratch-path .build-docs --product LoanReminders \
	  -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc .build-docs/symbols \
	  -Xswiftc -symbol-graph-minimum-access-level -Xswiftc public \
	  -Xswiftc -symbol-graph-skip-synthesized-members -Xswiftc -omit-extension-block-symbols
	rm -rf $(SYMBOLS)
	mkdir -p $(SYMBOLS) .build
	cp $(LIBRARY:%=.build-docs/symbols/%.symbols.json) $(SYMBOLS)
	docc convert Sources/ReminderService/ReminderService.docc \
	  --additional-symbol-graph-dir $(SYMBOLS) --fallback-display-name LoanReminders \
	  --fallback-bundle-identifier loan-reminders --warnings-as-errors \
	  --output-path .build/LoanReminders.doccarchive

.PHONY: pictures
pictures: setup-pictures build ## Take the pictures of the documents again
	docs/pictures/make.sh $(BINARY)

.PHONY: bench
bench: setup-bench build ## Compare with other programs, write docs/performance.md
	/usr/bin/python3 Benchmarks/run.py $(BINARY)

.PHONY: install
install: ## Install below PREFIX (/usr/local): the binary, manual, schemas, completions, examples
	@test -x $(BINARY) || { echo "make: run 'make build' first" >&2; exit 1; }
	@work=$$(mktemp -d); trap 'rm -rf "$$work"' EXIT; packaging/tree.sh $(BINARY) "$$work/tree"; \
	DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" "$$work/tree/install.sh"

.PHONY: uninstall
uninstall: ## Remove what install put below PREFIX
	@DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" packaging/install.sh --uninstall

# What is packed is linked three times: with the libraries inside, for every distribution; to libxml2.so.16,
# which differs in nothing else; and to libxml2.so.2, whose headers are the system's.
LIBRARIES := $(CURDIR)/.build-libraries
# The build's identifier is of what the program is made of, not of symbols that tell where.
build-id = --build-id=0x$(shell { uname -m; swift --version; echo $(1); \
  find Package.swift Sources packaging/libraries.sh -type f | LC_ALL=C sort | xargs sha1sum; } 2>/dev/null \
  | sha1sum | cut -c 1-40)
PACKED = $(RELEASE) -Xlinker $(call build-id,$@)
SHARED := libsqlite3.so.0 libz.so.1

# make-tree BINARY LIBRARIES NAME VARIABLES: what is packed with this binary, which may need these libraries.
define make-tree
	packaging/baseline.sh $(1) $(2)
	rm -rf $(PACKAGES)/$(3) $(PACKAGES)/$(3).debug
	mkdir -p $(PACKAGES)/$(3)
	$(4) packaging/tree.sh $(1) $(PACKAGES)/$(3)
endef

.PHONY: libraries
libraries:
	@$(call install-missing,$(BUILD_PACKAGES) $(LIBRARY_PACKAGES))
	packaging/libraries.sh $(LIBRARIES)
	# A library that has changed does not make the build link again.
	rm -f .build-packages/release/check-loans

.PHONY: dist
dist: libraries ## Make the archive for every distribution, in .build/packages
	PKG_CONFIG_PATH=$(LIBRARIES)/pkgconfig swift build --scratch-path .build-packages $(PACKED) \
	  -Xlinker -L$(LIBRARIES)/static
	$(call make-tree,.build-packages/release/check-loans,,$(ARCHIVE))
	tar --create --directory=$(PACKAGES) --sort=name --owner=0 --group=0 --numeric-owner \
	  --mode=u=rwX,go=rX --mtime=@$(SOURCE_DATE_EPOCH) $(ARCHIVE) | gzip -9 --no-name \
	  >$(PACKAGES)/$(ARCHIVE).tar.gz
	cd $(PACKAGES) && sha256sum $(ARCHIVE).tar.gz

.PHONY: tree-2 tree-16
tree-2: setup
	swift build $(PACKED)
	$(call make-tree,$(BINARY),libxml2.so.2 $(SHARED),$(ARCHIVE)-libxml2-2)
tree-16: libraries
	PKG_CONFIG_PATH=$(LIBRARIES)/pkgconfig swift build --scratch-path .build-packages $(PACKED) \
	  -Xlinker -L$(LIBRARIES)/shared
	$(call make-tree,.build-packages/release/check-loans,libxml2.so.16 $(SHARED),$(ARCHIVE)-libxml2-16,\
	  LD_LIBRARY_PATH=$(LIBRARIES)/shared)

.PHONY: deb
deb: setup-package tree-2 tree-16 ## Make the Debian packages, in .build/packages
	rm -f $(PACKAGES)/*.deb $(PACKAGES)/*.buildinfo
	packaging/deb.sh $(PACKAGES)/$(ARCHIVE)-libxml2-2 $(VERSION) $(PACKAGES) 2
	packaging/deb.sh $(PACKAGES)/$(ARCHIVE)-libxml2-16 $(VERSION) $(PACKAGES) 16 $(LIBRARIES)/shared
	for package in $(PACKAGES)/*.deb; do lintian --fail-on error,warning --info $$package; done

.PHONY: oci
oci: setup-package tree-2 ## Make the container image, in .build/packages
	packaging/oci.sh $(PACKAGES)/$(ARCHIVE)-libxml2-2 $(VERSION) $(PACKAGES)/$(ARCHIVE).oci.tar

.PHONY: sbom
sbom: oci libraries ## List what the packages are made of, in .build/packages
	packaging/sbom.sh $(VERSION) $(LIBRARIES) $(PACKAGES)/$(ARCHIVE).packages >$(PACKAGES)/$(ARCHIVE).cdx.json

.PHONY: check-version check-sums
check-version:
	@: "$(RELEASE_DATE)"
	@[[ $${TAG:-v$(VERSION)} == v$(VERSION) ]] \
	  || { echo "make: the tag is $$TAG, and the program's version $(VERSION)" >&2; exit 1; }
# The action takes the archive only with the sums that are in its own tag. A rehearsal says what to commit.
check-sums:
	@sums=$$(cd $(PACKAGES); sha256sum $(ARCHIVE).tar.gz $(ARCHIVE)/check-loans); \
	if [[ $$(grep -F " $(ARCHIVE)" packaging/archives.sha256) == "$$sums" ]] \
	  && ! grep -E '^[0-9a-f]{64} ' packaging/archives.sha256 | grep -qvF " check-loans-$(VERSION)-linux-"; \
	then exit; fi; \
	printf 'make: packaging/archives.sha256 must have, before the tag is made:\n%s\n' "$$sums" >&2; \
	if [[ $${GITHUB_STEP_SUMMARY:-} ]]; then printf '```\n%s\n```\n' "$$sums" >>"$$GITHUB_STEP_SUMMARY"; fi; \
	[[ $${REHEARSAL:-} == true ]]

.PHONY: clean
clean: ## Remove everything that was built
	rm -rf .build .build-test .build-test-archive .build-packages .build-libraries .build-docs .build-bench .build-fuzz .build-asan .build-tsan

.PHONY: setup setup-test setup-browser setup-bench setup-package setup-pictures
setup: ## Install the system libraries that are missing
	@$(call install-missing,$(BUILD_PACKAGES))
setup-test:
	@$(call install-missing,$(BUILD_PACKAGES) $(TEST_PACKAGES))
setup-browser:
	@$(call install-missing,$(BROWSER_PACKAGES))
setup-bench:
	@$(call install-missing,$(BUILD_PACKAGES) $(BENCH_PACKAGES))
setup-package:
	@$(call install-missing,$(BUILD_PACKAGES) $(PACKAGE_PACKAGES))
setup-pictures:
	@$(call install-missing,$(BUILD_PACKAGES) $(PICTURE_PACKAGES))

# The interpreter that knows the public tools of the tests, made anew only when their list has
# changed.
PYTHON := .build/python/bin/python
.PHONY: test-tools
test-tools: .build/python/requirements.txt
.build/python/requirements.txt: Tests/requirements.txt | setup-test
	rm -rf .build/python
	/usr/bin/python3 -m venv .build/python
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --only-binary :all: \
	  --requirement $<
	cp $< $@

# Asks for nothing where nothing is missing.
define install-missing
	command -v swift >/dev/null \
	  || { echo "make: a Swift toolchain is needed, see https://www.swift.org/install" >&2; exit 1; }; \
	$(call install-packages,$(1))
endef
define install-packages
	command -v dpkg-query >/dev/null \
	  || { echo "make: install the equivalents of these Debian packages: $(1)" >&2; exit 0; }; \
	missing=(); \
	for package in $(1); do \
	  dpkg-query -W -f '$${db:Status-Status}' "$$package" 2>/dev/null | grep -qx installed \
	    || missing+=("$$package"); \
	done; \
	if (( $${#missing[@]} )); then \
	  echo "installing $${missing[*]}"; \
	  sudo=; if (( EUID )); then sudo=sudo; fi; \
	  $$sudo apt-get update -qq; \
	  DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq "$${missing[@]}" >/dev/null; \
	fi
endef
