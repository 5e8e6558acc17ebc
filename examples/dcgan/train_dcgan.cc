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
//   Expect: 100 images in result/preview/image00006000.png, most of them clear
//           digits, after about a minute. The other datasets have larger images
//           and networks and take hours on a GPU.
//   Resume: --resume=latest continues after the last saved iteration.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
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
          "sweeps over the images (210 for digits, else 1000)");
ABSL_FLAG(AtLeast<1>, n_hidden, {100}, "length of the generator's input");
ABSL_FLAG(std::optional<AtLeast<8>>, ch, std::nullopt,
          "channels of the smallest feature maps (128 for digits, else 512)");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");
ABSL_FLAG(AtLeast<1>, snapshot_interval, {1000},
          "iterations between snapshots and pictures");
ABSL_FLAG(AtLeast<1>, display_interval, {100}, "iterations between log lines");

namespace {

// From noise to an image: the feature maps double in size three times, from an
// eighth of the image's.
class Generator : public Chain<Generator> {
 public:
  Generator(int64_t n_hidden, int64_t ch, const Shape& image,
            const Initializer& w)
      : n_hidden_(n_hidden),
        bottom_{ch, image[1] / 8, image[2] / 8},
        l0(this, "l0", n_hidden, size_of(bottom_), {.initialW = w}),
        dc1(this, "dc1", ch, ch / 2, 4, {.stride = 2, .pad = 1, .initialW = w}),
        dc2(this, "dc2", ch / 2, ch / 4, 4,
            {.stride = 2, .pad = 1, .initialW = w}),
        dc3(this, "dc3", ch / 4, ch / 8, 4,
            {.stride = 2, .pad = 1, .initialW = w}),
        dc4(this, "dc4", ch / 8, image[0], 3, {.pad = 1, .initialW = w}),
        bn0(this, "bn0", size_of(bottom_)),
        bn1(this, "bn1", ch / 2),
        bn2(this, "bn2", ch / 4),
        bn3(this, "bn3", ch / 8) {}

  Array make_hidden(int64_t n, xp::random::Generator& random) const {
    return random.uniform(-1, 1, {n, n_hidden_}, Dtype::kFloat32);
  }

  Variable forward(const Variable& z) {
    Variable h = F::relu(bn0(l0(z)));
    h = F::reshape(h, {-1, bottom_[0], bottom_[1], bottom_[2]});
    h = F::relu(bn1(dc1(h)));
    h = F::relu(bn2(dc2(h)));
    h = F::relu(bn3(dc3(h)));
    return F::sigmoid(dc4(h));
  }

 private:
  int64_t n_hidden_;
  Shape bottom_;
  Child<L::Linear> l0;
  Child<L::Deconvolution2D> dc1, dc2, dc3, dc4;
  Child<L::BatchNormalization> bn0, bn1, bn2, bn3;
};

// Noise makes the discriminator's task harder, so that the generator, which
// starts far from the data, has something to learn from.
Variable add_noise(const Variable& h, double sigma = 0.2) {
  if (!config().train) return h;
  return h + xp::random::normal(0, sigma, h.shape(), h.dtype());
}

// From an image to the logit that it is real.
class Discriminator : public Chain<Discriminator> {
 public:
  Discriminator(int64_t ch, const Shape& image, const Initializer& w)
      : c0_0(this, "c0_0", image[0], ch / 8, 3, {.pad = 1, .initialW = w}),
        c0_1(this, "c0_1", ch / 8, ch / 4, 4,
             {.stride = 2, .pad = 1, .initialW = w}),
        c1_0(this, "c1_0", ch / 4, ch / 4, 3, {.pad = 1, .initialW = w}),
        c1_1(this, "c1_1", ch / 4, ch / 2, 4,
             {.stride = 2, .pad = 1, .initialW = w}),
        c2_0(this, "c2_0", ch / 2, ch / 2, 3, {.pad = 1, .initialW = w}),
        c2_1(this, "c2_1", ch / 2, ch, 4,
             {.stride = 2, .pad = 1, .initialW = w}),
        c3_0(this, "c3_0", ch, ch, 3, {.pad = 1, .initialW = w}),
        l4(this, "l4", 1, {.initialW = w}),
        bn0_1(this, "bn0_1", ch / 4, {.use_gamma = false}),
        bn1_0(this, "bn1_0", ch / 4, {.use_gamma = false}),
        bn1_1(this, "bn1_1", ch / 2, {.use_gamma = false}),
        bn2_0(this, "bn2_0", ch / 2, {.use_gamma = false}),
        bn2_1(this, "bn2_1", ch, {.use_gamma = false}),
        bn3_0(this, "bn3_0", ch, {.use_gamma = false}) {}

  Variable forward(const Variable& x) {
    Variable h = add_noise(x);
    h = F::leaky_relu(add_noise(c0_0(h)));
    h = F::leaky_relu(add_noise(bn0_1(c0_1(h))));
    h = F::leaky_relu(add_noise(bn1_0(c1_0(h))));
    h = F::leaky_relu(add_noise(bn1_1(c1_1(h))));
    h = F::leaky_relu(add_noise(bn2_0(c2_0(h))));
    h = F::leaky_relu(add_noise(bn2_1(c2_1(h))));
    h = F::leaky_relu(add_noise(bn3_0(c3_0(h))));
    return l4(h);
  }

 private:
  Child<L::Convolution2D> c0_0, c0_1, c1_0, c1_1, c2_0, c2_1, c3_0;
  Child<L::Linear> l4;
  Child<L::BatchNormalization> bn0_1, bn1_0, bn1_1, bn2_0, bn2_1, bn3_0;
};

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

void train() {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);
  const uint64_t seed = GetFlag(FLAGS_seed);
  xp::random::seed(seed);

  // Weights of 0.02 suit wide networks; in narrow ones, the first features
  // would be lost in the noise.
  const bool is_small = GetFlag(FLAGS_dataset) == "digits";
  const int64_t epoch =
      GetFlag(FLAGS_epoch).value_or(AtLeast<1>{is_small ? 210 : 1000});
  const int64_t ch =
      GetFlag(FLAGS_ch).value_or(AtLeast<8>{is_small ? 128 : 512});
  const Initializer w = is_small ? Initializer(initializers::LeCunNormal())
                                 : initializers::Normal(0.02);

  const dataset::Dataset images =
      get_images(GetFlag(FLAGS_dataset), GetFlag(FLAGS_data_dir));
  const Shape image = images[0][0].shape();
  if (image[1] % 8 != 0 || image[2] % 8 != 0) {
    raise<ValueError>(
        "--dataset: expected images whose sides are multiples of 8, got ",
        image[2], "x", image[1], " pixels");
  }
  iterators::SerialIterator iterator(images, GetFlag(FLAGS_batchsize));

  Generator gen(GetFlag(FLAGS_n_hidden), ch, image, w);
  Discriminator dis(ch, image, w);
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
                 {.name = "out_generated_image", .trigger = snapshot_interval});
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
