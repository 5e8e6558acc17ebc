// Learns to write sequences of digits backwards: an encoder and a decoder LSTM
// on sequences of different lengths.

#include <iostream>

#include "catena/catena.h"

using namespace catena;
namespace F = catena::functions;
namespace L = catena::links;
namespace extensions = catena::training::extensions;
namespace xp = catena::array;

using Sequences = std::vector<Variable>;

constexpr int32_t kEnd = 10;  // after the digits 0 to 9
constexpr int64_t kUnits = 64;

class Seq2seq : public Chain<Seq2seq> {
 public:
  Seq2seq()
      : embed_x(this, "embed_x", kEnd, kUnits),
        embed_y(this, "embed_y", kEnd + 1, kUnits),
        encoder(this, "encoder", 1, kUnits, kUnits, 0.0),
        decoder(this, "decoder", 1, kUnits, kUnits, 0.0),
        out(this, "out", kUnits, kEnd + 1) {}

  // The cross entropy per sequence.
  Variable forward(const Sequences& xs, const Sequences& ys) {
    const Variable end(xp::full({1}, kEnd, Dtype::kInt32));
    Sequences inputs, targets;
    for (const Variable& y : ys) {
      inputs.push_back(embed_y(F::concat({end, y}, 0)));
      targets.push_back(F::concat({y, end}, 0));
    }
    const auto [h, c, unused] = encoder(Variable(), Variable(), embed(xs));
    const auto [hy, cy, os] = decoder(h, c, inputs);
    const Variable logits = out(F::concat(os, 0));
    const Variable loss =
        F::sum(F::softmax_cross_entropy(logits, F::concat(targets, 0),
                                        {.reduce = "no"})) /
        static_cast<double>(xs.size());
    report({{"loss", loss}}, this);
    return loss;
  }

  // The most likely next symbol, step by step, until the end.
  std::vector<int32_t> translate(const Array& x) {
    const auto no_graph = no_backprop_mode();
    const auto test_mode = using_config(&Config::train, false);
    auto [h, c, unused] = encoder(Variable(), Variable(), embed({x}));
    std::vector<int32_t> result;
    for (int32_t y = kEnd; result.size() < 20;) {
      const Array last = xp::full({1}, y, Dtype::kInt32);
      auto [hy, cy, os] = decoder(h, c, Sequences{embed_y(last)});
      y = out(os[0]).array().argmax().item<int32_t>();
      if (y == kEnd) break;
      result.push_back(y);
      h = hy, c = cy;
    }
    return result;
  }

 private:
  Sequences embed(const Sequences& xs) {
    Sequences embedded;
    for (const Variable& x : xs) embedded.push_back(embed_x(x));
    return embedded;
  }

  Child<L::EmbedID> embed_x, embed_y;
  Child<L::NStepLSTM> encoder, decoder;
  Child<L::Linear> out;
};

// Sequences of 1 to 6 digits and the same backwards.
std::vector<dataset::Example> make_pairs(int64_t count) {
  std::vector<dataset::Example> pairs;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t length = 1 + i % 6;
    const Array x = xp::random::randint(0, kEnd, {length}, Dtype::kInt32);
    pairs.push_back({x, xp::flip(x, 0)});
  }
  return pairs;
}

int main(int argc, char** argv) {
  const std::string out = argc > 1 ? argv[1] : "result";
  xp::random::seed(0);
  const std::vector<dataset::Example> train = make_pairs(3000);
  const std::vector<dataset::Example> test = make_pairs(100);

  Seq2seq model;
  optimizers::Adam optimizer({.alpha = 3e-3});
  optimizer.setup(model);
  optimizer.add_hook(optimizers::GradientClipping(5));

  iterators::SerialIterator iterator(train, 50);
  training::StandardUpdater updater(iterator, optimizer,
                                    {.converter = dataset::list_examples});
  training::Trainer trainer(updater, {15, "epoch"}, {.out = out});
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PrintReport({"epoch", "main/loss"}));
  trainer.run();

  int64_t right = 0;
  for (const dataset::Example& pair : test) {
    right += model.translate(pair[0]) == pair[1].to_vector<int32_t>();
  }
  std::cout << right << " of " << test.size() << " right\n";
  return right >= 90 ? 0 : 1;
}
