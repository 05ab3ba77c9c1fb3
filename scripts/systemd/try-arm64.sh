#!/usr/bin/env bash
# The executable for arm64 on a machine that is none: the smoke run of CI under qemu-user, with Debian's libraries for
# arm64 beside it. Needs root and a Debian mirror; slow, so it is no part of CI.
#   sudo scripts/systemd/try-arm64.sh [ARCHIVE]
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/bring.sh
bring_bun

# Seconds from start to the first line; emulation takes most of them.
START_DEADLINE_S=90

[ "$(id -u)" -eq 0 ] || lacking "this needs root: sudo $0"
has debootstrap qemu-aarch64-static || bring debootstrap qemu-user-static
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
archive="${1:-}"
if [ -z "$archive" ]; then
  bun scripts/release.ts --architecture arm64 --out "$work/release"
  archive="$(echo "$work"/release/*.tar.gz)"
fi
tar -xzf "$archive" -C "$work"
debootstrap --arch=arm64 --foreign --variant=minbase bookworm "$work/libraries" >/dev/null
cat >"$work/postern" <<RUN
#!/bin/sh
exec $(command -v qemu-aarch64-static) -L $work/libraries $(echo "$work"/postern-*-linux-arm64/postern) "\$@"
RUN
chmod +x "$work/postern"
"$work/postern" version
bun scripts/smoke.ts "$work/postern" "$START_DEADLINE_S"
