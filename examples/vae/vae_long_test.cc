// What the autoencoder learns with the default settings, against other models
// of the same images. All numbers are nats per test image; less is better. Grey
// values count as probabilities, so that each number is at least the expected
// negative log-likelihood of images whose pixels are drawn black or white.

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

// Independent pixels, each with the probability that suits the test images
// best: their own mean.
double independent_pixels(const Array& test) {
  return entropy(xp::mean(test.astype(Dtype::kFloat64), 0));
}

// What drawing the pixels costs even a model that knows their grey values.
double known_pixels(const Array& test) {
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

// A mixture of n average digits, each with independent pixels, fitted by
// expectation maximization.
double mixture_of(int64_t n, const Images& images) {
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

TEST(VaeLongTest, IsBetterThanLinearModels) {
  const TempFolder folder;
  const Program program("examples/vae/train_vae",
                        {"--out=" + folder.file("results")}, folder);
  EXPECT_EQ(program.wait(), 0) << program.err();
  const auto log = nlohmann::json::parse(read_file(folder.file("results/log")));
  const double vae = log.back()["validation/main/loss"];
  const Images images = load_images();
  const double independent = independent_pixels(images.test);
  const double linear = linear_vae(images);
  const double mixture = mixture_of(30, images);
  std::cout << "independent pixels " << independent << ", linear " << linear
            << ", autoencoder " << vae << ", mixture " << mixture
            << ", known pixels " << known_pixels(images.test) << "\n";
  EXPECT_LT(vae, 24.2);
  EXPECT_LT(vae, linear - 1);
  EXPECT_LT(linear, independent - 1);
  // Better still: digits as small as these differ little from an average one.
  EXPECT_NEAR(mixture, 23.2, 0.2);
}

}  // namespace
