// Trains a classifier with catena from another Bazel project, using the digits
// that ship with catena.

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "catena/array/random/random.h"
#include "catena/dataset/datasets/digits.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/functions/activation/relu.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/model/classifier.h"
#include "catena/optimizers/adam.h"
#include "catena/training/training.h"

namespace {

namespace F = catena::functions;
namespace L = catena::links;
namespace extensions = catena::training::extensions;

class MLP : public catena::Chain<MLP> {
 public:
  MLP() : l1(this, "l1", 64), l2(this, "l2", 10) {}
  catena::Variable forward(const catena::Variable& x) {
    return l2(F::relu(l1(x)));
  }

 private:
  catena::Child<L::Linear> l1, l2;
};

double train(const std::filesystem::path& out) {
  catena::array::random::seed(0);
  L::Classifier model{MLP()};
  catena::optimizers::Adam optimizer;
  optimizer.setup(model);

  const auto [train, test] = catena::datasets::get_digits();
  catena::iterators::SerialIterator train_iter(train, 50);
  catena::iterators::SerialIterator test_iter(
      test, 50, {.repeat = false, .shuffle = false});

  catena::training::StandardUpdater updater(train_iter, optimizer);
  catena::training::Trainer trainer(updater, {10, "epoch"},
                                    {.out = out.string()});
  trainer.extend(extensions::Evaluator(test_iter, model));
  const auto& report = trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "validation/main/accuracy"}));
  trainer.run();
  return report.log().back().find("validation/main/accuracy")->as_double();
}

}  // namespace

int main() {
  const std::filesystem::path out =
      std::filesystem::temp_directory_path() / "catena_use_training";
  const double accuracy = train(out);
  std::filesystem::remove_all(out);
  if (accuracy < 0.9) {
    std::cerr << "expected an accuracy above 0.9\n";
    return EXIT_FAILURE;
  }
}
