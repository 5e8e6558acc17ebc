// Trains a network on pictures in files: the six networks of Chainer's example,
// from AlexNet to ResNeXt, each in a header of its own. Shows lists of files,
// decoding in several threads while the network computes, pictures that are cut
// and mirrored at random, and models that report several losses.
//
//   Data:   4,000 pictures of shapes, drawn once into --out; or --train and
//           --val, files with a line "path label" for each picture, all of
//           256x256 pixels, and their mean, from compute_mean. For ImageNet
//           (https://image-net.org/download) resize the pictures and write
//           these lists first.
//   Run:    ./bazelw run //examples/imagenet:train_imagenet
//   Expect: validation/main/accuracy above 0.95 after 10 epochs, one or two
//           minutes. First it prints how many pictures a second the threads
//           load and the network takes: loading does not hold it up.
//   ImageNet: --train=train.txt --val=val.txt --root=pictures --arch=resnet50
//           --device=cuda:0
//   Resume: --resume=latest continues after the last saved epoch.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/imagenet/alex.h"
#include "catena/examples/imagenet/googlenet.h"
#include "catena/examples/imagenet/googlenetbn.h"
#include "catena/examples/imagenet/nin.h"
#include "catena/examples/imagenet/preprocessed_dataset.h"
#include "catena/examples/imagenet/resnet50.h"
#include "catena/examples/imagenet/resnext50.h"
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
ABSL_FLAG(std::string, train, "",
          "list of the pictures to train with; shapes are drawn if empty");
ABSL_FLAG(std::string, val, "", "list of the pictures to evaluate with");
ABSL_FLAG(std::string, root, ".", "folder that the paths in lists start from");
ABSL_FLAG(std::string, mean, "mean.npy", "the file that compute_mean wrote");
ABSL_FLAG(AtLeast<8>, shapes, {4000}, "pictures of shapes to train with");
ABSL_FLAG(std::string, data_dir, "",
          "folder for the shapes that are drawn; --out if empty");
ABSL_FLAG(AtLeast<0>, insize, {0},
          "height and width that the network takes; 0: what its authors use, "
          "or less for shapes");
ABSL_FLAG(AtLeast<1>, batchsize, {32}, "pictures in a minibatch");
ABSL_FLAG(AtLeast<1>, val_batchsize, {250},
          "pictures in a minibatch of the evaluation");
ABSL_FLAG(AtLeast<1>, epoch, {10}, "sweeps over the pictures");
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

// How many pictures a second a step takes that is for `count` of them.
template <class Step>
double speed(int64_t count, const Step& step) {
  using Clock = std::chrono::steady_clock;
  step();  // the first one has to allocate memory, start threads, ...
  const auto start = Clock::now();
  double pictures = 0;
  std::chrono::duration<double> seconds{};
  while (seconds.count() < 0.5) {
    step();
    pictures += static_cast<double>(count);
    seconds = Clock::now() - start;
  }
  return std::round(pictures / seconds.count());
}

template <class Net>
void train() {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);

  // 1. The pictures.
  const bool is_drawn = GetFlag(FLAGS_train).empty();
  int64_t insize = GetFlag(FLAGS_insize);
  if (insize == 0) insize = is_drawn ? Net::kSmallInsize : Net::kInsize;
  PictureFiles files = {.train = GetFlag(FLAGS_train),
                        .val = GetFlag(FLAGS_val),
                        .root = GetFlag(FLAGS_root),
                        .mean = GetFlag(FLAGS_mean)};
  if (is_drawn) {
    const std::string folder = GetFlag(FLAGS_data_dir);
    files =
        examples::draw_shape_files(folder.empty() ? GetFlag(FLAGS_out) : folder,
                                   insize * 8 / 7, GetFlag(FLAGS_shapes));
  }
  const auto [train, val, classes] =
      examples::load_pictures(files, insize, GetFlag(FLAGS_seed));
  std::cout << "# pictures: " << train->size() << " to train with, "
            << val->size() << " to evaluate with, " << classes
            << " classes\n# network: " << GetFlag(FLAGS_arch) << ", " << insize
            << "x" << insize << " pixels" << std::endl;

  // 2. Threads read, decode and cut pictures ahead of the network. Is that fast
  // enough? Both alone, with copies of data and network:
  const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const int64_t threads = GetFlag(FLAGS_loaderjob).value_or(AtLeast<1>{cores});
  const int64_t batchsize = GetFlag(FLAGS_batchsize);
  {
    iterators::MultithreadIterator loader(
        examples::load_pictures(files, insize, 0).train, batchsize,
        {.n_threads = threads});
    dataset::Example batch;
    const double loading = speed(batchsize, [&] {
      batch = dataset::concat_examples(*loader.next(), {.device = device});
    });
    Net net(classes);
    optimizers::MomentumSGD optimizer({.lr = 0.01});
    optimizer.setup(net);
    const double computing = speed(batchsize, [&] {
      optimizer.update([&] { return net(batch[0], batch[1]); });
    });
    std::cout << "# " << threads << " threads load " << loading
              << " pictures/s; the network takes " << computing << "\n\n";
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
  training::Trainer trainer(updater, {GetFlag(FLAGS_epoch).value, "epoch"},
                            {.out = GetFlag(FLAGS_out)});

  const auto interval = [&](int64_t iterations) -> training::AnyTrigger {
    if (GetFlag(FLAGS_test)) return {1, "iteration"};
    if (is_drawn) return {1, "epoch"};
    return {iterations, "iteration"};
  };
  const auto val_interval = interval(100000);
  const auto log_interval = interval(1000);
  trainer.extend(extensions::Evaluator(val_iter, model, {.device = device}),
                 {.trigger = val_interval});
  trainer.extend(extensions::DumpGraph("main/loss"));
  trainer.extend(extensions::snapshot({.n_retains = 2}),
                 {.trigger = val_interval});
  trainer.extend(
      extensions::snapshot_object(model, "model_iter_{.updater.iteration}",
                                  {.n_retains = 2}),
      {.trigger = val_interval});
  trainer.extend(extensions::LogReport({.trigger = log_interval}));
  if (is_drawn) {  // smaller steps in the end
    trainer.extend(extensions::ExponentialShift("lr", 0.3),
                   {.trigger = {7, "epoch"}});
  }
  trainer.extend(extensions::observe_lr(), {.trigger = log_interval});
  trainer.extend(extensions::PrintReport(
                     {"epoch", "iteration", "main/loss", "validation/main/loss",
                      "main/accuracy", "validation/main/accuracy", "lr"}),
                 {.trigger = log_interval});
  trainer.extend(extensions::ProgressBar({.update_interval = 10}));
  trainer.extend(extensions::StopOnInterrupt());
  examples::resume(trainer, GetFlag(FLAGS_resume));
  trainer.run();
}

void choose() {
  const std::map<std::string, void (*)()> networks = {
      {"alex", train<examples::Alex>},
      {"googlenet", train<examples::GoogLeNet>},
      {"googlenetbn", train<examples::GoogLeNetBN>},
      {"nin", train<examples::NIN>},
      {"resnet50", train<examples::ResNet50>},
      {"resnext50", train<examples::ResNeXt50>}};
  const auto found = networks.find(GetFlag(FLAGS_arch));
  if (found == networks.end()) {
    raise<ValueError>("--arch: expected alex, googlenet, googlenetbn, nin, ",
                      "resnet50 or resnext50, got '", GetFlag(FLAGS_arch), "'");
  }
  found->second();
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Trains a network to classify pictures in files.", choose);
}
