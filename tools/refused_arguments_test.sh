#!/usr/bin/env bash
# What programs for developers say of arguments that they do not know, or that make no
# sense: exit code 2, and the argument.
set -euo pipefail

refuses() {
  local argument=${*: -1} status=0 output
  output=$("$@" 2>&1 > /dev/null) || status=$?
  if [[ $status -ne 2 || $output != *"${argument#*=}"* ]]; then
    echo "$*: expected exit code 2 and '$argument', got $status: $output" >&2
    exit 1
  fi
}

for program in fuzz mutate reproducible sbom; do
  refuses "tools/$program" --unheard-of
done
refuses tools/fuzz all --seconds=0
refuses tools/fuzz all --seconds=x
refuses tools/fuzz all --second=5
refuses tools/mutate --count=0
refuses tools/mutate nowhere
for program in reproducible sbom; do
  refuses "tools/$program" catena
done
refuses tools/sbom --check=nowhere.json
refuses tools/sbom --check=tools/sbom
OUT=$(mktemp -d) refuses tests/fuzzing/build_all all
