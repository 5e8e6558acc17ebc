#!/usr/bin/env bash
# Tests that fresh_machine reads a Dockerfile as Docker does.
set -euo pipefail

cat > "$TEST_TMPDIR/Dockerfile" << 'END'
# RUN not this
FROM debian:bookworm
RUN one && \
    two \
    three
COPY . /catena
RUN four
END
[[ $(tools/fresh_machine --list-dockerfile "$TEST_TMPDIR/Dockerfile") == \
  $'one && two three\nfour' ]]

# The image builds what the README's first screen promises.
tools/fresh_machine --list-dockerfile > "$TEST_TMPDIR/commands"
grep -qxF './bazelw run //examples/mnist:train_mnist' "$TEST_TMPDIR/commands"
grep -qxF 'CMD ["./bazelw", "test", "//..."]' tools/docker/Dockerfile
