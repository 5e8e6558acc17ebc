// What the autoencoder learns in half a minute, against simpler models of the
// same images. All numbers are nats per image; smaller is better.

#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "catena/catena.h"
#include "catena/tests/support/program.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using namespace catena;
namespace F = catena::functions;
namespace L = catena::links;
namespace xp = catena::array;

using ::catena::testing::Program;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;

struct Images {
  Array train, test;
};

Images load_images() {
  const auto [train, test] = datasets::get_digits({.withlabel = false});
  return {dataset::concat_examples(train[Slice()])[0],
          dataset::concat_examples(test[Slice()])[0]};
}

// The entropy of pixels that are white with the probabilities p.
double entropy(const Array& p) {
  const Array inside = xp::clip(p, 1e-12, 1 - 1e-12);
  return xp::sum(-p * xp::log(inside) - (1 - p) * xp::log(1 - inside))
      .item<double>();
}

// Independent pixels, each with the best probability there is for the test
// images: their own mean.
double independent_pixels(const Array& test) {
  return entropy(xp::mean(test.astype(Dtype::kFloat64), 0));
}

// What is left when the grey values of the test images are known exactly.
double exact_pixels(const Array& test) {
  return entropy(test.astype(Dtype::kFloat64)) /
         static_cast<double>(test.len());
}

// The autoencoder without hidden layers: principal components for pixels that
// are black or white.
class LinearVAE : public Chain<LinearVAE> {
 public:
  LinearVAE()
      : mu(this, "mu", 64, 20),
        ln_var(this, "ln_var", 64, 20),
        decoder(this, "decoder", 20, 64) {}

  Variable forward(const Variable& x) {
    const Variable z = F::gaussian(mu(x), ln_var(x));
    return (F::bernoulli_nll(x, decoder(z)) +
            F::gaussian_kl_divergence(mu(x), ln_var(x))) /
           static_cast<double>(x.len());
  }

 private:
  Child<L::Linear> mu, ln_var, decoder;
};

double linear_vae(const Images& images) {
  xp::random::seed(0);
  LinearVAE model;
  optimizers::Adam optimizer;
  optimizer.setup(model);
  iterators::SerialIterator iterator(datasets::TupleDataset(images.train), 100);
  while (iterator.epoch() < 1000) {
    const Variable x = dataset::concat_examples(*iterator.next())[0];
    optimizer.update([&] { return model(x); });
  }
  double loss = 0;
  for (int i = 0; i < 10; ++i) {
    loss += model(images.test).data().item<double>() / 10;
  }
  return loss;
}

// A mixture of n average digits, fitted by expectation maximization: the pixels
// are independent once it is known which.
double mixture(const Images& images, int64_t n) {
  xp::random::seed(0);
  const Array& x = images.train;
  const auto log_joint = [](const Array& x, const Array& p, const Array& pi) {
    return xp::dot(x, xp::log(p).T()) + xp::dot(1 - x, xp::log(1 - p).T()) +
           xp::log(pi);
  };
  Array q =
      F::softmax(xp::random::normal(0, 1, {x.len(), n}, x.dtype())).data();
  Array p, pi;
  for (int i = 0; i < 200; ++i) {
    const Array count = xp::sum(q, 0);
    pi = (count + 1) / (x.len() + n);
    p = (xp::dot(q.T(), x) + 0.1) / (count.reshape({n, 1}) + 0.2);
    q = F::softmax(log_joint(x, p, pi)).data();
  }
  return -xp::mean(F::logsumexp(log_joint(images.test, p, pi), 1).data())
              .item<double>();
}

TEST(VaeLongTest, IsBetterThanSimplerModels) {
  const TempFolder folder;
  const Program program("examples/vae/train_vae",
                        {"--out=" + folder.file("results")}, folder);
  EXPECT_EQ(program.wait(), 0) << program.err();
  const auto log = nlohmann::json::parse(read_file(folder.file("results/log")));
  const double vae = log.back()["validation/main/loss"];
  const Images images = load_images();
  const double independent = independent_pixels(images.test);
  const double linear = linear_vae(images);
  std::cout << "independent pixels " << independent << ", linear " << linear
            << ", autoencoder " << vae << ", mixture of 30 "
            << mixture(images, 30) << ", exact " << exact_pixels(images.test)
            << "\n";
  EXPECT_LT(vae, 24);
  EXPECT_LT(vae, linear - 1);
  EXPECT_LT(linear, independent - 1);
}

}  // namespace
