#pragma once

#include <optional>
#include <string>

#include "catena/catena.h"

// What is in the files of this folder, as a program that made them has it.
namespace catena::testing {

namespace F = functions;
namespace L = links;
namespace extensions = training::extensions;

// Every kind of value that files have: parameters, persistent arrays and
// numbers, sizes that the first minibatch decides.
class SavedModel : public Chain<SavedModel> {
 public:
  SavedModel()
      : embed(this, "embed", 5, 3), bn(this, "bn", 3), out(this, "out", 2) {}

  Variable forward(const Variable& words) {
    return out(F::tanh(bn(F::sum(embed(words), 1))));
  }

  Child<L::EmbedID> embed;
  Child<L::BatchNormalization> bn;
  Child<L::Linear> out;
};

// Twelve pairs of words, and whether they are the same.
inline dataset::Dataset word_pairs() {
  const Array words = array::arange(24).reshape({12, 2}) * 7 % 5;
  const Array same = array::equal(words[{Slice(), 0}], words[{Slice(), 1}]);
  return datasets::TupleDataset(words.astype(Dtype::kInt32),
                                same.astype(Dtype::kInt32));
}

// A training that the files were saved in the middle of.
struct SavedRun {
  SavedRun(const std::string& out, int64_t epochs)
      : model(SavedModel()),
        optimizer({.alpha = 0.01}),
        iterator(word_pairs(), 4) {
    optimizer.setup(model);
    updater.emplace(iterator, optimizer);
    trainer.emplace(*updater, training::AnyTrigger(epochs, "epoch"),
                    training::TrainerOptions{.out = out});
    trainer->extend(extensions::LogReport());
    trainer->extend(extensions::ExponentialShift("alpha", 0.5));
  }

  // The logits of all pairs, in test mode.
  Variable predict() {
    const auto test_mode = using_config(&Config::train, false);
    const auto words = dataset::concat_examples(word_pairs()[Slice()])[0];
    return model.predictor(as_variable(words));
  }

  L::Classifier<SavedModel> model;
  optimizers::Adam optimizer;
  iterators::SerialIterator iterator;
  std::optional<training::StandardUpdater> updater;
  std::optional<training::Trainer> trainer;
};

}  // namespace catena::testing
