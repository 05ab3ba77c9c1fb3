#!/usr/bin/env bash
# Runs inside the booted container: the operator's road from the archive to the removal, with everything that may go
# wrong on it. Prints "ok" or "FAILED" a line; the last line counts them.
# shellcheck disable=SC2016
set -uo pipefail
cd /try || exit 1
exec </dev/null
: >last
passed=0
failed=0

# check WHAT COMMAND...: whether the command succeeds.
check() {
  local what="$1"
  shift
  mv last before
  if "$@" >/try/last 2>&1; then
    passed=$((passed + 1))
    echo "ok      $what"
  else
    failed=$((failed + 1))
    echo "FAILED  $what"
    sed 's/^/        | /' /try/last | tail -20
  fi
}
refuses() { ! "$@"; }
# What the check before this one printed.
says() { grep -- "$1" /try/before || { cat /try/before; return 1; }; }
equal() { [ "$1" = "$2" ] || { echo "\"$1\" is not \"$2\""; return 1; }; }
within() {
  local seconds="$1"
  shift
  for _ in $(seq "$((seconds * 5))"); do
    "$@" && return 0
    sleep 0.2
  done
  return 1
}

url=http://127.0.0.1:8787
property() { systemctl show postern.service --property="$1" --value; }
process() { property MainPID; }
is_ready() { [ "$(curl -s -o /dev/null -w '%{http_code}' "$url/readyz")" = 200 ]; }
ask() { curl -s "$url$1" -H "Authorization: Bearer $key" "${@:2}"; }
place() {
  ask /v1/orders -H 'Content-Type: application/json' -H "Idempotency-Key: $1" \
    -d '{"account":"'"$account"'","market":"BTC","side":"buy","size":"0.001","price":"105000","time_in_force":"ioc"}'
}
status_of() { place "$1" | jq -r '.status // .error.code'; }
fills() { equal "$(status_of "$1")" filled; }
is_not_ready() { equal "$(status_of "$1")" not_ready; }
orders() { ask /v1/orders | jq '.data | length'; }
version_running() { postern-operator upgrade status --json | jq -r .version; }

echo "── install"
printf 'anvil quarry tulip magnet orbit seven\n' >passphrase
printf 'aaaaaaaa\n' >weak
check "the archive is what SHA256SUMS says" sha256sum --check --ignore-missing SHA256SUMS
for archive in postern-*.tar.gz; do tar -xzf "$archive"; done
a="$(echo /try/postern-0.1.0-linux-*/)" b="$(echo /try/postern-0.2.0-linux-*/)"
check "a weak passphrase is refused" refuses "$a/install.sh" --passphrase-file /try/weak
check "   with the reason" says "too easily guessed"
check "without a terminal no passphrase is shown" refuses "$a/install.sh"
check "   but written where one asks for it" says new-passphrase-file
check "install.sh installs" "$a/install.sh" --passphrase-file /try/passphrase
check "   under the host key, which is said" says "on the same disk"
check "a second installation is refused" refuses "$a/install.sh" --passphrase-file /try/passphrase
check "the passphrase lies sealed and nowhere else" bash -c '[ -s /etc/postern/passphrase.cred ] && ! grep -rq "quarry tulip" /etc /opt /var/lib'
check "without a data directory the start says so, and is not tried again" refuses systemctl start postern
check "   and the service is not failing in a loop" equal "$(property NRestarts)" 0

