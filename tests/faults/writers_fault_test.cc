// Writers of every format while each of their calls fails: the folder has the
// old file or the new one, whole, and nothing else.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/npy.h"
#include "catena/array/io/npy_writer.h"
#include "catena/array/io/npz.h"
#include "catena/array/io/text_table.h"
#include "catena/array/io/tofile.h"
#include "catena/dataset/datasets/npz_dataset.h"
#include "catena/dataset/download.h"
#include "catena/dataset/image_file.h"
#include "catena/dataset/tokenizers/tokenizer_file.h"
#include "catena/dataset/tokenizers/train_bpe.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/serializers/npz.h"
#include "catena/serializers/safetensors.h"
#include "catena/tests/faults/writing_trial.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {
namespace {

TEST(WritersFaultTest, WritersOfArraysLeaveTheOldFileOrTheNew) {
  const Array matrix = array::arange(6, Dtype::kFloat32).reshape({2, 3});
  array::NpzItems items = {{"text", std::string("words")}};
  for (int i = 0; i < 40; ++i) items.emplace_back(str("x", i), matrix);
  const Shape row = {3};
  expect_faults_do_no_harm({
      writer("save_npy", "a.npy",
             [=](const auto& path) { array::save_npy(path, matrix); }),
      writer("NpyWriter", "a.npy",
             [=](const auto& path) {
               array::NpyWriter file(path, Dtype::kFloat32, row);
               file.write(matrix);
               file.commit();
             }),
      writer("savez", "a.npz",
             [=](const auto& path) { array::savez(path, items); }),
      writer("savez_compressed", "a.npz",
             [=](const auto& path) { array::savez_compressed(path, items); }),
      writer("savetxt", "a.txt",
             [=](const auto& path) { array::savetxt(path, matrix); }),
      writer("tofile", "a.bin",
             [=](const auto& path) { array::tofile(matrix, path); }),
  });
}

TEST(WritersFaultTest, SavingALinkLeavesTheOldFileOrTheNew) {
  const auto link = std::make_shared<ChainList>();
  for (int i = 0; i < 6; ++i) link->append(links::Linear(3, 2));
  expect_faults_do_no_harm(
      writer("save_npz", "link.npz",
             [=](const auto& path) { serializers::save_npz(path, *link); }));
  expect_faults_do_no_harm(writer("save_safetensors", "link.safetensors",
                                  [=](const auto& path) {
                                    serializers::save_safetensors(path, *link);
                                  }),
                           kFaultsButNew);
}

TEST(WritersFaultTest, WritersOfDatasetsLeaveTheOldFileOrTheNew) {
  const Array image = array::arange(48, Dtype::kUInt8).reshape({3, 4, 4});
  const dataset::Example example = {image, 3};
  expect_faults_do_no_harm({
      writer("write_image of a PNG", "a.png",
             [=](const auto& path) { dataset::write_image(path, image); }),
      writer("write_image of a JPEG", "a.jpg",
             [=](const auto& path) { dataset::write_image(path, image); }),
      writer("NpzDatasetWriter", "a.npz",
             [=](const auto& path) {
               datasets::NpzDatasetWriter file(path);
               for (int i = 0; i < 10; ++i) file.write(example);
               file.commit();
             }),
  });
  expect_faults_do_no_harm(
      writer(
          "save_tokenizer", "tokenizer.json",
          [tokenizer = datasets::train_bpe("a a", {.vocabulary = 258})](
              const auto& path) { datasets::save_tokenizer(path, tokenizer); }),
      kFaultsButNew);
}

// A file is downloaded with a URL of the scheme "file", since a server would be
// hit by the faults, too.
TEST(WritersFaultTest, ADownloadIsThereWholeOrNotAtAll) {
  const TempFolder source;
  write_file(source.file("data"), std::string(100000, 'x'));
  const std::vector<std::string> urls = {"file://" + source.file("data")};
  expect_faults_do_no_harm(writer("download", "a.bin", [=](const auto& path) {
    dataset::download(urls, path);
  }));
}

}  // namespace
}  // namespace catena::testing
