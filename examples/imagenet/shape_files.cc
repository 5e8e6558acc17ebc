#include "catena/examples/imagenet/shape_files.h"

#include <filesystem>
#include <iostream>
#include <random>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/atomic_file.h"
#include "catena/array/io/npy.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/dataset/image_file.h"
#include "catena/examples/support/drawing.h"
#include "catena/examples/support/shape_pictures.h"

namespace catena::examples {
namespace {

// Writes the pictures of one list, and the list. Returns their mean.
Array draw_list(const std::string& root, const std::string& name, int64_t count,
                int64_t size, std::mt19937& random) {
  std::filesystem::create_directories(root + "/" + name);
  const auto& shapes = shape_names();
  const Array sum = array::zeros({3, size, size});
  std::string lines;
  for (int64_t i = 0; i < count; ++i) {
    const size_t label = static_cast<size_t>(i) % shapes.size();
    const std::string path = str(name, "/", i, "_", shapes[label], ".jpg");
    const std::string file = root + "/" + path;
    const Array image = draw_random_shape(shapes[label], size, random);
    dataset::write_image(file, image / 255.0f);
    lines += str(path, " ", label, "\n");
    sum += dataset::read_image(file).transpose({2, 0, 1});  // compressed
  }
  array::AtomicFile list(root + "/" + name + ".txt", "draw_shape_files");
  list.write(lines);
  list.commit();
  return sum / static_cast<double>(count);
}

}  // namespace

PictureFiles draw_shape_files(const std::string& folder, int64_t size,
                              int64_t n_train) {
  const std::string root =
      str(folder, "/shapes_", size, "x", size, "_", n_train);
  PictureFiles files = {.train = root + "/train.txt",
                        .val = root + "/val.txt",
                        .root = root,
                        .mean = root + "/mean.npy"};
  if (std::filesystem::exists(files.mean)) return files;  // written last
  const DeviceScope host(native_device());
  std::cout << "# drawing shapes into " << root << std::endl;
  std::mt19937 random(1);
  const Array mean = draw_list(root, "train", n_train, size, random);
  draw_list(root, "val", n_train / 5, size, random);
  array::save_npy(files.mean, mean.astype(Dtype::kFloat32));
  return files;
}

}  // namespace catena::examples
