// A variational autoencoder with a loss and an extension of one's own.

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "catena/catena.h"

namespace F = catena::functions;
namespace L = catena::links;
namespace xp = catena::array;
namespace extensions = catena::training::extensions;
using namespace catena;

class VAE : public Chain<VAE> {
 public:
  VAE(int64_t units, int64_t latent)
      : encoder(this, "encoder", units),
        mean(this, "mean", latent),
        ln_var(this, "ln_var", latent),
        decoder(this, "decoder", latent, units),
        logits(this, "logits", 64) {}

  Variable forward(const Variable& x) {
    return F::sigmoid(decode(mean(code(x))));
  }

  // The bound of -log p(x), for each image.
  Variable loss(const Variable& x) {
    const Variable h = code(x);
    const Variable mu = mean(h), s = ln_var(h);
    const auto n = static_cast<double>(x.len());
    const Variable rec = F::bernoulli_nll(x, decode(F::gaussian(mu, s))) / n;
    const Variable kl = F::gaussian_kl_divergence(mu, s) / n;
    report({{"rec", rec}, {"kl", kl}, {"loss", rec + kl}}, this);
    return rec + kl;
  }
  Variable decode(const Variable& z) { return logits(F::tanh(decoder(z))); }

 private:
  Variable code(const Variable& x) { return F::tanh(encoder(x)); }

  Child<L::Linear> encoder, mean, ln_var, decoder, logits;
};

// Writes one digit that the network makes up, as text.
class Draw : public training::Extension {
 public:
  explicit Draw(VAE& model) : model_(model) {}
  training::AnyTrigger trigger() const override { return {10, "epoch"}; }

  void operator()(training::Trainer& trainer) override {
    const auto no_graph = no_backprop_mode();
    const Array z = xp::random::normal(0, 1, {1, 8}, Dtype::kFloat32);
    const Array image = F::sigmoid(model_.decode(as_variable(z))).data();
    std::ofstream file(trainer.out_path("digit.txt"));
    for (int64_t i = 0; i < 64; ++i) {
      file << (image[{0, i}].item<float>() > 0.5f ? '#' : '.')
           << (i % 8 == 7 ? "\n" : "");
    }
    ++drawn;
  }

  int drawn = 0;

 private:
  VAE& model_;
};

int main(int argc, char** argv) {
  xp::random::seed(2);
  const auto [train, test] = datasets::get_digits({.withlabel = false});
  VAE model(128, 8);
  optimizers::Adam optimizer({.alpha = 2e-3});
  optimizer.setup(model);
  iterators::SerialIterator batches(train, 100);
  iterators::SerialIterator whole(test, 100,
                                  {.repeat = false, .shuffle = false});
  const auto loss = [&](const LossInputs& batch) {
    return model.loss(batch[0]);
  };
  training::StandardUpdater updater(batches, optimizer, {.loss_func = loss});
  training::Trainer trainer(updater, {30, "epoch"},
                            {.out = argc > 1 ? argv[1] : "vae"});
  trainer.extend(extensions::Evaluator(whole, model, {.eval_func = loss}));
  trainer.extend(extensions::LogReport());
  trainer.extend(
      extensions::PrintReport({"epoch", "main/loss", "validation/main/loss"}));
  trainer.extend(Draw(model));
  trainer.run();
  const double reached =
      trainer.observation().find("validation/main/loss")->as_double();
  std::cout << "bound " << reached << '\n';
  return reached < 28 ? EXIT_SUCCESS : EXIT_FAILURE;
}
