// Learns to draw: a generator makes images of noise, and a discriminator learns
// to tell them from real ones, from which the generator learns in turn. Shows
// an updater of its own with two optimizers, deconvolution, and pictures
// written during training. (Radford, Metz and Chintala, "Unsupervised
// Representation Learning with Deep Convolutional Generative Adversarial
// Networks", 2016.)
//
//   Data:   1,437 digits of 8x8 pixels ship with catena; --dataset=mnist and
//           --dataset=cifar10 use those (downloaded once, or from --data_dir),
//           and --dataset=FOLDER uses the PNG and JPEG files in a folder, all
//           of one size.
//   Run:    ./bazelw run //examples/dcgan:train_dcgan
//   Expect: 100 images in result/preview/image00008048.png, most of them clear
//           digits, after one or two minutes.
//   Resume: --resume=latest continues after the last saved iteration.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/dcgan/net.h"
#include "catena/examples/support/flags.h"
#include "catena/examples/support/resume.h"

using absl::GetFlag;
using namespace catena;
namespace F = catena::functions;
namespace L = catena::links;
namespace xp = catena::array;
namespace extensions = catena::training::extensions;

using examples::AtLeast;

ABSL_FLAG(std::string, dataset, "digits",
          "digits, mnist, cifar10, or a folder of images");
ABSL_FLAG(std::string, data_dir, "", "folder of the files of mnist or cifar10");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(AtLeast<1>, batchsize, {50}, "images in a minibatch");
ABSL_FLAG(std::optional<AtLeast<1>>, epoch, std::nullopt,
          "sweeps over the images (280 for digits, 20 for mnist, else 1000)");
ABSL_FLAG(AtLeast<1>, n_hidden, {100}, "length of the generator's input");
ABSL_FLAG(
    std::optional<AtLeast<8>>, ch, std::nullopt,
    "channels of the smallest feature maps (128 for digits, 64 for mnist, "
    "else 512)");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");
ABSL_FLAG(AtLeast<1>, snapshot_interval, {1000},
          "iterations between snapshots");
ABSL_FLAG(AtLeast<1>, display_interval, {100}, "iterations between log lines");

using examples::dcgan::Discriminator;
using examples::dcgan::Generator;

namespace {

// One step of each: the generator makes the discriminator take its images for
// real, the discriminator learns better.
class DCGANUpdater : public training::StandardUpdater {
 public:
  DCGANUpdater(dataset::Iterator& iterator, Generator& gen, Discriminator& dis,
               Optimizer& opt_gen, Optimizer& opt_dis, Device device)
      : StandardUpdater({{"main", &iterator}},
                        {{"gen", &opt_gen}, {"dis", &opt_dis}},
                        {.device = device}),
        gen_(gen),
        dis_(dis) {}

 protected:
  void update_core() override {
    const Variable x_real = next_batch(main_iterator())[0];
    const int64_t n = x_real.len();
    const Variable x_fake = gen_(gen_.make_hidden(n, xp::random::generator()));
    const Variable y_fake = dis_(x_fake);
    get_optimizer("gen").update([&] {
      const Variable loss = F::mean(F::softplus(-y_fake));
      report({{"loss", loss}}, &gen_);
      return loss;
    });
    x_fake.unchain_backward();  // the discriminator's step ends at the image
    get_optimizer("dis").update([&] {
      const Variable loss =
          F::mean(F::softplus(-dis_(x_real))) + F::mean(F::softplus(y_fake));
      report({{"loss", loss}}, &dis_);
      return loss;
    });
  }

 private:
  Generator& gen_;
  Discriminator& dis_;
};

// Writes 10x10 images, made of the same noise each time, to the folder preview.
auto out_generated_image(Generator& gen, uint64_t seed, Device device) {
  return [&gen, seed, device](training::Trainer& trainer) {
    const auto test_mode = using_config(&Config::train, false);
    const auto no_graph = no_backprop_mode();
    xp::random::Generator random(seed, device);
    const Array x = gen(gen.make_hidden(100, random)).array();
    // Enlarges small images, so that pixels can be seen.
    const int64_t zoom = std::max<int64_t>(1, 32 / x.shape()[2]);
    // Eight digits, so that the files sort by iteration.
    const std::string number =
        std::to_string(100'000'000 + trainer.updater().iteration()).substr(1);
    std::filesystem::create_directories(trainer.out_path("preview"));
    dataset::write_image_grid(
        trainer.out_path("preview/image" + number + ".png"),
        x.repeat(zoom, 2).repeat(zoom, 3), {.columns = 10});
  };
}

// Images (channels, height, width) with pixels in [0, 1] and sides that are
// multiples of 8.
dataset::Dataset get_images(const std::string& name,
                            const std::string& data_dir) {
  using datasets::TransformDataset;
  if (name == "digits") {
    return datasets::get_digits({.withlabel = false, .ndim = 3}).first;
  }
  if (name == "mnist") {
    return TransformDataset(
        datasets::get_mnist(
            {.withlabel = false, .ndim = 3, .data_dir = data_dir})
            .first,
        [](const dataset::Example& image) {  // 28x28 to 32x32
          return dataset::Example{xp::pad(image[0], {{0, 0}, {2, 2}, {2, 2}})};
        });
  }
  if (name == "cifar10") {
    return datasets::get_cifar10({.withlabel = false, .data_dir = data_dir})
        .first;
  }
  if (!std::filesystem::is_directory(name)) {
    raise<ValueError>(
        "--dataset: expected digits, mnist, cifar10 or a folder of images, "
        "got '",
        name, "'");
  }
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(name)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".png" || extension == ".jpg" || extension == ".jpeg") {
      files.push_back(entry.path().string());
    }
  }
  if (files.empty()) {
    raise<ValueError>("--dataset: no .png, .jpg or .jpeg files in '", name,
                      "'");
  }
  std::sort(files.begin(), files.end());
  return TransformDataset(
      datasets::ImageDataset(files, {.color = dataset::ImageColor::kRgb}),
      [](const dataset::Example& image) {
        return dataset::Example{image[0] / 255};
      });
}

