#!/usr/bin/env bash
# Runs clang-tidy on the source files that differ from a commit, and on the source file beside each
# header that differs:
#
#   tests/tidy.sh [COMMIT]    the default is where this branch left its upstream, or else HEAD^
#   tests/tidy.sh --all       runs it on all source files, which takes two hours of a processor
#
# It configures build/tidy, where nothing is precompiled, and builds only files that are included.
# Exit status 0: nothing to report, 1: findings.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
cd "$top"
[ $# -le 1 ] || { echo 'usage: tests/tidy.sh [COMMIT | --all]' >&2; exit 2; }
prepare() {
  need "${test_packages[@]}" clang-19 clang-tidy-19
  cmake --preset clang -B build/tidy -DLOCKSTEP_BUILD_TESTS=ON -DLOCKSTEP_PRECOMPILED_HEADERS=OFF >/dev/null
  cmake --build build/tidy --target readme_code -- --quiet  # Tests of documents include its files.
}
check() { run-clang-tidy-19 -quiet -p build/tidy -j "$jobs" "$@"; }
if [ "${1-}" = --all ]; then
  prepare
  check
  exit
fi
since=${1-$(git merge-base HEAD '@{upstream}' 2>/dev/null || git rev-parse HEAD^)}
git rev-parse --verify --quiet "$since^{commit}" >/dev/null || {
  echo "tests/tidy.sh: not a commit: $since" >&2
  exit 2
}

# A header is checked with the source file of its name, wherever that is.
changed=$(git diff --name-only --diff-filter=d "$since" -- '*.cc' '*.h' |
  while read -r file; do
    case $file in
      *.cc) echo "$file" ;;
      *) git ls-files "*/$(basename "$file" .h).cc" ;;
    esac
  done | sort -u)
[ -n "$changed" ] || { echo "no source file differs from $since"; exit 0; }
prepare
mapfile -t files < <(echo "$changed" | sed 's/$/$/')
check "${files[@]}"
