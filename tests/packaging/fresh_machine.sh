#!/usr/bin/env bash
# fresh_machine.sh [--quick]: runs the README's two commands on minimal Debian 12 systems, as root,
# and as a user with sudo. --quick runs `./test --quick` instead of `./test`. Needs root,
# debootstrap and the network.
set -euo pipefail
# shellcheck source=tests/packaging/debian_root.sh
. "$(dirname "$0")/debian_root.sh"
[ $# = 0 ] || [ "$*" = --quick ] || fail "usage: fresh_machine.sh [--quick]"
scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT

# timed TITLE COMMAND...: on failure, shows the command's last lines.
timed() {
  local title=$1 log=$scratch/log start=$EPOCHREALTIME
  shift
  "$@" >"$log" 2>&1 || { tail -n 60 "$log"; fail "$title"; }
  awk -v title="$title" -v from="$start" -v to="$EPOCHREALTIME" \
    'BEGIN { printf "%-50s %.1f s\n", title, to - from }'
}

echo '== as root'
root=$scratch/root
make_root "$root"
copy_sources "$root/srv/lockstep"
timed './run, the first time, with its packages' in_root "$root" /srv/lockstep/run
grep -q 'WAITS FOR EVER' "$scratch/log" || { cat "$scratch/log"; fail 'the tour shows no lost wakeup'; }
timed './run, again' in_root "$root" /srv/lockstep/run list
grep -q '^ *fair-mutex ' "$scratch/log" || { cat "$scratch/log"; fail './run list'; }
# The build of ./run is enough for an installation, and that for a user.
in_root "$root" cmake --install /srv/lockstep/build/release --prefix /opt/lockstep >/dev/null
[ "$(in_root "$root" /opt/lockstep/bin/lockstep --version)" = "$(in_root "$root" /srv/lockstep/run --version)" ] ||
  fail 'the installed program is another one'
in_root "$root" cmake -G Ninja -S /srv/lockstep/tests/packaging/production -B /srv/consumer -DCMAKE_PREFIX_PATH=/opt/lockstep >/dev/null
in_root "$root" cmake --build /srv/consumer >/dev/null
in_root "$root" /srv/consumer/consumer
timed "./test $*" in_root "$root" /srv/lockstep/test "$@"
tail -n 1 "$scratch/log"

echo '== by a user with sudo'
rm -rf --one-file-system "$root"
root=$scratch/sudo
make_root "$root"
in_root "$root" apt-get update -qq
in_root "$root" apt-get install -qq --yes --no-install-recommends sudo >/dev/null
in_root "$root" useradd --create-home user
echo 'user ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/user"
copy_sources "$root/home/user/lockstep"
in_root "$root" chown -R user: /home/user
as_user() { in_root "$root" su user -c "cd ~/lockstep && $*"; }
timed './run list, the first time' as_user ./run list
timed './test --quick' as_user ./test --quick
tail -n 1 "$scratch/log"
owned=$(find "$root/home/user/lockstep" ! -user "$(in_root "$root" id -u user)" | head -n 3)
[ -z "$owned" ] || fail "sudo has written into the tree: $owned"

echo 'both commands work on a bare machine'
