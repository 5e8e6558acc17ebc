// Two tasks with a common body and two optimizers. Half way the body is frozen;
// a run that resumes there ends with the same bits.
#include <cstdlib>
#include <iostream>
#include <string>

#include "catena/catena.h"

namespace F = catena::functions;
namespace L = catena::links;
namespace xp = catena::array;
using namespace catena;
struct Heads : Chain<Heads> {
  Heads() : sum(this, "sum", 16, 1), sign(this, "sign", 16, 2) {}
  Variable forward(const Variable& h) { return sum(h); }
  Child<L::Linear> sum, sign;
};

struct Tasks : Chain<Tasks> {
  Tasks() : body(this, "body", 2, 16), heads(this, "heads") {}

  Variable forward(const Variable& x, const Variable& total,
                   const Variable& label) {
    const Variable h = F::tanh(body(x));
    const Variable error = F::mean_squared_error(F::flatten(heads(h)), total);
    const Variable y = heads->sign(h);
    report({{"error", error}, {"accuracy", F::accuracy(y, label)}}, this);
    return error + F::softmax_cross_entropy(y, label);
  }

  Child<L::Linear> body;
  Child<Heads> heads;
};

class Updater : public training::StandardUpdater {
 public:
  Updater(dataset::Iterator& iterator, const training::OptimizerMap& optimizers,
          Tasks& model)
      : StandardUpdater({{"main", &iterator}}, optimizers), model_(model) {}
  Array body_at_200;

 protected:
  void update_core() override {
    if (iteration() == 200) body_at_200 = model_.body->W.data().copy();
    if (iteration() >= 200) model_.body->disable_update();
    const LossInputs batch = next_batch(get_iterator("main"));
    const Variable loss = model_(batch[0], batch[1], batch[2]);
    model_.cleargrads();
    loss.backward();
    for (const auto& [name, one] : get_all_optimizers()) one->update();
  }

 private:
  Tasks& model_;
};

// After 400 steps, from a snapshot if there is one.
struct Result {
  std::vector<Parameter> params;
  double accuracy, error;
  bool frozen;
};
Result train(const std::string& folder, const std::string& snapshot = "") {
  xp::random::seed(3);
  const Array x = xp::random::uniform(-1, 1, {500, 2}, Dtype::kFloat32);
  const Array total = x.sum(1);
  const datasets::TupleDataset data(
      x, total, xp::greater(total, 0).astype(Dtype::kInt32));
  iterators::SerialIterator batches(data, 50);
  Tasks model;
  optimizers::MomentumSGD of_body({.lr = 0.05});
  of_body.setup(*model.body);
  optimizers::Adam of_heads({.alpha = 0.01});
  of_heads.setup(*model.heads);
  Updater updater(batches, {{"body", &of_body}, {"heads", &of_heads}}, model);
  training::Trainer trainer(updater, {400, "iteration"}, {.out = folder});
  trainer.extend(training::extensions::snapshot(),
                 {.trigger = {200, "iteration"}});
  if (!snapshot.empty()) serializers::load_npz(snapshot, trainer);
  trainer.run();
  return {model.params(),
          trainer.observation().find("main/accuracy")->as_double(),
          trainer.observation().find("main/error")->as_double(),
          xp::array_equal(model.body->W.data(), updater.body_at_200)};
}

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "tasks";
  const Result whole = train(folder + "/whole");
  const Result rest =
      train(folder + "/rest", folder + "/whole/snapshot_iter_200");
  bool same = true;
  for (size_t i = 0; i < whole.params.size(); ++i)
    same &= xp::array_equal(whole.params[i].data(), rest.params[i].data());
  std::cout << "accuracy " << whole.accuracy << ", error " << whole.error
            << (same ? ", the same bits\n" : ", other bits\n");
  const bool good =
      whole.frozen && rest.frozen && whole.accuracy > 0.9 && whole.error < 0.05;
  return same && good ? EXIT_SUCCESS : EXIT_FAILURE;
}
