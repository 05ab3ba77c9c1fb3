#!/usr/bin/env bash
# Removes the service and the executable. Database, settings and passphrase stay, so that install.sh finds them again.
#   sudo ./uninstall.sh
#   sudo ./uninstall.sh --purge     and all of that and the backups here too: orders that are open at the exchange stay open there
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
# shellcheck source=common.sh
. "$here/common.sh"

is_purge=0
case "${1:-}" in
  "") ;;
  --purge) is_purge=1 ;;
  *) echo "usage: $0 [--purge]" >&2; exit 2 ;;
esac

require_root
require_systemd
systemctl disable --now --quiet postern.service 2>/dev/null || true
systemctl is-active --quiet postern.service && fail "the service does not stop"
rm -rf "$UNIT" "$DROP_INS" "$COMMAND" "$OPERATOR" "$PROGRAMS"
systemctl daemon-reload
systemctl reset-failed postern.service 2>/dev/null || true
if [ "$is_purge" -eq 1 ]; then
  rm -rf "$DATA" "$BACKUPS" "$SNAPSHOT" "$SETTINGS"
  if getent passwd "$ACCOUNT" >/dev/null; then userdel "$ACCOUNT"; fi
  say "Postern and all of its data are gone. Revoke its agent at the exchange if it is not needed any more."
else
  say "Postern is removed. Its data stay in $DATA, $BACKUPS and $SETTINGS; --purge removes them too."
fi
