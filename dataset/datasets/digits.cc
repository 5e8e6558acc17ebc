#include "catena/dataset/datasets/digits.h"

#include <new>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/index.h"
#include "catena/array/io/text_table.h"
#include "catena/array/random/random.h"
#include "catena/array/take.h"
#include "catena/dataset/data_file.h"
#include "catena/dataset/datasets/image_arrays.h"

namespace catena::datasets {
namespace {

constexpr int64_t kCount = 1797;
constexpr int64_t kTrain = 1437;
constexpr int64_t kSide = 8;
constexpr double kLargest = 16;

}  // namespace

std::pair<TupleDataset, TupleDataset> get_digits(
    const GetDigitsOptions& options) try {
  const std::string path =
      dataset::find_data_file("dataset/data/digits.csv.gz");
  const Array table = array::loadtxt(path, {.delimiter = ',', .min_dims = 2})
                          .to_device(native_device());
  if (table.shape() != Shape{kCount, kSide * kSide + 1}) {
    raise<IoError>("get_digits: '", path, "': expected a table of shape ",
                   Shape{kCount, kSide * kSide + 1}, ", got ", table.shape());
  }
  // Consecutive digits in the file are by the same writer: without shuffling,
  // no writer would be in both the training and the test part.
  const Array order =
      array::random::Generator(0, native_device()).permutation(kCount);
  const Array rows = array::take(table, order, 0);
  const ImageFormat format{.withlabel = options.withlabel,
                           .ndim = options.ndim,
                           .scale = options.scale,
                           .dtype = options.dtype,
                           .label_dtype = options.label_dtype};
  const auto part = [&](int64_t begin, int64_t end) {
    const Array pixels = rows[{Slice(begin, end), Slice(kSide * kSide)}];
    return image_dataset(pixels.reshape({end - begin, kSide, kSide}),
                         rows[{Slice(begin, end), kSide * kSide}], kLargest,
                         format, "get_digits");
  };
  return {part(0, kTrain), part(kTrain, kCount)};
} catch (const std::bad_alloc&) {
  raise_out_of_memory("get_digits");
}

}  // namespace catena::datasets
