// Trains with the default settings, and has the digits that the generator draws
// read by a classifier of real ones.

#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <string>

#include "catena/catena.h"
#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using namespace catena;
namespace F = catena::functions;
namespace L = catena::links;
namespace xp = catena::array;

class Reader : public Chain<Reader> {
 public:
  Reader()
      : c1(this, "c1", 1, 32, 3, {.pad = 1}),
        c2(this, "c2", 32, 64, 3, {.pad = 1}),
        l1(this, "l1", 128),
        l2(this, "l2", 10) {}

  Variable forward(const Variable& x) {
    const Variable h = F::max_pooling_2d(F::relu(c2(F::relu(c1(x)))), 2);
    return l2(F::dropout(F::relu(l1(F::dropout(h)))));
  }

  Array probabilities(const Array& images) {
    const auto test_mode = using_config(&Config::train, false);
    const auto no_graph = no_backprop_mode();
    return F::softmax((*this)(images)).array();
  }

 private:
  Child<L::Convolution2D> c1, c2;
  Child<L::Linear> l1, l2;
};

// The share of images whose class has a probability above 0.9.
double recognized(const Array& probabilities) {
  return xp::greater(probabilities.max(1), 0.9).astype(Dtype::kFloat64).mean()
      .item<double>();
}

// The images in a grid of 10x10, enlarged four times, with two pixels between.
Array read_grid(const std::string& file) {
  constexpr int64_t kTile = 34;
  const Array grid = dataset::read_image(file);
  EXPECT_EQ(grid.shape(), (Shape{342, 342}));
  const Array tiles = grid[{Slice(2, {}), Slice(2, {})}]
                          .reshape({10, kTile, 10, kTile})
                          .transpose({0, 2, 1, 3})
                          .reshape({100, 1, kTile, kTile});
  return tiles[{ellipsis, Slice(0, 32, 4), Slice(0, 32, 4)}].astype(
             Dtype::kFloat32) /
         255;
}

TEST(DcganLongTest, MostSamplesAreReadAsDigits) {
  xp::random::seed(1);
  Reader reader;
  const auto [train, test] = datasets::get_digits({.ndim = 3});
  L::Classifier model(reader);
  optimizers::Adam optimizer;
  optimizer.setup(model);
  iterators::SerialIterator iterator(train, 50);
  training::StandardUpdater updater(iterator, optimizer);
  while (updater.epoch() < 30) updater.update();

  const dataset::Example all =
      dataset::concat_examples(dataset::Batch(test[Slice()]));
  Reader& trained = *model.predictor;
  const Array p = trained.probabilities(all[0]);
  EXPECT_GT(F::accuracy(p, all[1]).array().item<double>(), 0.97);
  std::cout << "real " << recognized(p) << "\n";
  if (const char* file = std::getenv("GRID")) {
    const Array q = trained.probabilities(read_grid(file));
    std::cout << recognized(q) << "\n";
    std::cout << q.argmax(1) << "\n";
  }
}

}  // namespace
