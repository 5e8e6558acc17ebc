// Trains a network on pictures in files: the six networks of Chainer's example,
// from AlexNet to ResNeXt, each in a header of its own. Shows lists of files,
// decoding in several threads while the network computes, pictures that are cut
// and mirrored at random, and models that report several losses.
//
//   Data:   4,000 pictures of shapes, drawn once into --out; or two files with
//           a line "path label" for each picture, to train and to evaluate
//           with. These pictures all have 256x256 pixels; compute_mean makes
//           their mean. https://image-net.org/download has ImageNet.
//   Run:    ./bazelw run //examples/imagenet:train_imagenet
//   Expect: validation/main/accuracy above 0.95 after 8 epochs, a minute or
//           two. First it prints how many pictures a second the threads load
//           and the network takes: loading does not hold it up. The other
//           networks are for a GPU.
//   ImageNet: train_imagenet --root=pictures --arch=resnet50 --device=cuda:0
//           train.txt val.txt
//   Resume: --resume=latest continues after the last saved epoch.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
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
ABSL_FLAG(AtLeast<1>, batchsize, {32}, "pictures in a minibatch");
ABSL_FLAG(AtLeast<1>, val_batchsize, {250},
          "pictures in a minibatch of the evaluation");
ABSL_FLAG(std::optional<AtLeast<1>>, epoch, std::nullopt,
          "sweeps over the pictures (10; 8 for shapes)");
ABSL_FLAG(std::optional<AtLeast<1>>, loaderjob, std::nullopt,
          "threads that load pictures (one for each core)");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(std::string, initmodel, "", "starts from the model in this file");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");
ABSL_FLAG(bool, test, false, "evaluates, logs and saves at each iteration");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

// How many pictures a second a step takes, which returns its number.
template <class Step>
double per_second(const Step& step) {
  using Clock = std::chrono::steady_clock;
  step();  // the first one has to allocate memory, start threads, ...
  const auto start = Clock::now();
  int64_t pictures = 0;
  std::chrono::duration<double> seconds{};
  while (seconds.count() < 0.5) {
    pictures += step();
    seconds = Clock::now() - start;
  }
  return std::round(static_cast<double>(pictures) / seconds.count());
}

template <class Net>
void train(const std::vector<std::string>& lists) {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);

  // 1. The pictures. Shapes are small, so that a CPU will do.
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

  // 2. Threads read, decode and cut pictures ahead of the network. Is that fast
  // enough? Each alone, for half a second:
  const int64_t batchsize = GetFlag(FLAGS_batchsize);
  const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const int64_t threads = GetFlag(FLAGS_loaderjob).value_or(AtLeast<1>{cores});
  {
    iterators::MultithreadIterator loader(train, batchsize,
                                          {.n_threads = threads});
    dataset::Example batch;
    const double loaded = per_second([&] {
      batch = dataset::concat_examples(*loader.next(), {.device = device});
      return batchsize;
    });
    Net net(classes);
    optimizers::MomentumSGD optimizer;
    optimizer.setup(net);
    const double taken = per_second([&] {
      optimizer.update([&] { return net(batch[0], batch[1]); });
      synchronize(device);
      return batchsize;
    });
    std::cout << "# pictures/s: " << threads << " threads load " << loaded
              << ", the network takes " << taken << "\n\n";
  }

  // 3. The model, which returns its loss, and the optimizer.
  xp::random::seed(GetFlag(FLAGS_seed));
  Net model(classes);
  if (const std::string file = GetFlag(FLAGS_initmodel); !file.empty()) {
    serializers::load_npz(file, model);
  }
  optimizers::MomentumSGD optimizer({.lr = 0.01, .momentum = 0.9});
  optimizer.setup(model);

  // 4. The loop.
  iterators::MultithreadIterator train_iter(train, batchsize,
                                            {.n_threads = threads});
  iterators::MultithreadIterator val_iter(
      val, GetFlag(FLAGS_val_batchsize),
      {.repeat = false, .shuffle = false, .n_threads = threads});
  training::StandardUpdater updater(train_iter, optimizer, {.device = device});
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
  trainer.extend(extensions::Evaluator(val_iter, model, {.device = device}),
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
  train->start_epoch(train_iter.epoch());
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
      "Trains a network to classify pictures in files: train_imagenet [flags] "
      "train.txt val.txt, lists of pictures; without lists, it draws shapes.",
      choose);
}
