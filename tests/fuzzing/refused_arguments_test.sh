#!/usr/bin/env bash
# What the programs of this folder say of arguments that they do not know, or
# that make no sense: exit code 2, and the argument.
set -euo pipefail

refuses() {
  local argument=${*: -1} status=0 output
  output=$("tests/fuzzing/$1" "${@:2}" 2>&1 > /dev/null) || status=$?
  if [[ $status -ne 2 || $output != *"${argument#*=}"* ]]; then
    echo "$*: expected exit code 2 and '$argument', got $status: $output" >&2
    exit 1
  fi
}

for argument in --format=x --format= --count=0 --count=1.5 --seed=-1 --size=5 \
  --help more; do
  refuses accepted_mutants "$argument"
done
refuses accepted_mutants --format
refuses accepted_mutants --format=npy --format=npz
for argument in --formats=x --formats= --count=0 --count=x --seed=-1 \
  --format=npy --size=5 more; do
  refuses read_again.py "$argument"
done
