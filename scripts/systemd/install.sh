#!/usr/bin/env bash
# Installs Postern as a systemd service. Makes the passphrase that seals the agent keys and shows it once at the terminal:
#   sudo ./install.sh
#   sudo ./install.sh --new-passphrase-file FILE   writes it to a new file (0600) instead: without a terminal
#   sudo ./install.sh --own-passphrase             asks for one of yours; one that is easily guessed is refused
#   sudo ./install.sh --passphrase-file FILE       reads one of yours
#   --plain-credential                             keeps it in a file for root alone instead of sealing it
# Starts nothing: first there has to be a data directory, see what it prints at the end.
set -euo pipefail
umask 077
here="$(cd "$(dirname "$0")" && pwd)"
# shellcheck source=common.sh
. "$here/common.sh"

usage() {
  echo "usage: $0 [--new-passphrase-file FILE | --own-passphrase | --passphrase-file FILE] [--plain-credential]" >&2
  exit 2
}

origin=made
file=""
is_plain=0
while [ $# -gt 0 ]; do
  case "$1" in
    --new-passphrase-file | --passphrase-file)
      if [ "$origin" != made ] || [ -n "$file" ] || [ -z "${2:-}" ]; then usage; fi
      [ "$1" = --new-passphrase-file ] || origin="file"
      file="$2"
      shift 2
      ;;
    --own-passphrase)
      if [ "$origin" != made ] || [ -n "$file" ]; then usage; fi
      origin=typed
      shift
      ;;
    --plain-credential) is_plain=1; shift ;;
    *) usage ;;
  esac
done

# The passphrase goes from hand to hand in pipes, in this shell's memory and over the terminal itself: never over a command
# line, never to standard output or error, which may be somebody's log.
has_terminal() { { : >"$TERMINAL"; } 2>/dev/null; }

make_passphrase() {
  [ -n "$file" ] || has_terminal ||
    fail "no terminal to show the passphrase at: give --new-passphrase-file FILE (it is written there) or --passphrase-file FILE (it is read there)"
  [ ! -e "$file" ] || fail "$file is there already; nothing is written over"
  passphrase="$("$here/postern" passphrase new)"
  [ "${#passphrase}" -ge 26 ] || fail "no passphrase could be made"
  if [ -n "$file" ]; then
    (set -o noclobber && printf '%s\n' "$passphrase" >"$file") || fail "$file cannot be written"
    say "The passphrase is in $file. Move it off this machine now: without it no backup can be used."
    return
  fi
  show_passphrase
}

# Until its end comes back, so that somebody has it before anything depends on it. `printf` is the shell's own: no argument of
# a process, no file behind a here-document.
show_passphrase() {
  local answer
  printf '%s\n' "" "The passphrase that seals the agent keys:" "" "    $passphrase" "" \
    "It is shown this once. Write it down and keep it elsewhere than on this machine: without it no backup can be used, and" \
    "whoever has it and the data directory can trade. Clear the terminal afterwards." >"$TERMINAL"
  for _ in 1 2 3; do
    printf 'Its last seven characters, dash included, when you have it: ' >"$TERMINAL"
    read -r answer <"$TERMINAL" || break
    [ "$answer" != "${passphrase: -7}" ] || return 0
    echo "That is not how it ends." >"$TERMINAL"
  done
  fail "nobody has said that they have the passphrase; nothing was installed"
}

type_passphrase() {
  local again
  has_terminal || fail "no terminal to ask at: give --passphrase-file FILE"
  printf 'Passphrase that seals the agent keys (keep a copy elsewhere: nothing can be restored without it): ' >"$TERMINAL"
  read -rs passphrase <"$TERMINAL"
  printf '\nThe same again: ' >"$TERMINAL"
  read -rs again <"$TERMINAL"
  echo >"$TERMINAL"
  [ "$passphrase" = "$again" ] || fail "the two differ"
}

# By the same rule as every other place where one is chosen. In a directory in memory, which only root can enter.
require_strong() {
  local reason
  directory="$(mktemp -d "$MEMORY/postern-install.XXXXXX")"
  trap 'rm -rf "$directory"' EXIT
  printf '%s' "$passphrase" >"$directory/passphrase"
  # A credential of whoever runs this would be read before the file.
  reason="$(env -u CREDENTIALS_DIRECTORY "$here/postern" passphrase check --passphrase-file "$directory/passphrase" 2>&1 >/dev/null)" ||
    fail "$reason"
  rm -rf "$directory"
}

# Before 252 a service that sees no devices cannot open its own credential with a TPM. Of what `has-tpm2` tells, the driver is
# enough: whether a TPM works is seen by sealing.
has_tpm() {
  local missing=0
  [ "$(systemd_version)" -ge 252 ] || return 1
  systemd-creds has-tpm2 >/dev/null 2>&1 || missing=$?
  [ $((missing & 2)) -eq 0 ]
}

# seal KEY: counts only when it opens again. A TPM may seal what it does not unseal.
seal() {
  local sealed="$SETTINGS/passphrase.cred.new"
  rm -f "$sealed"
  if printf '%s' "$passphrase" | systemd-creds encrypt --with-key="$1" --name=passphrase - "$sealed" 2>/dev/null &&
    [ "$(systemd-creds decrypt --name=passphrase "$sealed" - 2>/dev/null)" = "$passphrase" ]; then
    mv "$sealed" "$SETTINGS/passphrase.cred"
    return 0
  fi
  rm -f "$sealed"
  return 1
}

keep_passphrase() {
  if [ "$is_plain" -eq 1 ]; then
    say "The passphrase is kept in $SETTINGS/passphrase, for root alone and in the clear: a stolen disk holds it and the keys."
  elif has_tpm && seal host+tpm2; then
    say "The passphrase is sealed by this machine's TPM 2: a stolen disk opens nothing."
    return
  elif seal host; then
    say "The passphrase is sealed by the host key, for there is no TPM 2 that does it. That key is on the same disk: a stolen disk"
    say "holds both. The seal protects backups of $SETTINGS, and from other users of this machine."
    return
  else
    say "This machine cannot seal credentials: the passphrase is kept in $SETTINGS/passphrase, for root alone and in the clear. A"
    say "stolen disk holds it and the keys."
  fi
  printf '%s' "$passphrase" >"$SETTINGS/passphrase"
}

store_passphrase() {
  install -d -m 0755 "$SETTINGS"
  if [ -e "$SETTINGS/passphrase.cred" ] || [ -e "$SETTINGS/passphrase" ]; then
    say "the passphrase of the earlier installation is kept"
    return
  fi
  local passphrase=""
  case "$origin" in
    made) make_passphrase ;;
    typed) type_passphrase; require_strong ;;
    file) passphrase="$(head -n 1 "$file")"; require_strong ;;
  esac
  keep_passphrase
}

add_account() {
  getent passwd "$ACCOUNT" >/dev/null && return
  useradd --system --user-group --home-dir "$DATA" --no-create-home --shell /usr/sbin/nologin "$ACCOUNT"
}

require_root
require_systemd
[ -z "$(current_release)" ] || fail "Postern is installed already: use upgrade.sh"
release="$(release_directory "$here")"
store_passphrase
add_account
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
