// A network that derives from another and adds a layer.
#include "catena/catena.h"
namespace F = catena::functions;
namespace L = catena::links;
using namespace catena;
struct MLP : Chain<MLP> {
  explicit MLP(int64_t out) : l1(this, "l1", 64), l2(this, "l2", out) {}
  Variable forward(const Variable& x) { return l2(F::relu(l1(x))); }
  Child<L::Linear> l1, l2;
};
struct Deeper : Chain<Deeper, MLP> {
  Deeper() : Chain(32), l3(this, "l3", 10) {}
  Variable forward(const Variable& x) { return l3(F::relu(MLP::forward(x))); }
  Child<L::Linear> l3;
};

int main() {
  array::random::seed(1);
  const auto [train, test] = datasets::get_digits();
  L::Classifier model{Deeper()};
  optimizers::Adam optimizer;
  optimizer.setup(model);
  iterators::SerialIterator batches(train, 100);
  training::StandardUpdater updater(batches, optimizer);
  training::Trainer(updater, {10, "epoch"}).run();
  iterators::SerialIterator whole(test, test.size());
  const auto t = dataset::concat_examples(*whole.next());
  model(as_variable(t[0]), as_variable(t[1]));
  return model.params().size() != 6 || model.accuracy.item<float>() < 0.9f;
}
