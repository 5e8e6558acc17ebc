// Compresses an image by its singular values and marks where that went wrong:
// arrays alone, as one would with NumPy.

#include <iostream>

#include "catena/array/all.h"

namespace xp = catena::array;
using catena::Array, catena::Dtype, catena::Slice;

int main(int argc, char** argv) {
  // A smooth picture with noise in one corner.
  xp::random::seed(0);
  const Slice end(48, 64);
  const Array x = xp::linspace(-3, 3, 64);
  const Array y = x.reshape(64, 1);
  Array image = xp::exp(-y * y) * xp::cos(x * 2) + xp::sin(y + x);
  image[{end, end}] += xp::random::normal(0, 0.2, {16, 16});

  // The best approximation of rank 3.
  const auto [u, s, vt] = xp::linalg::svd(image, {.full_matrices = false});
  const Slice three(0, 3);
  const Array low = xp::matmul(u[{Slice(), three}] * s[{three}], vt[{three}]);
  std::cout << "singular values: " << s[{Slice(0, 6)}] << '\n'
            << "kept: " << xp::square(s[{three}]).sum() / xp::square(s).sum()
            << '\n';

  // Where it is far off.
  xp::ElementwiseKernel squared_error("T x, T y", "T z",
                                      "z = (x - y) * (x - y)", "squared_error");
  const Array error = squared_error(image, low);
  const Array bad = xp::greater(error, 3 * error.mean());
  std::cout << "far off: " << bad.sum()
            << ", in the corner: " << bad[{end, end}].sum() << '\n';

  // The mean of each column without those.
  xp::ReductionKernel sum_where("T x, bool bad", "T y", "bad ? T(0) : x",
                                "a + b", "y = a", "0", "sum_where");
  const Array means =
      sum_where({image, bad}, {.axis = 0}) / xp::logical_not(bad).sum(0);
  std::cout << "means: " << means[{Slice(0, 4)}] << '\n';
  xp::setitem(image, {bad}, xp::getitem(low, {bad}));
  xp::save_npy(argc > 1 ? argv[1] : "mended.npy", image);
}
