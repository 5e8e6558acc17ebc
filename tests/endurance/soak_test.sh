#!/usr/bin/env bash
# A minute of tests/endurance/soak.cc.
set -euo pipefail

tests/endurance/soak --seconds=60
