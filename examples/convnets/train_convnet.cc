// Trains the networks of docs/guide/cnn_models.md on small images: LeNet-5,
// VGG16 and ResNet-152. The last two are as deep as in the papers, but eight
// times narrower, so that they need a minute and not a week.
//
//   Data:   1,797 digits of 8x8 pixels ship with catena and are scaled up to
//           28x28; --dataset=mnist or cifar10 uses those (downloaded once, or
//           from --data_dir).
//   Run:    ./bazelw run //examples/convnets:train_convnet
//           ./bazelw run //examples/convnets:train_convnet -- --arch=vgg16
//   Expect: validation/main/accuracy of 0.96 with lenet5 and 0.98 with vgg16
//           after about 10 seconds, and above 0.9 with resnet152, which has
//           more layers than 1,437 digits can use, after a minute.
//   Resume: --resume=latest continues after the last saved epoch.

#include <optional>
#include <string>
#include <utility>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/convnets/convnets.h"
#include "catena/examples/support/flags.h"
#include "catena/examples/support/resume.h"

using absl::GetFlag;
using namespace catena;
using namespace catena::examples::convnets;
namespace extensions = catena::training::extensions;

using examples::AtLeast;

ABSL_FLAG(std::string, arch, "lenet5", "lenet5, vgg16 or resnet152");
ABSL_FLAG(std::string, dataset, "digits", "digits, mnist or cifar10");
ABSL_FLAG(std::string, data_dir, "", "folder of the files of mnist or cifar10");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(AtLeast<1>, batchsize, {50}, "images in a minibatch");
ABSL_FLAG(std::optional<AtLeast<1>>, epoch, std::nullopt,
          "sweeps over the training set (60 for lenet5, 10 for vgg16, 25 for "
          "resnet152)");
ABSL_FLAG(AtLeast<1>, width, {8},
          "channels of the first layer of vgg16 and resnet152 (64 in the "
          "papers)");
ABSL_FLAG(AtLeast<1>, unit, {256},
          "units in a hidden layer of vgg16 (4096 in the paper)");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

// The digits at the size of MNIST's, since LeNet-5 takes no smaller ones.
datasets::TupleDataset scaled_up(const datasets::TupleDataset& digits) {
  const auto all = dataset::concat_examples(digits[Slice()]);
  const Variable images = F::resize_images(all[0], {28, 28});
  return datasets::TupleDataset(images.data(), all[1]);
}

std::pair<datasets::TupleDataset, datasets::TupleDataset> load_images() {
  const std::string name = GetFlag(FLAGS_dataset);
  const std::string data_dir = GetFlag(FLAGS_data_dir);
  if (name == "mnist") {
    return datasets::get_mnist({.ndim = 3, .data_dir = data_dir});
  }
  if (name == "cifar10") return datasets::get_cifar10({.data_dir = data_dir});
  if (name != "digits") {
    raise<ValueError>("--dataset: expected digits, mnist or cifar10, got '",
                      name, "'");
  }
  const auto [train, test] = datasets::get_digits({.ndim = 3});
  return {scaled_up(train), scaled_up(test)};
}

template <class Network, class Optimizer>
void train(Network network, Optimizer optimizer, int64_t default_epochs) {
  const Device device = current_device();
  L::Classifier model(std::move(network));
  optimizer.setup(model);

  const auto [train, test] = load_images();
  iterators::SerialIterator train_iter(train, GetFlag(FLAGS_batchsize));
  iterators::SerialIterator test_iter(test, GetFlag(FLAGS_batchsize),
                                      {.repeat = false, .shuffle = false});

  const int64_t epochs =
      GetFlag(FLAGS_epoch).value_or(AtLeast<1>{default_epochs});
  training::StandardUpdater updater(train_iter, optimizer, {.device = device});
  training::Trainer trainer(updater, {epochs, "epoch"},
                            {.out = GetFlag(FLAGS_out)});
  trainer.extend(extensions::Evaluator(test_iter, model, {.device = device}));
  trainer.extend(extensions::snapshot({.n_retains = 2}));
  trainer.extend(extensions::LogReport());
  trainer.extend(
      extensions::PlotReport({"main/accuracy", "validation/main/accuracy"},
                             {.x_key = "epoch", .file_name = "accuracy.png"}));
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "validation/main/loss", "main/accuracy",
       "validation/main/accuracy", "elapsed_time"}));
  trainer.extend(extensions::ProgressBar());
  trainer.extend(extensions::StopOnInterrupt());

  examples::resume(trainer, GetFlag(FLAGS_resume));
  trainer.run();
}

// Each network with an optimizer that suits it.
void train_network() {
  const DeviceScope scope(Device::parse(GetFlag(FLAGS_device)));
  array::random::seed(GetFlag(FLAGS_seed));
  const std::string arch = GetFlag(FLAGS_arch);
  const int64_t width = GetFlag(FLAGS_width);
  if (arch == "lenet5") {
    train(LeNet5(10), optimizers::Adam(), 60);
  } else if (arch == "vgg16") {
    train(VGG16(10, {.width = width, .n_units = GetFlag(FLAGS_unit)}),
          optimizers::Adam(), 10);
  } else if (arch == "resnet152") {
    train(ResNet152(10, {.width = width}),
          optimizers::MomentumSGD({.lr = 0.01}), 25);
  } else {
    raise<ValueError>("--arch: expected lenet5, vgg16 or resnet152, got '",
                      arch, "'");
  }
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Trains a convolutional network on small images.",
      train_network);
}
