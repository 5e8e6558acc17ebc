// Trains the networks of train_imagenet on several devices at once: each has a
// part of the pictures, threads that load them, and a copy of the model, whose
// gradients are added up. Only iterators and updater differ.
//
//   Data:   as for train_imagenet.
//   Run:    ./bazelw run //examples/imagenet:train_imagenet_data_parallel
//           uses two logical devices of the host; with GPUs, add
//           --devices=cuda:0,cuda:1
//   Expect: validation/main/accuracy above 0.95 after 8 epochs, about two
//           minutes.
//   Resume: --resume=latest continues after the last saved epoch.

#include <deque>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/imagenet/networks.h"
#include "catena/examples/imagenet/preprocessed_dataset.h"
#include "catena/examples/imagenet/shape_files.h"
#include "catena/examples/support/flags.h"
#include "catena/examples/support/resume.h"

using absl::GetFlag;
using namespace catena;
using examples::AtLeast;
using examples::PictureFiles;
namespace xp = catena::array;
namespace extensions = catena::training::extensions;

ABSL_FLAG(std::string, arch, "nin",
          "alex, googlenet, googlenetbn, nin, resnet50 or resnext50");
ABSL_FLAG(std::string, root, ".", "folder that the paths in lists start from");
ABSL_FLAG(std::string, mean, "mean.npy", "the file that compute_mean wrote");
ABSL_FLAG(AtLeast<8>, shapes, {4000},
          "pictures of shapes to draw and train with");
ABSL_FLAG(std::string, data_dir, "",
          "folder for the shapes that are drawn (--out)");
ABSL_FLAG(std::optional<AtLeast<1>>, insize, std::nullopt,
          "height and width that the network takes (227 for alex and nin, 224 "
          "for the others; 56 to 79 for shapes)");
ABSL_FLAG(AtLeast<1>, batchsize, {32}, "pictures in a minibatch of one device");
ABSL_FLAG(AtLeast<1>, val_batchsize, {250},
          "pictures in a minibatch of the evaluation");
ABSL_FLAG(std::optional<AtLeast<1>>, epoch, std::nullopt,
          "sweeps over the pictures (10; 8 for shapes)");
ABSL_FLAG(std::optional<AtLeast<1>>, loaderjob, std::nullopt,
          "threads that load pictures for a device (one)");
ABSL_FLAG(std::vector<std::string>, devices,
          (std::vector<std::string>{"native:0", "native:1"}),
          "the devices; the first one updates the parameters");
ABSL_FLAG(std::string, initmodel, "", "starts from the model in this file");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");
ABSL_FLAG(bool, test, false, "evaluates, logs and saves at each iteration");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

