#!/usr/bin/env bash
# Install, upgrade and removal in a booted Debian, as a stranger would meet them: builds releases of two versions, makes a
# root with debootstrap, boots it with systemd-nspawn without a network and runs try/scenario.sh in it.
# Needs root, a Debian mirror, and some minutes: it is no part of CI.
#   sudo scripts/systemd/try-in-a-container.sh [--keep] [DIRECTORY]
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/bring.sh
bring_bun
[ "$(id -u)" -eq 0 ] || lacking "this needs root: sudo $0"

keep=0
if [ "${1:-}" = --keep ]; then keep=1; shift; fi
work="${1:-$(mktemp -d)}"
mkdir -p "$work"
root="$work/root"
# Seconds until a container that does not end is ended.
DEADLINE_S=900

has debootstrap systemd-nspawn || bring debootstrap systemd-container

for version in 0.1.0 0.2.0; do
  [ -d "$work/release-$version" ] || bun scripts/release.ts --architecture x64 --version "$version" --out "$work/release-$version"
done
if [ ! -d "$work/base" ]; then
  debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,curl,jq,procps,openssl bookworm "$work/base.new"
  mv "$work/base.new" "$work/base"
fi

rm -rf "$root"
cp -a --reflink=auto "$work/base" "$root"
mkdir "$root/try"
cp "$work"/release-*/*.tar.gz scripts/systemd/try/{scenario.sh,postern-paper.service} "$root/try/"
cat "$work"/release-*/SHA256SUMS >"$root/try/SHA256SUMS"
bun build --compile scripts/systemd/try/wallet.ts --outfile "$root/try/wallet" >/dev/null
cat >"$root/etc/systemd/system/try.service" <<'UNIT'
[Unit]
SuccessAction=poweroff-force
FailureAction=poweroff-force
[Service]
Type=oneshot
ExecStart=/bin/bash /try/scenario.sh
StandardOutput=file:/try/result
StandardError=inherit
[Install]
WantedBy=multi-user.target
UNIT
chroot "$root" systemctl enable --quiet try.service
: >"$root/try/result"

# nspawn wants /run to be a file system in memory; where no systemd runs outside it is not.
inside=(systemd-nspawn --quiet --directory="$root" --machine=postern-try --register=no --keep-unit --private-network --boot --console=read-only)
timeout --kill-after=10 "$DEADLINE_S" unshare --mount bash -c 'mountpoint -q /run || mount -t tmpfs tmpfs /run; exec "$@"' try "${inside[@]}" </dev/null >"$work/console" 2>&1 &
container=$!
tail --pid="$container" -n +1 -f "$root/try/result"
wait "$container" || true
result="$(tail -n 1 "$root/try/result")"
[ "$keep" -eq 1 ] || rm -rf "$root"
[[ "$result" == *" passed, 0 failed" ]]
