// Trains a classifier of handwritten digits without a Trainer: an explicit
// training loop. At the end the model is saved, loaded into another model, and
// used; result/misread.png has the test images that it misreads.
//
//   Data:   1,797 digits of 8x8 pixels ship with catena; --dataset=mnist uses
//           MNIST itself (downloaded once, or from --data_dir).
//   Run:    ./bazelw run //examples/mnist:train_mnist_custom_loop
//   Expect: a test accuracy above 0.96 after 20 epochs, about a second, then
//           the label of one image and the loaded model's prediction.

#include <cmath>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/array/index.h"
#include "catena/array/indexing/nonzero.h"
#include "catena/array/manipulation/repeat.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/take.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/dataset/convert.h"
#include "catena/dataset/image_file.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/examples/mnist/digit_images.h"
#include "catena/examples/support/flags.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/evaluation/accuracy.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/serializers/npz.h"

using absl::GetFlag;
using namespace catena;
namespace F = catena::functions;
namespace L = catena::links;

ABSL_FLAG(std::string, dataset, "digits", "digits or mnist");
ABSL_FLAG(std::string, data_dir, "", "folder of MNIST's IDX files");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(examples::AtLeast<1>, batchsize, {128}, "images in a minibatch");
ABSL_FLAG(examples::AtLeast<1>, epoch, {20}, "sweeps over the training set");
ABSL_FLAG(examples::AtLeast<1>, unit, {100}, "units in a hidden layer");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

class MLP : public Chain<MLP> {
 public:
  MLP(int64_t n_units, int64_t n_out)
      : l1(this, "l1", n_units),
        l2(this, "l2", n_units),
        l3(this, "l3", n_out) {}

  Variable forward(const Variable& x) {
    return l3(F::relu(l2(F::relu(l1(x)))));
  }

 private:
  Child<L::Linear> l1, l2, l3;
};

// The means of loss and accuracy over a dataset.
struct Scores {
  double loss = 0;
  double accuracy = 0;
};

Scores evaluate(MLP& model, iterators::SerialIterator test_iter,
                Device device) {
  // Test mode for layers such as dropout, and no graph for gradients.
  const auto test_mode = using_config(&Config::train, false);
  const auto no_graph = no_backprop_mode();
  Scores sums;
  double count = 0;
  while (const auto batch = test_iter.next()) {
    const auto arrays = dataset::concat_examples(*batch, {.device = device});
    const Variable x = as_variable(arrays[0]);
    const Variable t = as_variable(arrays[1]);
    const Variable y = model(x);
    const auto size = static_cast<double>(batch->size());
    sums.loss += size * F::softmax_cross_entropy(y, t).data().item<double>();
    sums.accuracy += size * F::accuracy(y, t).data().item<double>();
    count += size;
  }
  return {sums.loss / count, sums.accuracy / count};
}

void train() {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);
  array::random::seed(GetFlag(FLAGS_seed));

  MLP model(GetFlag(FLAGS_unit), 10);
  optimizers::MomentumSGD optimizer({.lr = 0.05, .momentum = 0.9});
  optimizer.setup(model);

  const auto [train, test] = examples::load_digit_images(
      GetFlag(FLAGS_dataset), GetFlag(FLAGS_data_dir));
  iterators::SerialIterator train_iter(train, GetFlag(FLAGS_batchsize));
  const iterators::SerialIterator test_iter(
      test, GetFlag(FLAGS_batchsize), {.repeat = false, .shuffle = false});

  while (train_iter.epoch() < GetFlag(FLAGS_epoch)) {
    // 1. A minibatch, as arrays on the device.
    const auto batch = train_iter.next();
    const auto arrays = dataset::concat_examples(*batch, {.device = device});
    const Variable x = as_variable(arrays[0]);
    const Variable t = as_variable(arrays[1]);

    // 2. Forward, backward, and a step of the optimizer.
    const Variable loss = F::softmax_cross_entropy(model(x), t);
    model.cleargrads();
    loss.backward();
    optimizer.update();

    // 3. After each epoch, evaluation on images that were not trained on.
    if (train_iter.is_new_epoch()) {
      const Scores scores = evaluate(model, test_iter, device);
      std::cout << "epoch: " << train_iter.epoch()
                << " train_loss: " << loss.data().item<double>()
                << " test_loss: " << scores.loss
                << " test_accuracy: " << scores.accuracy << "\n";
    }
  }

  // 4. Save the model, and load it into another one.
  std::filesystem::create_directories(GetFlag(FLAGS_out));
  const std::string file =
      (std::filesystem::path(GetFlag(FLAGS_out)) / "my_mnist.npz").string();
  serializers::save_npz(file, model);
  MLP loaded(GetFlag(FLAGS_unit), 10);
  serializers::load_npz(file, loaded);

  // 5. Classify one test image, as a minibatch of size one.
  const auto image = dataset::concat_examples(
      dataset::Batch(std::vector{test[0]}), {.device = device});
  const auto test_mode = using_config(&Config::train, false);
  const Variable y = loaded.forward(as_variable(image[0]));
  std::cout << "label: " << image[1].item<int64_t>()
            << " predicted_label: " << array::argmax(y.data()).item<int64_t>()
            << "\n";

  // 6. Draw the test images that it misreads, enlarged.
  const auto all = dataset::concat_examples(test[Slice()], {.device = device});
  const Array digits = loaded(as_variable(all[0])).data().argmax(1);
  const Array is_wrong = array::not_equal(digits, all[1]);
  const Array misread = all[0].take(array::flatnonzero(is_wrong), 0);
  if (misread.size() == 0) return;
  const auto side = static_cast<int64_t>(std::sqrt(misread.shape()[1]));
  const Array squares = misread.reshape({-1, 1, side, side});
  dataset::write_image_grid(
      (std::filesystem::path(GetFlag(FLAGS_out)) / "misread.png").string(),
      squares.repeat(64 / side, 2).repeat(64 / side, 3), {.columns = 10});
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Trains on digits with a loop of its own.", train);
}
