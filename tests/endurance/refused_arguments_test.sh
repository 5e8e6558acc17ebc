#!/usr/bin/env bash
# What the programs of this folder say of arguments that they do not know, or
# that make no sense: exit code 2, and the argument.
set -euo pipefail

refuses() {
  local program=$1 argument=${*: -1} status=0 output
  output=$("tests/endurance/$program" "${@:2}" 2>&1) || status=$?
  if [[ $status -ne 2 || $output != *"$program: "*"'$argument'"* ]]; then
    echo "$*: expected exit code 2 and '$argument', got $status: $output" >&2
    exit 1
  fi
}

for argument in --days=1 --hours=x --seconds=-1 --seconds=1.5 --help more; do
  refuses soak "$argument"
done
refuses soak --hours=1 --seconds=1
for program in kill_test mpi_kill_test; do
  for argument in --kills=0 --kills=x --kills= --kill=5 --seed=-1 more; do
    refuses "$program" "$argument"
  done
  refuses "$program" --kills=1 --kills=2
done
