# shellcheck shell=bash
# For scripts that stand alone: what they say of themselves, a Bun of their own, programs of the system. Sourced with the
# words of the command line.

BUN_VERSION=1.4.5

# --help prints the comment at the script's head; the script has just gone to the root of the tree.
if [ "${1:-}" = --help ]; then
  case "$0" in /*) head="$0" ;; *) head="$OLDPWD/$0" ;; esac
  sed -n '2,/^[^#]/{ /^#/s/^# \{0,1\}//p; }' "$head"
  exit 0
fi

# lacking WHAT: says in one line what is missing, and ends.
lacking() {
  echo "$(basename "$0"): $1" >&2
  exit 2
}

# bring_bun: `bun` of the pinned version on the PATH; nothing of it is installed for good.
bring_bun() {
  local path
  if [ "$(bun --version 2>/dev/null || true)" = "$BUN_VERSION" ]; then return; fi
  command -v npx >/dev/null || lacking "npx is missing (Node.js and npm)"
  path="$(npx -y -p "bun@$BUN_VERSION" -c 'command -v bun' </dev/null)" || lacking "npx could not bring Bun $BUN_VERSION"
  PATH="$(dirname "$path"):$PATH"
  export PATH
}

# bring PACKAGE...: Debian's packages; without root, or a mirror that has them, that is the end.
bring() {
  if [ "$(id -u)" -ne 0 ]; then lacking "only root may install what is missing: apt-get install $*"; fi
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"; } >&2 || lacking "could not be installed: $*"
}

# has PROGRAM...: whether all of them are there.
has() {
  local program
  for program in "$@"; do command -v "$program" >/dev/null || return 1; done
}
