// Trains with the default settings, and has a classifier of real digits read
// those that the generator draws.

#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "catena/catena.h"
#include "catena/examples/dcgan/net.h"
#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using namespace catena;
namespace F = catena::functions;
namespace L = catena::links;
namespace xp = catena::array;

using ::catena::testing::Program;
using ::catena::testing::TempFolder;

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

  // The scores of the ten digits, (N, 10).
  Array probabilities(const Array& images) {
    const auto test_mode = using_config(&Config::train, false);
    const auto no_graph = no_backprop_mode();
    return F::softmax((*this)(images)).array();
  }

 private:
  Child<L::Convolution2D> c1, c2;
  Child<L::Linear> l1, l2;
};

// The share of images about which it is sure.
double confident(const Array& probabilities) {
  return xp::greater(probabilities.max(1), 0.9)
      .astype(Dtype::kFloat64)
      .mean()
      .item<double>();
}

// 1000 images that the default settings lead to.
Array draw(const std::string& seed) {
  const TempFolder folder;
  const Program program("examples/dcgan/train_dcgan",
                        {"--seed=" + seed, "--out=" + folder.file("result")},
                        folder);
  EXPECT_EQ(program.wait(), 0) << program.err();
  examples::dcgan::Generator gen(100, 128, {1, 8, 8}, {});
  serializers::load_npz(folder.file("result/gen_iter_8000.npz"), gen);
  const auto test_mode = using_config(&Config::train, false);
  const auto no_graph = no_backprop_mode();
  xp::random::Generator random(7, Device());
  return gen(gen.make_hidden(1000, random)).array();
}

TEST(DcganLongTest, MostSamplesAreClearDigits) {
  xp::random::seed(1);
  const auto [train, test] = datasets::get_digits({.ndim = 3});
  Reader reader;
  L::Classifier model(reader);
  optimizers::Adam optimizer;
  optimizer.setup(model);
  iterators::SerialIterator iterator(train, 50);
  training::StandardUpdater updater(iterator, optimizer);
  while (updater.epoch() < 30) updater.update();

  const dataset::Example real = dataset::concat_examples(test[Slice()]);
  Reader& trained = *model.predictor;
  const Array p_real = trained.probabilities(real[0]);
  EXPECT_GT(F::accuracy(p_real, real[1]).array().item<double>(), 0.97);
  // It can tell noise, though of the same brightness, from digits.
  const Array noise =
      xp::random::permutation(real[0].reshape({-1})).reshape(real[0].shape());
  std::cout << "test images: accuracy "
            << F::accuracy(p_real, real[1]).array().item<double>()
            << ", confident " << confident(p_real) << "; noise: confident "
            << confident(trained.probabilities(noise)) << std::endl;

  for (const std::string seed : {"0", "1"}) {
    const Array p = trained.probabilities(draw(seed));
    const Array counts = xp::bincount(p.argmax(1), {.minlength = 10});
    std::cout << "seed " << seed << ": confident " << confident(p)
              << ", digits " << counts << std::endl;
    EXPECT_GT(confident(p), 0.8);
    EXPECT_GE(counts.min().item<int64_t>(), 30);
  }
}

}  // namespace
