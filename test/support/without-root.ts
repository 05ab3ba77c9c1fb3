/** What needs root or systemd is left out of the shell scripts under test; the steps and their order are the scripts' own. */
export const WITHOUT_ROOT = `
require_root() { :; }
require_systemd() { :; }
chown() { :; }
sync() { :; }
install() {
  local kept=()
  while [ $# -gt 0 ]; do case "$1" in -o | -g) shift 2 ;; *) kept+=("$1"); shift ;; esac; done
  command install "\${kept[@]}"
}
`;
