#!/usr/bin/env bash
# A minute of tests/endurance/soak.cc, and what it says of other arguments.
set -euo pipefail

readonly PROGRAM=tests/endurance/soak

for argument in --days=1 --hours=x --seconds=-1 more; do
  status=0
  output=$("$PROGRAM" "$argument" 2>&1) || status=$?
  if [[ $status -ne 2 || $output != *"'$argument'"* ]]; then
    echo "$argument: expected exit code 2 and its name, got $status: $output" >&2
    exit 1
  fi
done
"$PROGRAM" --seconds=60
