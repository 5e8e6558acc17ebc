#include "catena/examples/mnist/digit_images.h"

#include "catena/array/core/error.h"
#include "catena/dataset/datasets/digits.h"
#include "catena/dataset/datasets/mnist.h"

namespace catena::examples {

std::pair<datasets::TupleDataset, datasets::TupleDataset> load_digit_images(
    const std::string& dataset, const std::string& data_dir, int ndim) {
  if (dataset == "digits") return datasets::get_digits({.ndim = ndim});
  if (dataset == "mnist") {
    return datasets::get_mnist({.ndim = ndim, .data_dir = data_dir});
  }
  raise<ValueError>("--dataset: expected digits or mnist, got '", dataset, "'");
}

}  // namespace catena::examples
