// Trains a network like VGG on small color images: convolutions of 3x3, batch
// normalization and much dropout (Simonyan and Zisserman: Very Deep
// Convolutional Networks for Large-Scale Image Recognition, 2014, made smaller
// for images of 32x32). Shows blocks that a network is built of, weight decay,
// a learning rate that falls in steps, a snapshot of the best model, and early
// stopping.
//
//   Data:   6,000 pictures of shapes, drawn in memory; --dataset=cifar10 and
//           cifar100 are downloaded once, or read from --data_dir.
//   Run:    ./bazelw run //examples/cifar:train_cifar
//   Expect: validation/main/accuracy above 0.99 after 10 epochs, half a
//           minute; the best model in result/best_model.npz, and test images
//           sorted by what the network takes them for in
//           result/predictions.png.
//   CIFAR:  --dataset=cifar10 --device=cuda:0 trains for 300 epochs, with eight
//           times as many channels and ten times as much dropout: what a
//           network of 15 million parameters needs in order not to learn its
//           images by heart keeps a small one from learning at all.
//   Resume: --resume=latest continues after the last saved epoch.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/support/drawing.h"
#include "catena/examples/support/flags.h"
#include "catena/examples/support/resume.h"
#include "catena/examples/support/shape_pictures.h"

using absl::GetFlag;
using namespace catena;
using examples::AtLeast;
namespace F = catena::functions;
namespace L = catena::links;
namespace xp = catena::array;
namespace extensions = catena::training::extensions;
namespace triggers = catena::training::triggers;

ABSL_FLAG(std::string, dataset, "shapes", "shapes, cifar10 or cifar100");
ABSL_FLAG(std::string, data_dir, "", "folder of CIFAR's files");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(AtLeast<48>, shapes, {6000},
          "pictures of shapes to draw and train with; a sixth as many test");
ABSL_FLAG(AtLeast<1>, batchsize, {64}, "images in a minibatch");
ABSL_FLAG(std::optional<double>, learnrate, std::nullopt,
          "learning rate (0.05, halved every 25 epochs; 0.01, halved every 5, "
          "for shapes)");
ABSL_FLAG(std::optional<AtLeast<1>>, epoch, std::nullopt,
          "sweeps over the images (300; 10 for shapes)");
ABSL_FLAG(std::optional<AtLeast<1>>, width, std::nullopt,
          "channels of the first convolutions (64; 8 for shapes)");
ABSL_FLAG(std::optional<double>, dropout, std::nullopt,
          "factor of the original's dropout ratios (1; 0.1 for shapes)");
ABSL_FLAG(std::string, early_stopping, "",
          "stops when this value, such as validation/main/loss, has not "
          "improved for three epochs; none if empty");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

// 1. The model. A block is a convolution that keeps the size of the image; the
// normalization after it makes a bias superfluous.
class Block : public Chain<Block> {
 public:
  explicit Block(int64_t channels)
      : conv(this, "conv", channels, 3, {.pad = 1, .nobias = true}),
        bn(this, "bn", channels) {}

  Variable forward(const Variable& x) { return F::relu(bn(conv(x))); }

 private:
  Child<L::Convolution2D> conv;
  Child<L::BatchNormalization> bn;
};

// Five groups of blocks, each followed by pooling: from 32x32 to one pixel.
class VGG : public Chain<VGG> {
 public:
  VGG(int64_t width, int64_t classes, double dropout)
      : dropout_(dropout),
        block1_1(this, "block1_1", width),
        block1_2(this, "block1_2", width),
        block2_1(this, "block2_1", 2 * width),
        block2_2(this, "block2_2", 2 * width),
        block3_1(this, "block3_1", 4 * width),
        block3_2(this, "block3_2", 4 * width),
        block3_3(this, "block3_3", 4 * width),
        block4_1(this, "block4_1", 8 * width),
        block4_2(this, "block4_2", 8 * width),
        block4_3(this, "block4_3", 8 * width),
        block5_1(this, "block5_1", 8 * width),
        block5_2(this, "block5_2", 8 * width),
        block5_3(this, "block5_3", 8 * width),
        fc1(this, "fc1", 8 * width, {.nobias = true}),
        bn_fc1(this, "bn_fc1", 8 * width),
        fc2(this, "fc2", classes, {.nobias = true}) {}

  Variable forward(const Variable& x) {
    Variable h = block1_2(drop(block1_1(x), 0.3));
    h = F::max_pooling_2d(h, 2, {.stride = 2});
    h = block2_2(drop(block2_1(h), 0.4));
    h = F::max_pooling_2d(h, 2, {.stride = 2});
    h = block3_3(drop(block3_2(drop(block3_1(h), 0.4)), 0.4));
    h = F::max_pooling_2d(h, 2, {.stride = 2});
    h = block4_3(drop(block4_2(drop(block4_1(h), 0.4)), 0.4));
    h = F::max_pooling_2d(h, 2, {.stride = 2});
    h = block5_3(drop(block5_2(drop(block5_1(h), 0.4)), 0.4));
    h = F::max_pooling_2d(h, 2, {.stride = 2});
    h = F::relu(bn_fc1(fc1(drop(h, 0.5))));
    return fc2(drop(h, 0.5));
  }

 private:
  Variable drop(const Variable& x, double ratio) const {
    return F::dropout(x, {.ratio = ratio * dropout_});
  }

  double dropout_;
  Child<Block> block1_1, block1_2, block2_1, block2_2, block3_1, block3_2,
      block3_3, block4_1, block4_2, block4_3, block5_1, block5_2, block5_3;
  Child<L::Linear> fc1;
  Child<L::BatchNormalization> bn_fc1;
  Child<L::Linear> fc2;
};

