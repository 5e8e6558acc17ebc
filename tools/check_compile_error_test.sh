#!/usr/bin/env bash
# Tests check_compile_error.
set -euo pipefail

cd "$TEST_TMPDIR"
readonly CHECK="$OLDPWD/tools/check_compile_error"
printf '// error: no member\nint main() { return x.y; }\n' > source.cc

printf 'source.cc:2: error: x has no member y\n' > messages
"$CHECK" source.cc messages

expect_rejected() {
  if "$CHECK" source.cc messages 2> reason; then
    echo "accepted: $(cat messages)"
    exit 1
  fi
  grep -q "$1" reason
}
echo "It compiles." > messages
expect_rejected "expected an error with: no member"
printf 'source.cc:2: error: syntax error\n' > messages
expect_rejected "syntax error"
# A quotation of the source is no message.
printf 'source.cc:2: error: syntax error\n    2 | // no member\n' > messages
expect_rejected "expected an error with: no member"
echo "int main() {}" > source.cc
expect_rejected "expected a line // error"
