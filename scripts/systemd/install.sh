#!/usr/bin/env bash
# Installs Postern as a systemd service. Asks for the passphrase that seals the agent keys, or reads it:
#   sudo ./install.sh [--passphrase-file FILE] [--plain-credential]
# Starts nothing: first there has to be a data directory, see what it prints at the end.
set -euo pipefail
umask 077
here="$(cd "$(dirname "$0")" && pwd)"
# shellcheck source=common.sh
. "$here/common.sh"

passphrase_file=""
is_plain=0
while [ $# -gt 0 ]; do
  case "$1" in
    --passphrase-file) passphrase_file="${2:?--passphrase-file FILE}"; shift 2 ;;
    --plain-credential) is_plain=1; shift ;;
    *) echo "usage: $0 [--passphrase-file FILE] [--plain-credential]" >&2; exit 2 ;;
  esac
done

# The passphrase goes from hand to hand in pipes, never over a command line.
read_passphrase() {
  if [ -n "$passphrase_file" ]; then
    head -n 1 "$passphrase_file"
    return
  fi
  local first second
  [ -t 0 ] || fail "no terminal to ask at: give --passphrase-file FILE"
  read -rsp "Passphrase that seals the agent keys (keep a copy elsewhere: nothing can be restored without it): " first
  echo >&2
  read -rsp "The same again: " second
  echo >&2
  [ "$first" = "$second" ] || fail "the two differ"
  printf '%s\n' "$first"
}

store_passphrase() {
  install -d -m 0755 "$SETTINGS"
  if [ -e "$SETTINGS/passphrase.cred" ] || [ -e "$SETTINGS/passphrase" ]; then
    say "the passphrase of the earlier installation is kept"
    return
  fi
  local passphrase
  passphrase="$(read_passphrase)"
  [ "${#passphrase}" -ge 8 ] || fail "the passphrase needs at least 8 characters"
  if [ "$is_plain" -eq 0 ] &&
    printf '%s' "$passphrase" | systemd-creds encrypt --name=passphrase - "$SETTINGS/passphrase.cred.new" &&
    [ "$(systemd-creds decrypt --name=passphrase "$SETTINGS/passphrase.cred.new" -)" = "$passphrase" ]; then
    mv "$SETTINGS/passphrase.cred.new" "$SETTINGS/passphrase.cred"
    return
  fi
  rm -f "$SETTINGS/passphrase.cred.new"
  [ "$is_plain" -eq 1 ] || say "This machine cannot seal credentials; the passphrase is kept in $SETTINGS/passphrase, for root alone."
  printf '%s' "$passphrase" >"$SETTINGS/passphrase"
}

add_account() {
  getent passwd "$ACCOUNT" >/dev/null && return
  useradd --system --user-group --home-dir "$DATA" --no-create-home --shell /usr/sbin/nologin "$ACCOUNT"
}

require_root
require_systemd
[ -z "$(current_release)" ] || fail "Postern is installed already: use upgrade.sh"
release="$(release_directory "$here")"
add_account
store_passphrase
install -d -o "$ACCOUNT" -g "$ACCOUNT" -m 0700 "$BACKUPS"
[ -e "$SETTINGS/postern.env" ] || install -m 0644 "$here/postern.env" "$SETTINGS/postern.env"
if [ -e "$SETTINGS/passphrase" ]; then install -D -m 0644 "$here/plain-credential.conf" "$DROP_INS/plain-credential.conf"; fi
copy_release "$here" "$release"
chmod 0755 "$PROGRAMS" "$SETTINGS"
[ ! -d "$DROP_INS" ] || chmod 0755 "$DROP_INS"
make_current "$release"
systemctl enable --quiet postern.service
say "Postern $(fact_of "$CURRENT/postern" version) is installed."
if [ -e "$DATA/postern.db" ]; then
  say "Its data are still in $DATA: sudo systemctl start postern"
else
  say "Next: sudo postern-operator init --network mainnet --owner 0xYOUR_ADDRESS, then sudo systemctl start postern"
fi
