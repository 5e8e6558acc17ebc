// Trains a variational autoencoder: an encoder turns an image into a normal
// distribution of codes, and a decoder turns a code into an image. Afterwards
// the decoder draws new images from random codes. (D. P. Kingma and M. Welling,
// Auto-Encoding Variational Bayes, 2014.)
//
//   Data:   1,797 digits of 8x8 pixels ship with catena; --dataset=mnist uses
//           MNIST (downloaded once, or from --data_dir).
//   Run:    ./bazelw run //examples/vae:train_vae
//   Expect: after about 10 seconds a validation/main/loss of 23.9. This is the
//           negative ELBO: 23.9 nats for each image that was not trained on.
//           A linear encoder and decoder need 25.2, independent pixels 27.1,
//           and a mixture of 30 average digits only 23.2. The folder results,
//           or --out, has the pictures
//             train.png, test.png  ten images and their reconstructions
//             sampled.png          new images, from random codes
//             walk.png             on the way from one test image to the next
//   Resume: --resume=latest --epoch=2000 continues after the last snapshot.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/support/flags.h"
#include "catena/examples/support/resume.h"

using absl::GetFlag;
using namespace catena;
namespace F = catena::functions;
namespace L = catena::links;
namespace extensions = catena::training::extensions;
namespace xp = catena::array;

using examples::AtLeast;

ABSL_FLAG(std::string, dataset, "digits", "digits or mnist");
ABSL_FLAG(std::string, data_dir, "", "folder of MNIST's IDX files");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(AtLeast<1>, batchsize, {100}, "images in a minibatch");
ABSL_FLAG(std::optional<AtLeast<1>>, epoch, std::nullopt,
          "sweeps over the training set (1000 for digits, 100 for mnist)");
ABSL_FLAG(std::optional<AtLeast<1>>, frequency, std::nullopt,
          "epochs from one evaluation and snapshot to the next (50 for digits, "
          "1 for mnist)");
ABSL_FLAG(AtLeast<1>, dimz, {20}, "numbers in a code");
ABSL_FLAG(AtLeast<1>, unit, {500}, "units in a hidden layer");
ABSL_FLAG(double, C, 1, "weight of the KL divergence in the loss");
ABSL_FLAG(AtLeast<1>, k, {1}, "codes to draw for an image in training");
ABSL_FLAG(bool, test, false, "use only 100 images of each set");
ABSL_FLAG(std::string, out, "results", "folder for the results");
ABSL_FLAG(std::string, initmodel, "",
          "starts from this model, such as model.npz of another run");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

class VAE : public Chain<VAE> {
 public:
  VAE(int64_t n_in, int64_t n_latent, int64_t n_h)
      : le1(this, "le1", n_in, n_h),
        le2_mu(this, "le2_mu", n_h, n_latent),
        le2_ln_var(this, "le2_ln_var", n_h, n_latent),
        ld1(this, "ld1", n_latent, n_h),
        ld2(this, "ld2", n_h, n_in) {}

  // The mean and the logarithm of the variance of an image's codes.
  std::pair<Variable, Variable> encode(const Variable& x) {
    const Variable h = F::tanh(le1(x));
    return {le2_mu(h), le2_ln_var(h)};
  }

  // The image of a code: the probability of each pixel to be white.
  Variable decode(const Variable& z) { return F::sigmoid(logits(z)); }

  // Reconstructs images from their most probable codes.
  Variable forward(const Variable& x) { return decode(encode(x).first); }

  // The mean over the images of a loss of two parts: the negative
  // log-likelihood of an image given its code, estimated with k codes, and C
  // times the divergence of its codes from standard normal ones, which are
  // those of new images. With C = 1 it is the negative ELBO, an upper bound of
  // the negative log-likelihood of the image.
  LossFunction get_loss_func(double C = 1, int64_t k = 1) {
    return [=, this](const LossInputs& batch) {
      const Variable x = batch[0];
      const auto n = static_cast<double>(x.len());
      const auto [mu, ln_var] = encode(x);
      Variable nll;
      for (int64_t i = 0; i < k; ++i) {
        const Variable z = F::gaussian(mu, ln_var);
        const Variable sample = F::bernoulli_nll(x, logits(z));
        nll = nll.defined() ? nll + sample : sample;
      }
      const Variable rec_loss = nll / (static_cast<double>(k) * n);
      const Variable loss =
          rec_loss + C * F::gaussian_kl_divergence(mu, ln_var) / n;
      report({{"rec_loss", rec_loss}, {"loss", loss}}, this);
      return loss;
    };
  }

 private:
  Variable logits(const Variable& z) { return ld2(F::tanh(ld1(z))); }

  Child<L::Linear> le1, le2_mu, le2_ln_var, ld1, ld2;
};

struct Settings {
  int64_t side;  // of an image, in pixels
  int64_t epoch;
  int64_t frequency;  // see the flag
};
const std::map<std::string, Settings> kSettings = {
    {"digits", {.side = 8, .epoch = 1000, .frequency = 50}},
    {"mnist", {.side = 28, .epoch = 100, .frequency = 1}}};

