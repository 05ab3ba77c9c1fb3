# shellcheck shell=bash
# Places and steps that install.sh, upgrade.sh and uninstall.sh share. Sourced, never run.
# shellcheck disable=SC2034

PROGRAMS=/opt/postern
CURRENT=$PROGRAMS/current
SETTINGS=/etc/postern
DATA=/var/lib/postern
# Where postern may write backups; to be copied off this machine.
BACKUPS=/var/lib/postern-backups
# Root's own: the gateway cannot touch what an upgrade goes back to.
SNAPSHOT=/var/lib/postern-upgrade
# Held while an upgrade runs.
LOCK=/run/postern-upgrade.lock
UNIT=/etc/systemd/system/postern.service
DROP_INS=$UNIT.d
COMMAND=/usr/local/bin/postern
OPERATOR=/usr/local/sbin/postern-operator
ACCOUNT=postern
# Where a person is shown what no log may keep.
TERMINAL=/dev/tty
# A file system that no disk ever sees.
MEMORY=/run
# LoadCredentialEncrypted= came with this one.
OLDEST_SYSTEMD=250

# A terminal that is gone must not end what is half done.
say() { echo "$*" 2>/dev/null || true; }
fail() {
  echo "$(basename "$0"): $*" >&2 || true
  exit 1
}

require_root() { [ "$(id -u)" -eq 0 ] || fail "run it as root: sudo $0"; }

require_systemd() {
  [ -d /run/systemd/system ] || fail "systemd does not run this machine"
  local version
  version="$(systemd_version)"
  [ "$version" -ge "$OLDEST_SYSTEMD" ] || fail "systemd $version is older than $OLDEST_SYSTEMD"
}

systemd_version() { systemctl --version | awk 'NR == 1 { print $2 + 0 }'; }

# The settings of a unit on standard input that a command of the operator runs under as well, a line each: all but those
# that make it a service which lasts, and its credential, of which there may be none yet.
walls_of_service() {
  awk '
    /^\[/ { inside = ($0 == "[Service]"); next }
    !inside || !/^[A-Za-z]+=/ { next }
    /^(Type|NotifyAccess|Exec[A-Za-z]*|Restart[A-Za-z]*|Timeout[A-Za-z]*|KillMode|WatchdogSec|StandardOutput|StandardError|SyslogIdentifier|LoadCredential|LoadCredentialEncrypted|SetCredential)=/ { next }
    { print }
  '
}

# fact_of BINARY NAME: version, commit … of an executable, and nothing when it does not run here.
fact_of() { (cd / && "$1" version 2>/dev/null) | awk -v name="$2" '$1 == name { print $2 }'; }

# Where a release is kept: two builds of one version are two.
release_directory() {
  local version commit
  version="$(fact_of "$1/postern" version)"
  commit="$(fact_of "$1/postern" commit)"
  [ -n "$version" ] || fail "$1/postern does not run on this machine; is it the build for $(uname -m)?"
  echo "$PROGRAMS/$version-${commit:0:12}"
}

# copy_release FROM TO: all or nothing, because a half-copied executable must never be the current one.
copy_release() {
  local unfinished="$2.unfinished"
  rm -rf "$unfinished"
  install -d -m 0755 "$PROGRAMS" "$unfinished"
  cp "$1"/{postern,install.sh,upgrade.sh,uninstall.sh,common.sh,postern-operator,postern.service,plain-credential.conf,postern.env} "$unfinished/"
  chown -R root:root "$unfinished"
  chmod -R u=rwX,go=rX "$unfinished"
  sync -f "$unfinished"
  rm -rf "$2"
  mv "$unfinished" "$2"
}

# make_current DIRECTORY: executable, unit and operator's command change over together.
make_current() {
  ln -sfn "$1" "$CURRENT.new"
  mv -T "$CURRENT.new" "$CURRENT"
  install -m 0644 "$1/postern.service" "$UNIT"
  ln -sfn "$CURRENT/postern" "$COMMAND"
  ln -sfn "$CURRENT/postern-operator" "$OPERATOR"
  systemctl daemon-reload
}

current_release() { readlink "$CURRENT" 2>/dev/null || true; }
