// A program that includes all of catena.

#include "catena/catena.h"

namespace F = catena::functions;
namespace L = catena::links;
using namespace catena;

class MLP : public Chain<MLP> {
 public:
  MLP() : l1(this, "l1", 100), l2(this, "l2", 10) {}
  Variable forward(const Variable& x) { return l2(F::relu(l1(x))); }

 private:
  Child<L::Linear> l1, l2;
};

int main() {
  L::Classifier model(MLP{});
  optimizers::Adam optimizer;
  optimizer.setup(model);
  const auto [train, test] = datasets::get_digits();
  iterators::SerialIterator train_iter(train, 100);
  iterators::SerialIterator test_iter(test, 100,
                                      {.repeat = false, .shuffle = false});
  training::StandardUpdater updater(train_iter, optimizer);
  training::Trainer trainer(updater, {20, "epoch"}, {.out = "result"});
  trainer.extend(training::extensions::Evaluator(test_iter, model));
  trainer.extend(training::extensions::LogReport());
  trainer.extend(training::extensions::PrintReport(
      {"epoch", "main/loss", "validation/main/accuracy"}));
  trainer.run();
}
