#!/usr/bin/env bash
# Runs clang-tidy on the source files that differ from a commit, and on the source file beside each
# header that differs:
#
#   tests/tidy.sh [COMMIT]    the default is where this branch left its upstream, or else HEAD^
#
# It configures build/tidy, but builds nothing. Exit status 0: nothing to report, 1: findings.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
cd "$top"
[ $# -le 1 ] || { echo 'usage: tests/tidy.sh [COMMIT]' >&2; exit 2; }
since=${1-$(git merge-base HEAD '@{upstream}' 2>/dev/null || git rev-parse HEAD^)}
git rev-parse --verify --quiet "$since^{commit}" >/dev/null || {
  echo "tests/tidy.sh: not a commit: $since" >&2
  exit 2
}
need "${test_packages[@]}" clang-19 clang-tidy-19

# A header is checked with the source file of its name, wherever that is.
changed=$(git diff --name-only --diff-filter=d "$since" -- '*.cc' '*.h' |
  while read -r file; do
    case $file in
      *.cc) echo "$file" ;;
      *) git ls-files "*/$(basename "$file" .h).cc" ;;
    esac
  done | sort -u)
[ -n "$changed" ] || { echo "no source file differs from $since"; exit 0; }
cmake --preset clang -B build/tidy -DLOCKSTEP_BUILD_TESTS=ON -DLOCKSTEP_PRECOMPILED_HEADERS=OFF >/dev/null
echo "$changed" | sed 's/$/$/' | xargs run-clang-tidy-19 -quiet -p build/tidy -j "$jobs"