// The images for training and testing, flat and in [0, 1].
std::pair<dataset::Dataset, dataset::Dataset> load_images(
    const std::string& name) {
  if (name == "digits") return datasets::get_digits({.withlabel = false});
  return datasets::get_mnist(
      {.withlabel = false, .data_dir = GetFlag(FLAGS_data_dir)});
}

// Writes flat images, enlarged, ten in a row.
void write_images(const std::string& file, const Array& images, int64_t side) {
  const int64_t zoom = 64 / side;
  const Array squares = images.reshape({-1, 1, side, side});
  dataset::write_image_grid(
      file, xp::repeat(xp::repeat(squares, zoom, 2), zoom, 3), {.columns = 10});
}

void train() {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);
  xp::random::seed(GetFlag(FLAGS_seed));
  const int64_t n_latent = GetFlag(FLAGS_dimz);

  const double C = GetFlag(FLAGS_C);
  if (!(C >= 0)) raise<ValueError>("--C: expected at least 0, got ", C);

  // 1. The images, without labels.
  const auto found = kSettings.find(GetFlag(FLAGS_dataset));
  if (found == kSettings.end()) {
    raise<ValueError>("--dataset: expected digits or mnist, got '",
                      GetFlag(FLAGS_dataset), "'");
  }
  const auto& [name, settings] = *found;
  auto [train, test] = load_images(name);
  if (GetFlag(FLAGS_test)) {
    train = datasets::split_dataset(train, 100).first;
    test = datasets::split_dataset(test, 100).first;
  }
  iterators::SerialIterator train_iter(train, GetFlag(FLAGS_batchsize));
  // All at once, so that the losses are means over images and not over
  // minibatches of different sizes.
  iterators::SerialIterator test_iter(test, test.size(),
                                      {.repeat = false, .shuffle = false});

  // 2. The model and its optimizer.
  VAE model(settings.side * settings.side, n_latent, GetFlag(FLAGS_unit));
  if (const std::string file = GetFlag(FLAGS_initmodel); !file.empty()) {
    serializers::load_npz(file, model);
  }
  optimizers::Adam optimizer;
  optimizer.setup(model);

  // 3. The training loop. Test images have ten codes each, for a better
  // estimate of the loss.
  const int64_t epochs =
      GetFlag(FLAGS_epoch).value_or(AtLeast<1>{settings.epoch});
  const int64_t frequency =
      GetFlag(FLAGS_frequency).value_or(AtLeast<1>{settings.frequency});
  const training::AnyTrigger interval(std::min(frequency, epochs), "epoch");
  training::StandardUpdater updater(
      train_iter, optimizer,
      {.device = device,
       .loss_func = model.get_loss_func(C, GetFlag(FLAGS_k))});
  training::Trainer trainer(updater, {epochs, "epoch"},
                            {.out = GetFlag(FLAGS_out)});
  trainer.extend(
      extensions::Evaluator(
          test_iter, model,
          {.device = device, .eval_func = model.get_loss_func(1, 10)}),
      {.trigger = interval});
  trainer.extend(extensions::snapshot({.n_retains = 2}), {.trigger = interval});
  trainer.extend(extensions::LogReport({.trigger = interval}));
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "validation/main/loss", "main/rec_loss",
       "validation/main/rec_loss", "elapsed_time"}));
  trainer.extend(extensions::ProgressBar());
  trainer.extend(extensions::StopOnInterrupt());

  examples::resume(trainer, GetFlag(FLAGS_resume));
  trainer.run();
  serializers::save_npz(trainer.out_path("model.npz"), model);

  // 4. Ten images of each set, and below them what the model makes of them.
  const auto no_graph = no_backprop_mode();
  const auto first_images = [&](const dataset::Dataset& images) {
    return dataset::concat_examples(images[Slice(0, 10)],
                                    {.device = device})[0];
  };
  const auto write = [&, side = settings.side](const std::string& file,
                                               const Array& images) {
    write_images(trainer.out_path(file), images, side);
  };
  const Array seen = first_images(train);
  const Array unseen = first_images(test);
  write("train.png", xp::concatenate({seen, model(seen).data()}));
  write("test.png", xp::concatenate({unseen, model(unseen).data()}));

  // 5. New images: from random codes, and on the way from the code of each test
  // image to that of the next one, ten steps in a row.
  const Array z = xp::random::normal(0, 1, {100, n_latent}, Dtype::kFloat32);
  write("sampled.png", model.decode(z).data());
  const Array codes = model.encode(unseen).first.data();
  const Array from = codes[{Slice(0, -1), newaxis}];
  const Array to = codes[{Slice(1, codes.len()), newaxis}];
  const Array step =
      xp::linspace(0, 1, 10, {.dtype = Dtype::kFloat32}).reshape({1, 10, 1});
  const Array walk = from + step * (to - from);
  write("walk.png", model.decode(walk.reshape({-1, n_latent})).data());
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Trains a variational autoencoder on digits.", train);
}
