#!/usr/bin/env bash
# Tests check_kernel_symbols on code inside and outside its namespace.
set -euo pipefail

compile() {
  g++ -std=c++20 -O2 -x c++ -c - -o "$TEST_TMPDIR/kernel.o"
}

check() {
  tools/check_kernel_symbols cpu_avx2 "$TEST_TMPDIR/kernel.o"
}

expect_accepted() {
  compile
  check || { echo "refused: $1"; exit 1; }
}

expect_refused() {
  compile
  if message=$(check); then
    echo "accepted: $1"
    exit 1
  fi
  grep -q "$2" <<< "$message" || { echo "no '$2' in: $message"; exit 1; }
}

expect_accepted "functions of its own namespace, and private ones" << 'END'
namespace { int twice(int x) { return 2 * x; } }
namespace catena::kernels::cpu_avx2 {
int f(int x) { return twice(x); }
template <typename T> [[gnu::noinline]] T g(T x) { return x + 1; }
int h(int x) { return g(x); }
}
END

expect_accepted "an instance of a foreign template for a type of its own" << 'END'
template <typename T> [[gnu::noinline]] int size_of(T) { return sizeof(T); }
namespace catena::kernels::cpu_avx2 {
struct Lanes { int x; };
int f() { return size_of(Lanes{}); }
}
END

expect_refused "an inline function of everybody" "shared(int)" << 'END'
[[gnu::noinline]] inline int shared(int x) { return x * 3; }
namespace catena::kernels::cpu_avx2 { int f(int x) { return shared(x); } }
END

expect_refused "the namespace of another instruction set" "cpu_avx512::f" << 'END'
namespace catena::kernels::cpu_avx512 { int f(int x) { return x; } }
END

if tools/check_kernel_symbols cpu_avx2 /nonexistent.a 2> /dev/null; then
  echo "accepted: a library that cannot be read"
  exit 1
fi
