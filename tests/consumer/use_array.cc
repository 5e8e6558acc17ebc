// Uses only catena's arrays, from another Bazel project.

#include <cstdlib>
#include <iostream>

#include "catena/array/all.h"

namespace xp = catena::array;

int main() {
  const catena::Array x = xp::arange(6).reshape({2, 3});
  const catena::Array y = xp::maximum(2 * x - 5, 0);
  std::cout << y << "\n";

  const catena::Array expected = xp::array({{0, 0, 0}, {1, 3, 5}});
  for (int64_t i = 0; i < y.size(); ++i) {
    if (y.data<int64_t>()[i] != expected.data<int64_t>()[i]) {
      std::cerr << "expected " << expected << "\n";
      return EXIT_FAILURE;
    }
  }
}
