#!/usr/bin/env bash
# reproducible.sh [CMAKE-ARGUMENT...]: builds the Debian packages twice, in folders with different
# names, and compares them. It does not use the compiler's cache, which would make them equal.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CCACHE_DISABLE=1
arguments=("$@")
# Without this, packages contain the times of their files. This is the time of the last commit.
SOURCE_DATE_EPOCH=$(git -C "$source" -c safe.directory="$source" log -1 --format=%ct)
export SOURCE_DATE_EPOCH

# package FOLDER: copies the tree there, builds and packs it.
package() {
  mkdir -p "$1"
  git -C "$source" -c safe.directory="$source" ls-files -z --cached --others --exclude-standard |
    tar -C "$source" --null --files-from - --ignore-failed-read -c | tar -C "$1" -x
  cmake --preset release -S "$1" -B "$1/build/release" -DCMAKE_INSTALL_PREFIX=/usr -DLOCKSTEP_BUILD_TESTS=OFF \
    -DLOCKSTEP_UNITY_BUILD=ON "${arguments[@]}" >/dev/null
  cmake --build "$1/build/release" --parallel "$(nproc)" --target lockstep_installed >/dev/null
  (cd "$1/build/release" && cpack --config CPackConfig.cmake >/dev/null)
}
one=$scratch/one/lockstep another=$scratch/another/place/with-another-name
package "$one"
package "$another"

status=0
for first in "$one"/build/release/packages/*.deb; do
  second=$another/build/release/packages/$(basename "$first")
  if cmp -s "$first" "$second"; then
    echo "equal: $(sha256sum <"$first" | cut -c1-16) $(basename "$first")"
    continue
  fi
  status=1
  echo "FAILED: $(basename "$first") differs:"
  for which in one another; do mkdir -p "$scratch/unpacked/$which"; done
  dpkg-deb --extract "$first" "$scratch/unpacked/one"
  dpkg-deb --extract "$second" "$scratch/unpacked/another"
  (cd "$scratch/unpacked" && diff -rq one another) || true
  rm -rf "$scratch/unpacked"
done
exit "$status"
