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

# GCC's notes may have bullets.
printf '// error: no member\n' > source.cc
printf 'a.cc:2: error: no match\n      • x has no member y\n' > messages
"$CHECK" source.cc messages

# The first error, and not much else.
printf '// first error: name it\n' > source.cc
printf 'In file included from a.h:1:\na.h:2: error: name it\n' > messages
"$CHECK" source.cc messages
printf 'a.h:2: error: no match\na.h:2: error: name it\n' > messages
expect_rejected "expected the first error to say: name it"
{ echo 'a.h:2: error: name it'; printf 'a.h:3: note: %s\n' {1..12}; } > messages
expect_rejected "at most 10 lines, got 13"
# What newer compilers add does not count: conditions with what belongs to them, options,
# places of private members.
{
  echo 'a.cc: In function f:'
  echo 'a.h:2: error: name it'
  printf '  • the comparison reduces to 8 == 0\n    a.cc:1:\n       13 | class A\n'
  printf "a.cc:3: note: use '-fdiagnostics-all-candidates'\n    3 | A a;\n"
  printf 'a.cc:3: note: declared private here\n    3 | A a;\n'
  printf 'a.h:3: note: %s\n' {1..9}
} > messages
"$CHECK" source.cc messages
echo 'a.h:3: note: another' >> messages
expect_rejected "at most 10 lines, got 11"

# A text over several lines, up to the end of the comment or the next text.
cat > source.cc << 'SOURCE'
// What it is about.
// error: name it,  such
// as "x"
// first error: no member
//   of that name

// no text
int main() {}
SOURCE
printf 'a.h:2: error: no member of that name\na.h:3: note: name it, such as "x"\n' > messages
"$CHECK" source.cc messages
sed -i 's/"x"/\\"x\\"/' messages  # as Clang prints it
"$CHECK" source.cc messages
printf 'a.h:2: error: no member of that name\na.h:3: note: name it, such as y\n' > messages
expect_rejected 'expected an error with: name it, such as "x"$'
printf 'a.h:2: error: no member of another name\na.h:3: note: name it, such as "x"\n' > messages
expect_rejected "expected the first error to say: no member of that name$"
