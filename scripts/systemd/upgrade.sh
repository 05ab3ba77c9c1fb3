#!/usr/bin/env bash
# Puts the release that this script lies in, in the place of the installed one:
#   stop (what is in flight is finished) -> snapshot -> start (the schema is brought up to date) -> health -> open writes
# If the new one is not well, snapshot and old release come back by themselves. Once writes are open there is no way
# back: orders may have been placed that the snapshot does not know. An upgrade that was cut off is taken back by the
# next run, as long as its writes were not open.
#   sudo ./upgrade.sh
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
# shellcheck source=common.sh
. "$here/common.sh"
# A closed terminal must not leave a gateway behind that takes no writes.
trap '' HUP INT PIPE
# Without it bash runs the EXIT trap at once and with status 0, and nothing is taken back.
trap 'exit 143' TERM

TRIAL=$DATA/upgrade-trial

# Everything but the sockets, as it lies there: nobody writes while the service is stopped.
take_snapshot() {
  rm -rf "$SNAPSHOT"
  install -d -m 0700 "$SNAPSHOT" "$SNAPSHOT/data"
  copy_data "$DATA" "$SNAPSHOT/data"
  printf '%s\n' "$1" >"$SNAPSHOT/release"
  sync -f "$SNAPSHOT"
}

copy_data() { find "$1" -mindepth 1 -maxdepth 1 ! -type s ! -name upgrade-trial -exec cp -a --reflink=auto -t "$2" {} +; }

# May be repeated: while the trial's file is there no version takes a write, so it goes last.
put_back() {
  local release
  release="$(cat "$SNAPSHOT/release")"
  systemctl stop postern.service || true
  systemctl is-active --quiet postern.service && fail "the service does not stop; nothing was put back"
  # It may have opened its writes until it stopped.
  [ -e "$TRIAL" ] || fail "writes were opened meanwhile, so nothing is put back: systemctl start postern"
  make_current "$release"
  find "$DATA" -mindepth 1 -maxdepth 1 ! -name upgrade-trial -exec rm -rf {} +
  copy_data "$SNAPSHOT/data" "$DATA"
  sync -f "$DATA"
  rm "$TRIAL"
  sync -f "$DATA"
  systemctl reset-failed postern.service 2>/dev/null || true
}

# Says why it is not, and ends with 1, unless the version that was installed runs and is well.
health() {
  local answer
  if ! answer="$(timeout 60 "$OPERATOR" upgrade status --json 2>&1)"; then
    say "$answer"
    return 1
  fi
  case "$answer" in *"\"version\":\"$1\""*) ;; *) say "another version answers: $answer"; return 1 ;; esac
}

require_room() {
  local needed free
  needed="$(du -sk "$DATA" | cut -f1)"
  free="$(df -Pk "$(dirname "$SNAPSHOT")" | awk 'NR == 2 { print $4 }')"
  # Once for the snapshot, once for what a migration writes.
  [ "$free" -gt $((2 * needed + 65536)) ] || fail "not enough room below $(dirname "$SNAPSHOT") for a snapshot of $needed KiB"
}

require_root
require_systemd
exec 9>"$LOCK"
flock -n 9 || fail "another upgrade is running"
old="$(current_release)"
[ -n "$old" ] || fail "Postern is not installed: use install.sh"
new="$(release_directory "$here")"
version="$(fact_of "$here/postern" version)"
if [ -e "$TRIAL" ]; then
  say "An earlier upgrade was cut off before writes were open; it is taken back first."
  put_back
  old="$(current_release)"
  systemctl start postern.service
fi
accepted="$(cat "$DATA/accepted-writes-by" 2>/dev/null || true)"
if [ -n "$accepted" ] && [ "$accepted" != "$version" ] &&
  [ "$(printf '%s\n' "$accepted" "$version" | sort -V | head -n 1)" = "$version" ]; then
  fail "Postern $accepted has taken writes here, and this is $version: the way is forward only"
fi
[ "$new" != "$old" ] || fail "$(basename "$new") is installed already"
systemctl is-active --quiet postern.service || fail "the service does not run: start it first, so that what was in flight is settled"
require_room

# Whatever ends this before writes are open: the old release runs again, with its own data.
is_stopped=0
take_back() {
  local status=$?
  trap - EXIT
  [ "$status" -ne 0 ] && [ "$is_stopped" -eq 1 ] || exit "$status"
  if [ -e "$TRIAL" ]; then
    journalctl --no-pager --quiet --unit=postern.service --lines=10 --output=cat 2>/dev/null || true
    put_back
  elif [ "$(current_release)" != "$old" ]; then
    say "$version may have taken writes already, so it stays: see journalctl -u postern"
    exit "$status"
  fi
  if systemctl start postern.service; then
    say "$(basename "$old") is back, with everything as it was."
  else
    say "$(basename "$old") does not start again: see journalctl -u postern. Its data are as they were."
  fi
  exit "$status"
}
trap take_back EXIT

copy_release "$here" "$new"
say "Stopping $(basename "$old") …"
is_stopped=1
systemctl stop postern.service
say "Taking a snapshot …"
take_snapshot "$old"
install -o "$ACCOUNT" -g "$ACCOUNT" -m 0600 /dev/null "$TRIAL"
sync -f "$DATA"
say "Starting $(basename "$new") …"
make_current "$new"
systemctl start postern.service || fail "$version does not start"
health "$version" || fail "$version is not well"
"$OPERATOR" upgrade open >/dev/null || fail "$version did not say that it opened its writes"
say "Postern $version takes writes. The release before is kept in $old, the snapshot in $SNAPSHOT."
