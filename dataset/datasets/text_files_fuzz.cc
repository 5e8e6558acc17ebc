// Fuzz target: reading any bytes with each line-based reader returns lines,
// words or tables, or throws an IoError.

#include "catena/array/core/error.h"
#include "catena/array/io/text_table.h"
#include "catena/dataset/datasets/image_dataset.h"
#include "catena/dataset/datasets/ptb.h"
#include "catena/dataset/datasets/tables.h"
#include "catena/dataset/datasets/text_dataset.h"
#include "catena/tests/support/memory_file.h"

namespace {

template <class Read>
void expect_value_or_io_error(Read read) {
  try {
    read();
  } catch (const catena::IoError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace datasets = catena::datasets;
  constexpr catena::LoadLimits kLimits = {.total_bytes = 1 << 22,
                                          .array_bytes = 1 << 20};
  static const catena::testing::MemoryFile file;
  const std::string path = file.with(data, size);
  expect_value_or_io_error(
      [&] { catena::array::loadtxt(path, {.limits = kLimits}); });
  expect_value_or_io_error(
      [&] { catena::array::read_table(path, {.limits = kLimits}); });
  expect_value_or_io_error(
      [&] { datasets::read_categorical_table(path, kLimits); });
  expect_value_or_io_error(
      [&] { datasets::read_labeled_image_paths(path, kLimits); });
  expect_value_or_io_error([&] { datasets::read_words(path, kLimits); });
  expect_value_or_io_error([&] {
    const datasets::TextDataset text({path}, {.limits = kLimits});
    for (int64_t i = 0; i < text.size(); ++i) text.lines(i);
  });
  return 0;
}
