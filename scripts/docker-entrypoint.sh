#!/bin/sh
# The processes of the image: start (everything in one), gateway, migrate. The rest goes to the command line.
set -eu
case "${1:-start}" in
  gateway) exec node apps/gateway/src/main.ts ;;
  *) exec node apps/cli/src/main.ts "$@" ;;
esac
