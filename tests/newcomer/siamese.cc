// Do two drawings show the same digit? A network that is applied to both.
#include <cstdlib>
#include <iostream>

#include "catena/catena.h"

namespace F = catena::functions;
namespace L = catena::links;
namespace xp = catena::array;
using namespace catena;
class Siamese : public Chain<Siamese> {
 public:
  Siamese()
      : l1(this, "l1", 128), l2(this, "l2", 32), out(this, "out", 32, 2) {}
  Variable forward(const Variable& a, const Variable& b) {
    return out(F::absolute(embed(a) - embed(b)));
  }

 private:
  Variable embed(const Variable& x) { return l2(F::relu(l1(x))); }

  Child<L::Linear> l1, l2, out;
};

// Pairs of examples, half of them of the same digit.
datasets::TupleDataset pairs_of(const dataset::Dataset& digits, int64_t count) {
  const auto all = dataset::concat_examples(
      *iterators::SerialIterator(digits, digits.size()).next());
  const Array order = xp::random::permutation(all[1].len());
  const Array by_label = xp::argsort(xp::take(all[1], order, {.axis = 0}));
  const Array first = xp::random::randint(0, all[1].len() - 1, {count});
  const Array far = xp::random::randint(0, all[1].len(), {count});
  const Array near = xp::minimum(first + 1, all[1].len() - 1);
  const Array second = xp::where(xp::arange(count) % 2, near, far);
  const auto index = [&](const Array& i) {
    return xp::take(order, xp::take(by_label, i, {.axis = 0}), {.axis = 0});
  };
  const Array a = index(first), b = index(second);
  const auto pick = [&](size_t field, const Array& i) {
    return xp::take(all[field], i, {.axis = 0});
  };
  const Array same = xp::equal(pick(1, a), pick(1, b)).astype(Dtype::kInt32);
  return datasets::TupleDataset(pick(0, a), pick(0, b), same);
}

int main() {
  xp::random::seed(1);
  const auto [train, test] = datasets::get_digits();
  L::Classifier model{Siamese()};
  optimizers::Adam optimizer;
  optimizer.setup(model);
  const auto pairs = pairs_of(train, 8000), unseen = pairs_of(test, 1000);
  iterators::SerialIterator batches(pairs, 100), whole(unseen, 1000);
  training::StandardUpdater updater(batches, optimizer);
  training::Trainer(updater, {15, "epoch"}).run();
  const auto t = dataset::concat_examples(*whole.next());
  model(as_variable(t[0]), as_variable(t[1]), as_variable(t[2]));
  std::cout << "accuracy " << model.accuracy.data() << '\n';
  return model.accuracy.item<float>() > 0.9f ? EXIT_SUCCESS : EXIT_FAILURE;
}
