// Computes the mean of pictures, which train_imagenet subtracts from each.
// Shows an iterator whose threads decode pictures, used without a trainer.
//
//   Data:   a file with a line "path label" for each picture, all of one size;
//           or 4,000 pictures of shapes, the ones that train_imagenet draws.
//   Run:    ./bazelw run //examples/imagenet:compute_mean
//   Expect: a gray of about (127, 127, 127) in mean.npy, after a few seconds
//           for drawing. Photographs are about (123, 117, 104).
//   ImageNet: compute_mean --root=pictures train.txt

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/imagenet/nin.h"
#include "catena/examples/imagenet/shape_files.h"
#include "catena/examples/support/flags.h"

using absl::GetFlag;
using namespace catena;
using examples::AtLeast;
namespace xp = catena::array;

ABSL_FLAG(std::string, root, ".",
          "folder that the paths in the list start from");
ABSL_FLAG(std::string, output, "mean.npy", "the file to write");
ABSL_FLAG(std::optional<AtLeast<1>>, loaderjob, std::nullopt,
          "threads that load pictures (one for each core)");
ABSL_FLAG(AtLeast<8>, shapes, {4000},
          "pictures of shapes to draw and take the mean of");
ABSL_FLAG(std::string, data_dir, "result",
          "folder for the shapes that are drawn");

namespace {

void compute_mean(const std::vector<std::string>& lists) {
  if (lists.size() > 1) {
    raise<ValueError>("expected one list of pictures, or none, got ",
                      lists.size());
  }
  std::string list;
  std::string root = GetFlag(FLAGS_root);
  if (!lists.empty()) {
    list = lists[0];
  } else {
    const auto files = examples::draw_shape_files(
        GetFlag(FLAGS_data_dir), examples::NIN::kSmallInsize * 8 / 7,
        GetFlag(FLAGS_shapes));
    list = files.train;
    root = files.root;
  }
  const datasets::LabeledImageDataset pictures(
      datasets::read_labeled_image_paths(list),
      {.images = {.root = root, .color = dataset::ImageColor::kRgb}});
  if (pictures.size() == 0) raise<ValueError>("'", list, "' lists no pictures");

  const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  iterators::MultithreadIterator batches(
      pictures, 100,
      {.repeat = false,
       .shuffle = false,
       .n_threads = GetFlag(FLAGS_loaderjob).value_or(AtLeast<1>{cores})});
  const auto start = std::chrono::steady_clock::now();
  Array sum = xp::zeros({});  // float64, as exact as a million pictures need
  for (const dataset::Batch& batch : batches) {
    sum = sum + dataset::concat_examples(batch)[0].sum(0);
  }
  const Array mean = sum / static_cast<double>(pictures.size());
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;

  xp::save_npy(GetFlag(FLAGS_output), mean.astype(Dtype::kFloat32));
  std::cout << "pictures: " << pictures.size() << " of " << mean.shape()[2]
            << "x" << mean.shape()[1] << " pixels, "
            << pictures.size() / seconds.count() << " in a second\n"
            << "mean of red, green, blue: " << mean.mean({1, 2}) << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv,
      "Computes the mean of pictures: compute_mean [flags] train.txt, a list "
      "of pictures; without a list, it draws shapes.",
      compute_mean);
}
