#!/usr/bin/env bash
# Places an order far below the market, moves on from every answer there can be, follows what happens without leaving anything
# out, and cancels: with curl, and nothing else. The key is granted already (README, "First order on paper", prints one):
#
#     POSTERN=http://127.0.0.1:8787 API_KEY=api_trade_... ACCOUNT=... bash trade.sh
set -euo pipefail
: "${POSTERN:=http://127.0.0.1:8787}" "${API_KEY:?}" "${ACCOUNT:?}"

# Longer than a gateway takes to answer a write, seconds.
ANSWER_WITHIN=15
# A stream that says nothing for longer is none any more, seconds: a comment comes after 15.
SILENT_AFTER=40
# How often one request is asked again before a person has to look.
MAX_TRIES=60

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# ask CURL_WORDS...: one request; its body is in $work/body, its head in $work/head. Prints the status, 000 where nobody answered.
# The key comes out of a file, because everybody on this machine may read a command line.
ask() {
  curl -s -m "$ANSWER_WITHIN" -o "$work/body" -D "$work/head" -w '%{http_code}' \
    -H @<(printf 'Authorization: Bearer %s\n' "$API_KEY") "$@" || true
}

# write PATH BODY KEY: one thing that is to happen, under one key however often it is asked for, so that it happens once.
write() {
  local tries status wait
  for ((tries = 1; tries <= MAX_TRIES; tries++)); do
    : >"$work/body" >"$work/head"
    status="$(ask -H "Idempotency-Key: $3" -H 'Content-Type: application/json' -d "$2" "$POSTERN$1")"
    wait="$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\).*/\1/p' "$work/head")"
    case "$status" in
      # Known. It may be `rejected`: look at `status` and `error`.
      200 | 201) return 0 ;;
      # Sent, and nobody knows yet what became of it: the same key tells.
      202) wait=1 ;;
      *)
        # Refused by the gateway, for good unless it says when to ask again: this request sent nothing.
        if grep -q '"error":{"type"' "$work/body" && [ -z "$wait" ]; then
          cat "$work/body" >&2
          return 1
        fi
        ;;
    esac
    # No answer, or not the gateway's own: anything may have happened, and the same key again is the one thing that is safe.
    echo "write: $status, again under the same key" >&2
    sleep "${wait:-1}"
  done
  echo "$3 is still unknown: never ask for the same thing under another key" >&2
  return 1
}

# member NAME TEXT: the first text member of that name in one line of JSON; the gateway writes no spaces between.
member() { [[ $2 =~ \"$1\":\"([^\"]*)\" ]] && echo "${BASH_REMATCH[1]}"; }

# follow: every event since $1 as a line "id type data", across broken connections; without $1, from now on.
follow() {
  local place="${1:-}" line id type
  while :; do
    while IFS= read -r line; do
      case "$line" in
        id:*) id="${line#id: }" ;;
        event:*) type="${line#event: }" ;;
        data:*)
          # Only a line that came whole is taken: what was cut off is told again.
          place="$id"
          echo "$id $type ${line#data: }"
          ;;
      esac
    done < <(curl -sN --speed-limit 1 --speed-time "$SILENT_AFTER" ${place:+-H "Last-Event-ID: $place"} \
      -H @<(printf 'Authorization: Bearer %s\n' "$API_KEY") "$POSTERN/v1/events" || true)
    sleep 1
  done
}

# wait_for ORDER STATUS: reads what is followed until the order is told to be so.
wait_for() {
  local id type data
  while read -r id type data <&3; do
    if [ "$type" = reset ]; then
      # Our place is not known any more: what happened meanwhile is in the order itself.
      ask "$POSTERN/v1/orders/$1" >"$work/status"
      data="$(cat "$work/body")"
    fi
    if [[ $data == *"\"id\":\"$1\""* && $data == *"\"status\":\"$2\""* ]]; then
      echo "told $2, event $id"
      return 0
    fi
  done
  return 1
}

new_key() { echo "example-$(od -An -v -N16 -tx1 /dev/urandom | tr -d ' \n')"; }

# Before anything is asked for: nothing is left out from the first event, `ready`, on.
mkfifo "$work/events"
# In a process group of its own, so that its curl ends with it.
set -m
follow >"$work/events" &
follower=$!
set +m
trap 'kill -- "-$follower" 2>/dev/null; rm -rf "$work"' EXIT
exec 3<"$work/events"
read -r first type _ <&3
echo "begins at event $first, $type"

# The keys are made before the first request: write them down where a crash of this program does not lose them.
key="$(new_key)"
echo "key $key"
write /v1/orders '{"account":"'"$ACCOUNT"'","market":"BTC","side":"buy","size":"0.001","price":"30000"}' "$key"
order="$(member id "$(cat "$work/body")")"
status="$(member status "$(cat "$work/body")")"
echo "placed $order $status"
if [ "$status" = rejected ]; then exit 1; fi
wait_for "$order" open

key="$(new_key)"
echo "key $key"
write "/v1/orders/$order/cancel" '{}' "$key"
echo "canceled $order $(member status "$(cat "$work/body")")"
wait_for "$order" canceled
