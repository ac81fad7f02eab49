# shellcheck shell=bash
# Bare Debian 12 systems in folders. Sourced, not run; needs root and debootstrap.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(cd "$here/../.." && pwd)

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# The first Debian archive that this machine uses.
debian_archive() {
  { cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true; } |
    sed -nE 's,^(URIs:|deb( \[[^]]*\])?) +(https?://[^ ]*/debian)/?( .*)?$,\3,p' | sed -n 1p
}

# make_root FOLDER: makes a system with only Debian's minbase. Keeps the first one as an archive.
make_root() {
  local folder=$1 packed=$source/build/bookworm.tar archive
  mkdir -p "$folder" "$(dirname "$packed")"
  if [ -e "$packed" ]; then
    tar -C "$folder" -xf "$packed"
    return
  fi
  archive=$(debian_archive)
  debootstrap --variant=minbase bookworm "$folder" ${archive:+"$archive"} >"$folder.log" 2>&1 ||
    { tail -n 20 "$folder.log"; fail "debootstrap, see $folder.log"; }
  in_root "$folder" apt-get clean
  tar -C "$folder" --one-file-system -cf "$packed.new" . && mv "$packed.new" "$packed"
}

# in_root FOLDER COMMAND...: runs a command there with processes, devices and the network, but
# nothing else of this machine.
in_root() {
  local folder=$1
  shift
  cp /etc/resolv.conf "$folder/etc/resolv.conf"
  # The mounts and the processes end with the command.
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child bash -c '
    set -e
    mount --make-rprivate /
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    cd /
    exec chroot "$1" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive TERM=dumb "${@:2}"' bash "$folder" "$@"
}

# copy_sources FOLDER: copies what a clone of this tree would contain, with uncommitted changes.
copy_sources() {
  mkdir -p "$1"
  git -C "$source" -c safe.directory="$source" ls-files -z --cached --others --exclude-standard |
    tar -C "$source" --null --files-from - --ignore-failed-read -c | tar -C "$1" -x
}
