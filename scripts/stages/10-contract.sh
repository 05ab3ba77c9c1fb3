#!/usr/bin/env bash
# The interface description against the gateway, case by case. Brings Java 17 where there is none; needs root for that.
set -euo pipefail
cd "$(dirname "$0")/../.."

OLDEST_JAVA=17
java_version() { java -version 2>&1 | sed -nE 's/.* version "([0-9]+).*/\1/p' | head -1; }

found="$(java_version || true)"
if [ "${found:-0}" -lt "$OLDEST_JAVA" ]; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless
fi
exec bun run contract