// What suits a dataset. For images as small as the digits, weights of 0.02 let
// the first features drown in the discriminator's noise.
struct Settings {
  int64_t epoch, ch;
  Initializer w;
};

Settings get_settings(const std::string& dataset) {
  if (dataset == "digits") return {280, 128, initializers::LeCunNormal()};
  if (dataset == "mnist") return {20, 64, initializers::Normal(0.02)};
  return {1000, 512, initializers::Normal(0.02)};
}

void train() {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);
  const uint64_t seed = GetFlag(FLAGS_seed);
  xp::random::seed(seed);

  const Settings settings = get_settings(GetFlag(FLAGS_dataset));
  const int64_t epoch = GetFlag(FLAGS_epoch).value_or(settings.epoch);
  const int64_t ch = GetFlag(FLAGS_ch).value_or(settings.ch);

  const dataset::Dataset images =
      get_images(GetFlag(FLAGS_dataset), GetFlag(FLAGS_data_dir));
  const Shape image = images[0][0].shape();
  if (image[1] % 8 != 0 || image[2] % 8 != 0) {
    raise<ValueError>(
        "--dataset: expected images whose sides are multiples of 8, got ",
        image[2], "x", image[1], " pixels");
  }
  iterators::SerialIterator iterator(images, GetFlag(FLAGS_batchsize));

  Generator gen(GetFlag(FLAGS_n_hidden), ch, image, settings.w);
  Discriminator dis(ch, image, settings.w);
  const auto make_optimizer = [](auto& model) {
    optimizers::Adam optimizer({.alpha = 0.0002, .beta1 = 0.5});
    optimizer.setup(model);
    optimizer.add_hook(optimizers::WeightDecay(0.0001));
    return optimizer;
  };
  optimizers::Adam opt_gen = make_optimizer(gen);
  optimizers::Adam opt_dis = make_optimizer(dis);

  DCGANUpdater updater(iterator, gen, dis, opt_gen, opt_dis, device);
  training::Trainer trainer(updater, {epoch, "epoch"},
                            {.out = GetFlag(FLAGS_out)});
  const training::AnyTrigger snapshot_interval = {
      GetFlag(FLAGS_snapshot_interval).value, "iteration"};
  const training::AnyTrigger display_interval = {
      GetFlag(FLAGS_display_interval).value, "iteration"};
  trainer.extend(extensions::snapshot(), {.trigger = snapshot_interval});
  trainer.extend(
      extensions::snapshot_object(gen, "gen_iter_{.updater.iteration}.npz"),
      {.trigger = snapshot_interval});
  trainer.extend(
      extensions::snapshot_object(dis, "dis_iter_{.updater.iteration}.npz"),
      {.trigger = snapshot_interval});
  trainer.extend(extensions::LogReport({.trigger = display_interval}));
  trainer.extend(
      extensions::PrintReport({"epoch", "iteration", "gen/loss", "dis/loss"}),
      {.trigger = display_interval});
  trainer.extend(extensions::ProgressBar({.update_interval = 10}));
  trainer.extend(out_generated_image(gen, seed, device),
                 {.name = "out_generated_image", .trigger = {1, "epoch"}});
  trainer.extend(extensions::StopOnInterrupt());

  examples::resume(trainer, GetFlag(FLAGS_resume));
  std::cout << "# dataset: " << GetFlag(FLAGS_dataset) << ", " << images.size()
            << " images\n# device: " << device
            << "\n# Minibatch-size: " << GetFlag(FLAGS_batchsize)
            << "\n# n_hidden: " << GetFlag(FLAGS_n_hidden)
            << "\n# epoch: " << epoch << "\n\n";
  trainer.run();
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Learns to draw images like those of a dataset.", train);
}
