#!/bin/sh
# The processes of the image: start (everything in one), gateway, migrate. The rest goes to the command line.
set -eu
case "${1:-start}" in
  gateway) exec node --max-semi-space-size=4 apps/gateway/src/main.ts ;;
  *) exec node --max-semi-space-size=4 apps/cli/src/main.ts "$@" ;;
esac
