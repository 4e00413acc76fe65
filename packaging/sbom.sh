#!/usr/bin/env bash
# sbom.sh VERSION LIBRARIES PACKAGES: prints what the packages of this machine are made of, as CycloneDX 1.6: the Swift
# packages and the toolchain, what is linked into the archive's program (LIBRARIES is the directory of
# libraries.sh), and the system's packages that are in the image (PACKAGES is a list of their names).
#
# SOURCE_DATE_EPOCH is the time of all that is in it; HOMEPAGE is the project's address, if it has one.
set -euo pipefail
: "${SOURCE_DATE_EPOCH:?}"
version=$1 libraries=$(realpath "$2") packages=$(realpath "$3")
architecture=$(dpkg --print-architecture)
system=$(sed -n 's/^ID=//p; s/^VERSION_ID="\(.*\)"/-\1/p' /etc/os-release | sort --reverse | tr -d '\n')
readonly version libraries packages architecture system
cd "$(dirname "$0")/.."

# component TYPE NAME VERSION PURL LICENCE WHERE
component() {
  jq --null-input --arg type "$1" --arg name "$2" --arg version "$3" --arg purl "$4" --arg licence "$5" \
    --arg where "$6" '{
      type: $type, name: $name, version: $version, scope: "required",
      licenses: (if $licence == "" then null else [{license: {id: $licence}}] end),
      purl: (if $purl == "" then null else $purl end),
      properties: [{name: "check-loans:linked", value: $where}]
    } | del(..|nulls) | ."bom-ref" = "\(.name)@\(.version), \($where)"'
}

# debian PACKAGE WHERE: a package of the build machine.
debian() {
  local package=$1
  local source number
  number=$(dpkg-query --show --showformat='${Version}' "$package")
  source=$(dpkg-query --show --showformat='${Package}' "$package")
  component library "$source" "$number" \
    "pkg:deb/${system%%-*}/$source@${number//+/%2B}?arch=$architecture&distro=$system" "" "$2"
}

swift_packages() {
  swift package show-dependencies --format json 2>/dev/null \
    | jq --raw-output '[.. | .dependencies? // empty | .[]] | unique_by(.url)[] | "\(.url) \(.version)"' \
    | while read -r url number; do
      component library "$(basename "$url" .git)" "$number" "pkg:swift/${url#https://}@$number" \
        Apache-2.0 "into every program"
    done
}

{
  swift_packages
  component application swift "$(swift --version 2>/dev/null | sed -n 's/^.*Swift version \([0-9.]*\).*/\1/p')" "" \
    Apache-2.0 "into every program, and what it was built with"
  component library tomlplusplus "$(pkg-config --modversion tomlplusplus)" "" MIT "into every program"
  PKG_CONFIG_PATH=$libraries/pkgconfig
  export PKG_CONFIG_PATH
  component library libxml2 "$(pkg-config --modversion libxml-2.0)" \
    "pkg:generic/libxml2@$(pkg-config --modversion libxml-2.0)" MIT "into the archive's program"
  debian libsqlite3-dev "into the archive's program"
  debian zlib1g-dev "into the archive's program"
  while read -r package; do debian "$package" "in the image"; done <"$packages"
} | jq --slurp --arg version "$version" --arg homepage "${HOMEPAGE-}" \
  --arg time "$(date --utc --date "@$SOURCE_DATE_EPOCH" +%FT%TZ)" '{
    bomFormat: "CycloneDX", specVersion: "1.6", version: 1,
    metadata: {
      timestamp: $time,
      component: ({
        type: "application", name: "check-loans", version: $version, "bom-ref": "check-loans",
        licenses: [{license: {id: "Apache-2.0"}}]
      } + (if $homepage == "" then {} else
        {externalReferences: [{type: "vcs", url: $homepage}]} end))
    },
    components: .,
    dependencies: [{ref: "check-loans", dependsOn: [.[]."bom-ref"]}]
  }'
