#!/usr/bin/env bash
# The interface description against the gateway, case by case. Brings Java 17 where there is none; needs root for that.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/bring.sh
bring_bun

OLDEST_JAVA=17
java_version() { java -version 2>&1 | sed -nE 's/.* version "([0-9]+).*/\1/p' | head -1; }

found="$(java_version || true)"
[ "${found:-0}" -ge "$OLDEST_JAVA" ] || bring openjdk-17-jre-headless
exec bun scripts/contract.ts
