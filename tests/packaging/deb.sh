#!/usr/bin/env bash
# Builds the Debian packages with static libraries, and installs them in a minimal Debian 12 system.
# There it runs the program, builds a user's programs, and removes the packages again. Needs root,
# debootstrap and the network.
set -euo pipefail
# shellcheck source=tests/packaging/debian_root.sh
. "$(dirname "$0")/debian_root.sh"
builds=$source/build/deb  # A constant path, for the compiler's cache.
scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch" "$builds"' EXIT
version=$(sed -n 's/^ *VERSION \([0-9.]*\)$/\1/p' "$source/CMakeLists.txt")
architecture=$(dpkg --print-architecture)

# build_packages NAME PACKAGES [CMAKE-ARGUMENT...]: builds exactly these packages, in a folder of
# that name.
build_packages() {
  local build=$builds/$1 expected made
  # shellcheck disable=SC2086
  expected=$(printf '%s\n' $2 | sed "s/\$/_${version}_$architecture.deb/" | sort)
  shift 2
  cmake --preset release -S "$source" -B "$build" -DCMAKE_INSTALL_PREFIX=/usr -DLOCKSTEP_BUILD_TESTS=OFF \
    -DLOCKSTEP_UNITY_BUILD=ON "$@"
  cmake --build "$build" --parallel "$(nproc)" --target lockstep_installed
  (cd "$build" && cpack --config CPackConfig.cmake)
  packages=$build/packages
  made=$(cd "$packages" && ls -- *.deb | sort)
  [ "$made" = "$expected" ] || fail "other packages: $made"
}

# field PACKAGE NAME PATTERN...: checks that the package's field matches all patterns.
field() {
  local value pattern package=$packages/$1_${version}_$architecture.deb name=$2
  value=$(dpkg-deb --field "$package" "$name")
  shift 2
  for pattern in "$@"; do
    grep -qE -e "$pattern" <<<"$value" || fail "$package: $name is '$value', without '$pattern'"
  done
}

# files PACKAGE: lists its files, and checks that its licence is among them.
files() {
  local list
  list=$(dpkg-deb --contents "$packages/$1_${version}_$architecture.deb" | awk '$1 !~ /^d/ { print $6 }')
  grep -qx "./usr/share/doc/$1/copyright" <<<"$list" || fail "$1 has no copyright"
  echo "$list"
}

# holds_none PACKAGE PATTERN
holds_none() {
  local list
  list=$(files "$1")
  if grep -E "$2" <<<"$list"; then fail "these do not belong in $1"; fi
}

# start_root: makes a minimal system with the packages in /tmp.
start_root() {
  [ -z "${root-}" ] || rm -rf --one-file-system "$root"
  root=$scratch/root
  make_root "$root"
  cp "$packages"/*.deb "$root/tmp"
  in_root "$root" apt-get update -qq
}

# add PACKAGE-OR-NAME...: installs packages from /tmp if they are ours, else from Debian.
add() {
  local name from=()
  for name in "$@"; do
    if [ -e "$root/tmp/${name}_${version}_$architecture.deb" ]; then name=/tmp/${name}_${version}_$architecture.deb; fi
    from+=("$name")
  done
  in_root "$root" apt-get install -qq --yes --no-install-recommends "${from[@]}"
}

# everything: lists the files of the system, without those of dpkg, apt and caches.
everything() {
  (cd "$root" && find . -xdev \( -path ./var -o -path ./proc -o -path ./tmp -o -path ./dev -o -path ./root -o -path ./srv \) -prune -o -print | sort)
}

# purge PACKAGE...: removes packages, and checks that no file and no library of theirs is left.
purge() {
  local left
  in_root "$root" dpkg --purge "$@"
  # Boost has a header with that name.
  left=$(everything | grep -i lockstep | grep -v /boost/) && fail "files are left: $left"
  # shellcheck disable=SC2016
  left=$(in_root "$root" dpkg-query -W -f '${Package} ${db:Status-Status}\n' | grep lockstep) && fail "packages are left: $left"
  left=$(in_root "$root" ldconfig -p | grep lockstep) && fail "the loader knows: $left"
  return 0
}

# build_against PROJECT...: builds an example with pkg-config, and projects of this
# folder.
build_against() {
  add g++ cmake make pkg-config librapidcheck-dev
  cp -r "$here" "$root/srv/consumers"
  cp "$source/examples/lock_in_production.cc" "$root/srv"
  # shellcheck disable=SC2016
  in_root "$root" bash -euc '
    cd /srv
    g++ -std=c++23 -Wall -Wextra lock_in_production.cc $(pkg-config --cflags --libs lockstep-zookeeper) -o locks
    ./locks 2>usage || grep "^usage" usage
    for consumer; do
      cmake -S "consumers/$consumer" -B "build-$consumer" && cmake --build "build-$consumer" && "build-$consumer/consumer"
    done' bash "$@"
}

echo '== the packages'
build_packages static 'liblockstep-dev lockstep'
field lockstep Version "^$version\$"
field lockstep Depends 'libc6 ' 'libstdc\+\+6 \(>= 12' 'libzookeeper-mt2' 'libssl3' 'libboost-context1\.74\.0'
if dpkg-deb --field "$packages/lockstep_${version}_$architecture.deb" Depends | grep -e -dev; then
  fail 'the program needs a package for developers'
fi
field liblockstep-dev Depends 'libzookeeper-mt-dev' 'libssl-dev' 'libboost-context-dev' 'g\+\+ '
list=$(files lockstep)
for file in bin/lockstep share/man/man1/lockstep.1 share/bash-completion/completions/lockstep; do
  grep -qx "./usr/$file" <<<"$list" || fail "lockstep has no $file"
done
holds_none lockstep 'include/|\.a$|\.cmake$|\.pc$'
holds_none liblockstep-dev '/bin/|\.so$'

start_root
# dpkg must refuse the program while its libraries are missing.
if in_root "$root" dpkg --install "/tmp/lockstep_${version}_$architecture.deb" >"$scratch/refused" 2>&1; then
  fail 'dpkg installed the program without its libraries'
fi
grep -q 'depends on libzookeeper-mt2' "$scratch/refused" || { cat "$scratch/refused"; fail 'refused for another reason'; }
purge lockstep
add libzookeeper-mt2 libssl3 libboost-context1.74.0 libstdc++6
before=$(everything)
add lockstep
[ "$(in_root "$root" lockstep --version)" = "lockstep $version" ] || fail 'lockstep --version'
in_root "$root" lockstep hunt fair-mutex --executions 500
if in_root "$root" lockstep hunt zoo-01-wait-after-missing-predecessor >"$scratch/found"; then
  fail 'the installed program finds nothing in zoo-01'
fi
grep -q 'WAITS FOR EVER' "$scratch/found" || { cat "$scratch/found"; fail 'no violation is drawn'; }
# `lockstep run` must find its preloaded library next to the program.
in_root "$root" lockstep run --hunt --executions 5 -- /bin/true
if in_root "$root" lockstep run --hunt --executions 5 -- /bin/false >"$scratch/run"; then fail 'run finds nothing in false'; fi
grep -q 'user:exit-status' "$scratch/run" || { cat "$scratch/run"; fail 'lockstep run, installed'; }
purge lockstep
[ "$(everything)" = "$before" ] || fail "the system is another one: $(diff <(echo "$before") <(everything))"

add liblockstep-dev
build_against production simulation
purge liblockstep-dev
echo 'the packages install, work and go away'