template <class Net>
void train(const std::vector<std::string>& lists) {
  std::vector<Device> devices;
  for (const std::string& name : GetFlag(FLAGS_devices)) {
    devices.push_back(Device::parse(name));
    // Each draws other random numbers, for dropout.
    xp::random::seed(GetFlag(FLAGS_seed) + devices.size() - 1, devices.back());
  }
  if (devices.empty()) raise<ValueError>("--devices: expected a device");
  const DeviceScope scope(devices[0]);

  // 1. The pictures.
  const bool is_drawn = lists.empty();
  const int64_t insize =
      GetFlag(FLAGS_insize)
          .value_or(AtLeast<1>{is_drawn ? Net::kSmallInsize : Net::kInsize});
  PictureFiles files;
  if (is_drawn) {
    const std::string folder = GetFlag(FLAGS_data_dir);
    files =
        examples::draw_shape_files(folder.empty() ? GetFlag(FLAGS_out) : folder,
                                   insize * 8 / 7, GetFlag(FLAGS_shapes));
  } else {
    files = {.train = lists[0],
             .val = lists[1],
             .root = GetFlag(FLAGS_root),
             .mean = GetFlag(FLAGS_mean)};
  }
  const auto [train, val, classes] =
      examples::load_pictures(files, insize, GetFlag(FLAGS_seed));
  std::cout << "# pictures: " << train->size() << " to train with, "
            << val->size() << " to evaluate with, " << classes
            << " classes\n# network: " << GetFlag(FLAGS_arch) << ", " << insize
            << "x" << insize << " pixels" << std::endl;

  // 2. The model and the optimizer. Each device has a minibatch of its own, and
  // the sum of their gradients makes steps that grow with their number.
  Net model(classes);
  if (const std::string file = GetFlag(FLAGS_initmodel); !file.empty()) {
    serializers::load_npz(file, model);
  }
  optimizers::MomentumSGD optimizer({.lr = 0.01, .momentum = 0.9});
  optimizer.setup(model);

  // 3. Equal parts of the pictures, each with an iterator.
  const int64_t threads = GetFlag(FLAGS_loaderjob).value_or(AtLeast<1>{1});
  std::deque<iterators::MultithreadIterator> train_iters;
  std::vector<dataset::Iterator*> for_devices;
  for (const auto& part : datasets::split_dataset_n_random(
           train, std::ssize(devices), GetFlag(FLAGS_seed))) {
    for_devices.push_back(&train_iters.emplace_back(
        part, GetFlag(FLAGS_batchsize),
        iterators::MultithreadIteratorOptions{.n_threads = threads}));
  }
  iterators::MultithreadIterator val_iter(
      val, GetFlag(FLAGS_val_batchsize),
      {.repeat = false, .shuffle = false, .n_threads = threads});

  // 4. The loop. The updater has a thread and a copy of the model for each
  // device; the first one is the model itself, which is evaluated and saved.
  training::MultiprocessParallelUpdater updater(for_devices, optimizer, model,
                                                {.devices = devices});
  const int64_t epochs =
      GetFlag(FLAGS_epoch).value_or(AtLeast<1>{is_drawn ? 8 : 10});
  training::Trainer trainer(updater, {epochs, "epoch"},
                            {.out = GetFlag(FLAGS_out)});

  const auto interval = [&](int64_t iterations) -> training::AnyTrigger {
    if (GetFlag(FLAGS_test)) return {1, "iteration"};
    if (is_drawn) return {1, "epoch"};
    return {iterations, "iteration"};
  };
  const auto val_interval = interval(100000);
  const auto log_interval = interval(1000);
  const extensions::SnapshotOptions saving = {
      .savefun = extensions::save_npz({.compression = false}), .n_retains = 2};
  trainer.extend(extensions::Evaluator(val_iter, model, {.device = devices[0]}),
                 {.trigger = val_interval});
  trainer.extend(extensions::DumpGraph("main/loss"));
  trainer.extend(extensions::snapshot(saving), {.trigger = val_interval});
  trainer.extend(extensions::snapshot_object(
                     model, "model_iter_{.updater.iteration}", saving),
                 {.trigger = val_interval});
  trainer.extend(extensions::LogReport({.trigger = log_interval}));
  if (is_drawn) {  // smaller steps in the end
    trainer.extend(extensions::ExponentialShift("lr", 0.3),
                   {.trigger = {6, "epoch"}});
  }
  trainer.extend(extensions::observe_lr(), {.trigger = log_interval});
  trainer.extend(extensions::PrintReport(
                     {"epoch", "iteration", "main/loss", "validation/main/loss",
                      "main/accuracy", "validation/main/accuracy", "lr"}),
                 {.trigger = log_interval});
  trainer.extend(extensions::ProgressBar({.update_interval = 10}));
  trainer.extend(extensions::StopOnInterrupt());
  examples::resume(trainer, GetFlag(FLAGS_resume));
  train->start_epoch(train_iters[0].epoch());
  trainer.run();
}

void choose(const std::vector<std::string>& lists) {
  if (!lists.empty() && lists.size() != 2) {
    raise<ValueError>("expected two lists of pictures, to train and to ",
                      "evaluate with, or none, got ", lists.size());
  }
  examples::with_network(GetFlag(FLAGS_arch),
                         [&]<class Net>() { train<Net>(lists); });
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv,
      "Trains a network to classify pictures in files, on several devices: "
      "train_imagenet_data_parallel [flags] train.txt val.txt, lists of "
      "pictures; without lists, it draws shapes.",
      choose);
}
