#!/usr/bin/env bash
# Tests what tools/sanitize asks Bazel for.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
mkdir -- "$folder/tools"
cp -L -- tools/sanitize "$folder/tools"
printf '#!/bin/sh\necho "$@"\n' > "$folder/bazelw"
chmod +x "$folder/bazelw"

# expect COMMAND_LINE ARGUMENT...: what Bazel is asked for.
expect() {
  local actual
  actual=$("$folder/tools/sanitize" "${@:2}")
  if [[ $actual != "test --keep_going --define=catena_cpu=baseline --build_tests_only $1" ]]; then
    echo "sanitize ${*:2}: got '$actual'" >&2
    exit 1
  fi
}

# refuse MESSAGE ARGUMENT...: exit code 2, and a message that names what is wrong.
refuse() {
  local status=0 message
  message=$("$folder/tools/sanitize" "${@:2}" 2>&1) || status=$?
  if [[ $status -ne 2 || $message != *"$1"* ]]; then
    echo "sanitize ${*:2}: got exit code $status and '$message'" >&2
    exit 1
  fi
}

expect "--config=asan -- //..." asan
expect "--config=asan --config=ubsan -- //serializers/... -//caffe/..." \
  asan,ubsan //serializers/... -//caffe/...
expect "--config=tsan --config=cuda_emulated -- //cuda:device_test" \
  tsan --config=cuda_emulated //cuda:device_test
[[ $("$folder/tools/sanitize" tsan) == *" //training/... "* ]]
refuse "expected a kind"
refuse "got 'msan'" msan
refuse "cannot be combined" asan,tsan
refuse "got 'serializers'" asan serializers
