// Learns to draw digits: a generator against a discriminator, each with its own
// optimizer, in a training loop of its own.

#include "catena/catena.h"

using namespace catena;
namespace F = catena::functions;
namespace L = catena::links;
namespace extensions = catena::training::extensions;
namespace xp = catena::array;

constexpr int64_t kLatent = 16;

class Generator : public Chain<Generator> {
 public:
  Generator()
      : l1(this, "l1", 128, {.nobias = true}),
        bn(this, "bn", 128),
        l2(this, "l2", 64) {}

  Variable forward(const Variable& z) {
    return F::sigmoid(l2(F::relu(bn(l1(z)))));
  }

  Variable draw(int64_t n) {
    return (*this)(xp::random::normal(0, 1, {n, kLatent}, Dtype::kFloat32));
  }

 private:
  Child<L::Linear> l1;
  Child<L::BatchNormalization> bn;
  Child<L::Linear> l2;
};

class Discriminator : public Chain<Discriminator> {
 public:
  Discriminator() : l1(this, "l1", 128), l2(this, "l2", 1) {}

  // The logit that an image is real.
  Variable forward(const Variable& x) { return l2(F::leaky_relu(l1(x))); }

 private:
  Child<L::Linear> l1, l2;
};

class GanUpdater : public training::StandardUpdater {
 public:
  GanUpdater(dataset::Iterator& iterator, Generator& generator,
             Discriminator& discriminator, Optimizer& for_generator,
             Optimizer& for_discriminator)
      : StandardUpdater({{"main", &iterator}},
                        {{"gen", &for_generator}, {"dis", &for_discriminator}}),
        generator_(generator),
        discriminator_(discriminator) {}

 protected:
  void update_core() override {
    const Variable real = next_batch(main_iterator())[0];
    const Variable fake = generator_.draw(real.len());
    const Variable y_fake = discriminator_(fake);
    get_optimizer("gen").update([&] {
      const Variable loss = F::mean(F::softplus(-y_fake));
      report({{"loss", loss}}, &generator_);
      return loss;
    });
    fake.unchain_backward();
    get_optimizer("dis").update([&] {
      const Variable loss = F::mean(F::softplus(-discriminator_(real))) +
                            F::mean(F::softplus(y_fake));
      report({{"loss", loss}}, &discriminator_);
      return loss;
    });
  }

 private:
  Generator& generator_;
  Discriminator& discriminator_;
};

int main(int argc, char** argv) {
  const std::string out = argc > 1 ? argv[1] : "result";
  xp::random::seed(0);
  const auto [train, test] = datasets::get_digits({.withlabel = false});
  iterators::SerialIterator iterator(train, 64);

  Generator generator;
  Discriminator discriminator;
  optimizers::Adam for_generator({.alpha = 1e-3, .beta1 = 0.5});
  optimizers::Adam for_discriminator({.alpha = 1e-3, .beta1 = 0.5});
  for_generator.setup(generator);
  for_discriminator.setup(discriminator);

  GanUpdater updater(iterator, generator, discriminator, for_generator,
                     for_discriminator);
  training::Trainer trainer(updater, {30, "epoch"}, {.out = out});
  trainer.extend(extensions::snapshot(), {.trigger = {10, "epoch"}});
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PrintReport({"epoch", "gen/loss", "dis/loss"}));
  trainer.extend(
      [&](training::Trainer&) {
        const auto test_mode = using_config(&Config::train, false);
        const Array images = generator.draw(40).data().reshape({40, 1, 8, 8});
        dataset::write_image_grid(out + "/digits.png", images, {.columns = 10});
      },
      {.trigger = {10, "epoch"}});
  trainer.run();
}
