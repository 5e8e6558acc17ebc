#!/usr/bin/env bash
# Tests that the files which tools/reference_pages writes are up to date.
set -euo pipefail

tools/reference_pages --check || {
  echo "Run tools/reference_pages. A new folder's BUILD belongs into docs/BUILD."
  exit 1
}

# It must detect a file that is not up to date.
mkdir "$TEST_TMPDIR/copy"
cp -rL array autograd catena.h dataset docs functions links optimizers serializers \
  tools training "$TEST_TMPDIR/copy"
cd "$TEST_TMPDIR/copy"
chmod -R u+w .
echo >> docs/links.md
rm functions/activation/relu.h
if tools/reference_pages --check > differences; then
  echo "accepted an outdated file"
  exit 1
fi
grep -q "docs/links.md is not" differences
grep -q "functions/functions.h is not" differences
cp "$OLDPWD/functions/activation/relu.h" functions/activation
tools/reference_pages
tools/reference_pages --check
grep -q '| \[`relu`\](../functions/activation/relu.h) | Rectified linear unit' docs/functions.md
grep -q '`relu.h` | `:relu` | `relu` |$' docs/functions.md
grep -q '| \[`Linear`\](../links/connection/linear.h) | A fully connected layer' docs/links.md
grep -q '| \[`exp`\](../array/ufunc/ufunc.h) | e^x. | `ufunc.h` | `:ufunc` | `exp` |' \
  docs/array_reference.md
grep -q '| \[`random::normal`\](../array/random/random.h) | Gaussian' docs/array_reference.md

# A header is for users if its library is public, and it is not internal.
cat >> array/BUILD << 'END'
public_library(
    name = "fresh",
    internal_hdrs = ["fresh_table.h"],
)

library(name = "hidden")
END
echo '#pragma once' | tee array/fresh.h array/fresh_table.h > array/hidden.h
tools/reference_pages
grep -q 'catena/array/fresh.h' array/all.h
if grep -E 'fresh_table|hidden' array/all.h; then
  echo "array/all.h includes headers that are not for users"
  exit 1
fi

# Internal headers of a target are not on the page either.
if grep -q 'elementwise.h\|ufunc_traits.h' docs/array_reference.md; then
  echo "docs/array_reference.md has internal headers"
  exit 1
fi
