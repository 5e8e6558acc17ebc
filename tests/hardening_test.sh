#!/usr/bin/env bash
# A program of a user's is hardened by what its libraries bring: see SECURITY.md.
set -euo pipefail

readonly PROGRAM=tests/use_array

# expect WHAT PATTERN TEXT
expect() {
  if ! grep -qE -- "$2" <<< "$3"; then
    echo "$PROGRAM: expected $1 (a line with $2)" >&2
    exit 1
  fi
}

headers=$(readelf --wide --program-headers --dynamic "$PROGRAM")
expect "a segment that is read-only after the start" GNU_RELRO "$headers"
expect "addresses looked up at the start" 'BIND_NOW|Flags: .*NOW' "$headers"
names=$(nm --dynamic --undefined-only "$PROGRAM")
expect "canaries on the stack" __stack_chk_fail "$names"
expect "checked functions of the C library" '__[a-z]+_chk' "$names"
if [[ $(uname -m) == x86_64 ]]; then
  marks=$(objdump --disassemble --no-show-raw-insn "$PROGRAM" | grep -c endbr64)
  if ((marks < 500)); then
    echo "$PROGRAM: expected marks for indirect jumps, got $marks" >&2
    exit 1
  fi
fi