// 2. The data.
struct Images {
  dataset::Dataset train;
  dataset::Dataset test;
  int64_t classes;
};

dataset::Dataset draw_shapes(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  const auto& names = examples::shape_names();
  std::vector<std::pair<Array, int32_t>> examples;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const size_t label = i % names.size();
    const Array image = examples::draw_random_shape(names[label], 32, random);
    examples.emplace_back(image / 255.0f, static_cast<int32_t>(label));
  }
  return examples;
}

Images load_images(const std::string& name) {
  if (name == "shapes") {
    const int64_t count = GetFlag(FLAGS_shapes);
    return {draw_shapes(count, 1), draw_shapes(count / 6, 2),
            std::ssize(examples::shape_names())};
  }
  const datasets::GetCifarOptions options{.data_dir = GetFlag(FLAGS_data_dir)};
  if (name == "cifar10") {
    const auto [train, test] = datasets::get_cifar10(options);
    return {train, test, 10};
  }
  if (name == "cifar100") {
    const auto [train, test] = datasets::get_cifar100(options);
    return {train, test, 100};
  }
  raise<ValueError>("--dataset: expected shapes, cifar10 or cifar100, got '",
                    name, "'");
}

struct Settings {
  double learnrate;
  int64_t halving;  // of the learning rate, in epochs
  int64_t epochs;
  int64_t width;
  double dropout;
};

// Those of the flags, else those that suit the data.
Settings settings(const std::string& dataset) {
  const Settings usual = dataset == "shapes" ? Settings{0.01, 5, 10, 8, 0.1}
                                             : Settings{0.05, 25, 300, 64, 1};
  const double learnrate = GetFlag(FLAGS_learnrate).value_or(usual.learnrate);
  if (!(learnrate > 0)) {
    raise<ValueError>("--learnrate: expected more than 0, got ", learnrate);
  }
  const double dropout = GetFlag(FLAGS_dropout).value_or(usual.dropout);
  if (!(dropout >= 0 && dropout < 2)) {
    raise<ValueError>("--dropout: expected at least 0 and less than 2, got ",
                      dropout);
  }
  return {.learnrate = learnrate,
          .halving = usual.halving,
          .epochs = GetFlag(FLAGS_epoch).value_or(AtLeast<1>{usual.epochs}),
          .width = GetFlag(FLAGS_width).value_or(AtLeast<1>{usual.width}),
          .dropout = dropout};
}

// Writes test images in columns: those that the network takes for the first
// class, for the second, and so on, up to the tenth.
void write_predictions(VGG& vgg, const dataset::Dataset& test, Device device,
                       const std::string& file) {
  constexpr int64_t kRows = 8;
  const auto test_mode = using_config(&Config::train, false);
  const auto no_graph = no_backprop_mode();
  const dataset::Batch batch(test[Slice(0, 256)]);
  const Array images = dataset::concat_examples(batch, {.device = device})[0];
  const Array scores = vgg(images).data();
  const auto classes = scores.argmax(1).to_vector<int64_t>();
  const int64_t columns = std::min<int64_t>(scores.shape()[1], 10);
  Shape shape = images.shape();
  shape[0] = kRows * columns;
  const Array grid = xp::zeros(shape, images.dtype());
  std::vector<int64_t> heights(columns);
  for (int64_t i = 0; i < images.len(); ++i) {
    const int64_t column = classes[i];
    if (column >= columns || heights[column] == kRows) continue;
    grid[heights[column]++ * columns + column].assign(images[i]);
  }
  dataset::write_image_grid(file, grid, {.columns = columns});
}

void train() {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);
  xp::random::seed(GetFlag(FLAGS_seed));

  const std::string name = GetFlag(FLAGS_dataset);
  const auto [learnrate, halving, epochs, width, dropout] = settings(name);
  const Images images = load_images(name);

  L::Classifier model(VGG(width, images.classes, dropout));
  optimizers::MomentumSGD optimizer({.lr = learnrate});
  optimizer.setup(model);
  optimizer.add_hook(optimizers::WeightDecay(5e-4));

  iterators::SerialIterator train_iter(images.train, GetFlag(FLAGS_batchsize));
  iterators::SerialIterator test_iter(images.test, GetFlag(FLAGS_batchsize),
                                      {.repeat = false, .shuffle = false});

  // 3. The loop, which ends after all epochs, or earlier.
  training::AnyTrigger stop(epochs, "epoch");
  if (const std::string key = GetFlag(FLAGS_early_stopping); !key.empty()) {
    stop = triggers::EarlyStoppingTrigger(
        {.monitor = key, .max_trigger = stop, .verbose = true});
  }
  training::StandardUpdater updater(train_iter, optimizer, {.device = device});
  training::Trainer trainer(updater, stop, {.out = GetFlag(FLAGS_out)});

  trainer.extend(extensions::Evaluator(test_iter, model));
  trainer.extend(extensions::ExponentialShift("lr", 0.5),
                 {.trigger = {halving, "epoch"}});
  trainer.extend(extensions::DumpGraph("main/loss"));
  trainer.extend(extensions::snapshot({.n_retains = 2}));
  trainer.extend(
      extensions::snapshot_object(model, "best_model.npz"),
      {.trigger = triggers::MaxValueTrigger("validation/main/accuracy")});
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "validation/main/loss", "main/accuracy",
       "validation/main/accuracy", "elapsed_time"}));
  trainer.extend(extensions::ProgressBar());
  trainer.extend(extensions::StopOnInterrupt());
  examples::resume(trainer, GetFlag(FLAGS_resume));
  trainer.run();

  // 4. What it has learnt.
  write_predictions(*model.predictor, images.test, device,
                    trainer.out_path("predictions.png"));
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Trains a VGG network on small color images.", train);
}
