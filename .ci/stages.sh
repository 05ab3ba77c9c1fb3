# shellcheck shell=bash
# How stages are run and counted; sourced by .ci/run. `.ci/stages` has their order and their time.

passed=0
failed=0
failures=()
stage_names=()
declare -A budgets=() manners=()

# A stage that takes this many times its budget, and more than the least, has hung: a busy machine is no fault of it.
HANGS_AT=4
LEAST_LIMIT_S=540

# read_stages FILE: names in their order, seconds and manner of each.
read_stages() {
  local name budget manner
  while read -r name budget manner; do
    case "$name" in '' | '#'*) continue ;; esac
    stage_names+=("$name")
    budgets[$name]="$budget"
    manners[$name]="$manner"
  done <"$1"
}

# limited NAME COMMAND...: runs it, and ends it where it hangs.
limited() {
  local limit=$((HANGS_AT * ${budgets[$1]}))
  [ "$limit" -ge "$LEAST_LIMIT_S" ] || limit="$LEAST_LIMIT_S"
  timeout --kill-after=10 "$limit" "${@:2}" </dev/null 2>&1
}

# stage NAME COMMAND...: runs it, shows its output, counts it as one.
stage() {
  local name="$1" started=$SECONDS status
  echo "── $name"
  limited "$@" | tee "$log_directory/$name"
  status=${PIPESTATUS[0]}
  conclude "$name" "$status" $((SECONDS - started))
}

# conclude NAME STATUS SECONDS: counts a stage, and says how it ended.
conclude() {
  local time="$3 s of ${budgets[$1]} s"
  [ "$3" -le "${budgets[$1]}" ] || time="$time, OVER"
  if [ "$2" -eq 0 ]; then
    passed=$((passed + 1))
    echo "── $1: passed in $time"
  else
    failed=$((failed + 1))
    failures+=("$1")
    if [ "$2" -eq 124 ]; then echo "── $1: ended because it hung"; fi
    echo "── $1: FAILED after $time"
  fi
  return "$2"
}

# beside LANES DIRECTORY NAME...: the executables of that name, so many at a time, in this order; each is shown and counted when
# it has ended.
beside() {
  local lanes="$1" directory="$2" name started=$SECONDS
  local shown=()
  shift 2
  for name in "$@"; do
    while [ "$(jobs -rp | wc -l)" -ge "$lanes" ]; do wait -n; done
    show_ended
    aside "$directory" "$name" &
  done
  while [ "${#shown[@]}" -lt "$#" ] && [ -n "$(jobs -rp)" ]; do
    wait -n
    show_ended
  done
  show_ended
  # One whose own shell was killed has left no word.
  for name in "$@"; do
    case " ${shown[*]} " in *" $name "*) ;; *) conclude "$name" 1 $((SECONDS - started)) ;; esac
  done
  echo "── beside: all of them in $((SECONDS - started)) s of ${budgets[beside]} s"
}

# aside DIRECTORY NAME: one of them, whose status and seconds come last. As the unit starts the gateway, without the last of the
# runtime's compilers: what lives for seconds or a few minutes gives back less than it takes, and the processors are all in use.
aside() {
  local started=$SECONDS status=0
  BUN_JSC_useFTLJIT=0 limited "$2" "$1/$2" >"$log_directory/$2" || status=$?
  echo "$status $((SECONDS - started))" >"$log_directory/$2.part"
  mv "$log_directory/$2.part" "$log_directory/$2.ended"
}

# Of `beside`: what has ended since it was asked last.
show_ended() {
  local file name status seconds
  for file in "$log_directory"/*.ended; do
    [ -f "$file" ] || continue
    name="$(basename "$file" .ended)"
    read -r status seconds <"$file"
    rm "$file"
    shown+=("$name")
    echo "── $name"
    cat "$log_directory/$name"
    conclude "$name" "$status" "$seconds" || true
  done
}

# Shows again what failed: whoever is shown only the end of a run sees the reason.
repeat_failures() {
  local name
  for name in ${failures[@]+"${failures[@]}"}; do
    echo "── FAILED: $name"
    {
      grep -nE '^\(fail\)|^not ok|FAIL' "$log_directory/$name" | head -n 20
      tail -n 15 "$log_directory/$name"
    } | cut -c 1-500
  done
}

# Adds a test run's own figures. A skipped test is a failed one, and so is a run that counted nothing.
count_tests() {
  local summary="$log_directory/$1" pass fail skip
  pass="$(sed -nE 's/^ *([0-9]+) pass$/\1/p' "$summary" | tail -1)"
  fail="$(sed -nE 's/^ *([0-9]+) fail$/\1/p' "$summary" | tail -1)"
  skip="$(sed -nE 's/^ *([0-9]+) (skip|todo)$/\1/p' "$summary" | awk '{ sum += $1 } END { print sum + 0 }')"
  if [ -z "$pass" ] || [ -z "$fail" ]; then
    failed=$((failed + 1))
    return
  fi
  passed=$((passed + pass))
  failed=$((failed + fail + skip))
}

finish() {
  repeat_failures
  echo "── all: $SECONDS s of ${budgets[all]} s"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit
}