echo "── first order"
owner="$(./wallet address owner.key)"
sed "s/OWNER/$owner/" postern-paper.service >/etc/systemd/system/postern-paper.service
systemctl daemon-reload
check "the paper exchange starts" systemctl start postern-paper
within 20 curl -s -o /dev/null http://127.0.0.1:9797/info
check "init makes the data directory with the sealed passphrase" postern-operator init --network paper --exchange-url http://127.0.0.1:9797 --owner "$owner"
check "the data directory is the service's alone" equal "$(stat -c '%U %a' /var/lib/postern)" "postern 700"
postern-operator agent approval --json >approval.json
approve() { ./wallet sign owner.key <approval.json | postern-operator agent approve; }
check "the owner approves the agent" approve
check "the service starts" systemctl start postern
check "   and is ready" within 30 is_ready
check "   as its own user" equal "$(ps -o user= -p "$(process)")" postern
check "   with a status for people" bash -c '[[ "$(systemctl show postern --property=StatusText --value)" == *"writes are open"* ]]'
postern-operator key new --json >key.json
key="$(jq -r .api_key key.json)" hash="$(jq -r .key_hash key.json)"
postern-operator key grant --key-hash "$hash" --json >grant.json
account="$(jq -r .account grant.json)"
signed="$(./wallet sign owner.key <grant.json)"
check "the owner grants a key" postern-operator key register --key-hash "$hash" --issued-at "$(jq -r .issued_at grant.json)" --signature "$signed"
check "   and the signature is in no unit and not in the journal" bash -c "! journalctl --no-pager -o verbose | grep -qi ${signed#0x}"
check "   and the command ran behind the unit's walls" bash -c "postern-operator doctor --json >/dev/null & sleep 0.3; systemctl show 'run-*.service' --property=ProtectSystem --value | grep -q strict; wait"
check "an order placed with curl fills" fills container-order-1
check "postern-operator lists the key, and nothing of it is in the journal" bash -c "postern-operator key list --json | grep -q $hash && ! journalctl --no-pager | grep -q ${key#api_trade_}"
check "no passphrase in arguments or environment of the service" bash -c '! tr "\0" "\n" </proc/'"$(process)"'/environ | grep -q quarry && ! tr "\0" "\n" </proc/'"$(process)"'/cmdline | grep -q quarry'
check "the native signer loads inside the sandbox" grep -q "\.node" "/proc/$(process)/maps"
check "the doctor finds no fault" postern-operator doctor
check "   and reads in its header what seals the passphrase" says "under the host key, as its header says"
check "a backup is written beside the running gateway" postern-operator backup /var/lib/postern-backups/first.db
check "   for its owner alone" equal "$(stat -c '%U %a' /var/lib/postern-backups/first.db)" "postern 600"
check "the journal knows how urgent a line is" bash -c 'journalctl -u postern -p info --output=json --no-pager | jq -e "select(.PRIORITY == \"6\")" | grep -q . && journalctl -u postern -o json --no-pager | jq -rs "map(.MESSAGE) | join(\" \")" | grep -q listening'

echo "── stop, start, watchdog"
first="$(process)"
check "restart keeps the history" bash -c 'systemctl restart postern'
within 30 is_ready
check "   with another process" refuses equal "$first" "$(process)"
check "   and one order" equal "$(orders)" 1
check "   and the same answer to the same key" fills container-order-1
check "   placed once" equal "$(orders)" 1
install -d /run/systemd/system/postern.service.d
printf '[Service]\nWatchdogSec=3s\n' >/run/systemd/system/postern.service.d/try.conf
systemctl daemon-reload && systemctl restart postern && within 30 is_ready
first="$(process)"
sleep 5
check "a gateway that lives is left alone by a watchdog of 3 s" equal "$first" "$(process)"
kill -STOP "$first"
another() { [ "$(property Result)" = success ] && [ "$(process)" != "$first" ] && [ "$(process)" != 0 ] && is_ready; }
check "one that hangs is killed and started again" within 40 another
check "   by the watchdog" bash -c 'journalctl -u postern --no-pager | grep -q "Watchdog timeout"'
check "   and leaves no core" bash -c '! ls /var/lib/systemd/coredump/* /core* /var/lib/postern/core* 2>/dev/null'
check "   and trades" fills container-order-2
rm -r /run/systemd/system/postern.service.d && systemctl daemon-reload && systemctl restart postern && within 30 is_ready
first="$(process)"
kill -KILL "$first"
check "a killed one is started again" within 40 another
sed -i '$aPOSTERN_NO_SUCH_SETTING=1' /etc/postern/postern.env
systemctl restart postern
sleep 8
check "a setting that does not exist ends it, with exit code 2 and without another try" equal "$(property ExecMainStatus) $(property NRestarts)" "2 0"
sed -i '$d' /etc/postern/postern.env
systemctl reset-failed postern
systemctl stop postern-paper
check "an exchange that is down is no reason not to start" systemctl start postern
check "   but to take no orders" is_not_ready container-order-3
systemctl start postern-paper
check "   until it is back" within 60 is_ready
check "   and then to trade" within 20 fills container-order-3

