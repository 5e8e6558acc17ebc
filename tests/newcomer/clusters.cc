// k-means and PCA of points around four centers, with kernels of one's own.

#include <cstdlib>
#include <iostream>

#include "catena/catena.h"

namespace xp = catena::array;
using namespace catena;

// For each point the nearest center.
Array nearest(const Array& points, const Array& centers) {
  static const xp::ElementwiseKernel kernel(
      "raw float32 points, raw float32 centers, int64 k, int64 d",
      "int64 label",
      R"(
        float best = 0;
        for (int64_t c = 0; c < k; ++c) {
          float distance = 0;
          for (int64_t j = 0; j < d; ++j) {
            const float step = points[i * d + j] - centers[c * d + j];
            distance += step * step;
          }
          if (c == 0 || distance < best) {
            best = distance;
            label = c;
          }
        })",
      "nearest");
  const Array labels = xp::empty({points.shape()[0]}, Dtype::kInt64);
  return kernel(points, centers, centers.shape()[0], centers.shape()[1],
                labels);
}

// The mean of the points that have a label.
Array center_of(const Array& points, const Array& labels, int64_t label) {
  static const xp::ReductionKernel sum_where(
      "T x, int64 label, int64 wanted", "T y", "label == wanted ? x : T(0)",
      "a + b", "y = a", "0", "sum_where");
  const Array count = xp::equal(labels, label).sum().astype(Dtype::kFloat32);
  return sum_where({points, labels.reshape({-1, 1}), label}, {.axis = 0}) /
         count;
}

int main() {
  xp::random::seed(1);
  const Array means =
      xp::array({{0, 0, 0}, {8, 0, 1}, {0, 8, 2}, {8, 8, 3}}, Dtype::kFloat32);
  const Array truth = xp::arange(400) % 4;
  const Array points = xp::take(means, truth, {.axis = 0}) +
                       xp::random::normal(0, 0.5, {400, 3}, Dtype::kFloat32);

  Array centers = points[{Slice(0, 4)}].copy();
  Array labels;
  for (int round = 0; round < 10; ++round) {
    labels = nearest(points, centers);
    for (int64_t c = 0; c < 4; ++c) centers[c] = center_of(points, labels, c);
  }
  const auto wrong = xp::not_equal(labels, truth).sum().item<int64_t>();

  // The first two directions hold nearly all of the variance.
  const Array centered = points - xp::mean(points, {.axis = 0});
  const auto [u, s, vt] = xp::linalg::svd(centered, {.full_matrices = false});
  const Array shares = xp::square(s) / xp::sum(xp::square(s));
  const auto share = xp::sum(shares[{Slice(0, 2)}]).item<float>();
  std::cout << wrong << " points in another cluster, " << share
            << " of the variance in two directions\n";
  return wrong == 0 && share > 0.98 ? EXIT_SUCCESS : EXIT_FAILURE;
}
