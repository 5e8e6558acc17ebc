#!/usr/bin/env bash
# Tests that the files which tools/reference_pages writes are up to date.
set -euo pipefail

tools/reference_pages --check || { echo "Run tools/reference_pages."; exit 1; }

# It must detect a page that is not up to date.
mkdir "$TEST_TMPDIR/copy"
cp -rL docs functions links tools "$TEST_TMPDIR/copy"
cd "$TEST_TMPDIR/copy"
chmod -R u+w .
echo >> docs/links.md
rm functions/activation/relu.h
if tools/reference_pages --check > differences; then
  echo "accepted an outdated page"
  exit 1
fi
grep -q "docs/links.md is not" differences
grep -q "functions/functions.h is not" differences
cp "$OLDPWD/functions/activation/relu.h" functions/activation
tools/reference_pages
tools/reference_pages --check
grep -q '| \[`relu`\](../functions/activation/relu.h) | Rectified linear unit' docs/functions.md
grep -q '| \[`Linear`\](../links/connection/linear.h) | A fully connected layer' docs/links.md