echo "── upgrade"
check "upgrade.sh replaces 0.1.0 by 0.2.0" "$b/upgrade.sh"
check "   which runs" equal "$(version_running)" 0.2.0
check "   with its writes open" within 30 is_ready
check "   and all orders" equal "$(orders)" 3
check "   and trades" fills container-order-4
check "   as the version that has taken writes" equal "$(cat /var/lib/postern/accepted-writes-by)" 0.2.0
check "the way back is refused" refuses "$a/upgrade.sh"
check "   and said" says "forward only"
check "   and 0.2.0 still runs" fills container-order-5
check "the old executable does not start on these data either" refuses runuser -u postern -- env POSTERN_DATA_DIR=/var/lib/postern "$a/postern" serve
check "   and says why" says "has taken writes"

# A release whose executable does what the name says; version and the rest are the good one's.
broken() {
  cp -a "$b" "/try/broken-$1"
  printf '#!/bin/bash\ncase "$1" in\nversion) echo "version %s"; echo "commit %s000000000000" ;;\nserve) %s ;;\n*) exec %s/postern "$@" ;;\nesac\n' "$2" "$1" "$3" "$b" >"/try/broken-$1/postern"
  chmod 755 "/try/broken-$1/postern"
}
broken dies 0.3.0 'echo spoilt >"$STATE_DIRECTORY/postern.db"; echo more >"$STATE_DIRECTORY/left-behind"; exit 1'
broken another 0.4.0 "exec $b/postern serve"
for kind in dies another; do
  before="$(orders)"
  check "a new version that ${kind/another/is another than it says} is taken back by itself" refuses "/try/broken-$kind/upgrade.sh"
  check "   and said" says "is back, with everything as it was"
  check "   0.2.0 runs" within 30 is_ready
  check "   with the same orders" equal "$(orders)" "$before"
  check "   without what the new one left" bash -c '! ls /var/lib/postern | grep -q -e left-behind -e upgrade-trial'
  check "   and trades" fills "container-after-$kind"
done

# Cut off while the new version was on trial: what a power cut or a lost session leaves.
broken slow 0.5.0 "exec $b/postern serve"
sed -i 's/^health "\$version"/kill -KILL $$/' /try/broken-slow/upgrade.sh
check "an upgrade is cut off during the trial" refuses /try/broken-slow/upgrade.sh
check "   and no write is taken" within 20 is_not_ready container-cut-off
systemctl restart postern
check "   and the doctor says what to do" refuses postern-operator doctor
check "   in words" says "run upgrade.sh again"
check "   after a restart neither" within 20 is_not_ready container-cut-off
cp -a "$b" /try/next
printf '#!/bin/bash\n[ "$1" = version ] && { echo "version 0.2.0"; echo "commit nextnextnext"; exit; }\nexec %s/postern "$@"\n' "$b" >/try/next/postern
check "the next upgrade takes it back first and goes through" /try/next/upgrade.sh
check "   and said so" says "it is taken back first"
within 30 is_ready
check "   and trades" fills container-cut-off

echo "── remove"
count="$(orders)"
check "uninstall.sh removes service and executable" "$b/uninstall.sh"
check "   and leaves the data" test -s /var/lib/postern/postern.db -a -s /etc/postern/passphrase.cred
check "   and nothing else" bash -c '! ls /etc/systemd/system/postern.service /opt/postern /usr/local/bin/postern 2>/dev/null'
check "installed again it needs no passphrase" "$b/install.sh"
check "   starts" systemctl start postern
check "   ready" within 30 is_ready
check "   and has every order" equal "$(orders)" "$count"
systemctl stop postern
rm /etc/postern/passphrase.cred && "$b/uninstall.sh"
check "where nothing can be sealed the passphrase lies in a file for root alone" "$b/install.sh" --plain-credential --passphrase-file /try/passphrase
check "   mode 600" equal "$(stat -c '%U %a' /etc/postern/passphrase)" "root 600"
check "   and the service starts with it" systemctl start postern
check "   ready" within 30 is_ready
check "uninstall.sh --purge removes everything" "$b/uninstall.sh" --purge
check "   really" bash -c '! ls -d /var/lib/postern* /etc/postern /opt/postern 2>/dev/null && ! getent passwd postern'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
