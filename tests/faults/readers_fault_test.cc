// Readers of every format while each of their calls fails.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/npy.h"
#include "catena/array/io/npy_map.h"
#include "catena/array/io/npz.h"
#include "catena/array/io/text_table.h"
#include "catena/array/io/zip_writer.h"
#include "catena/dataset/datasets/cifar.h"
#include "catena/dataset/datasets/image_dataset.h"
#include "catena/dataset/datasets/npz_dataset.h"
#include "catena/dataset/datasets/ptb.h"
#include "catena/dataset/datasets/tables.h"
#include "catena/dataset/datasets/text_dataset.h"
#include "catena/dataset/idx.h"
#include "catena/dataset/image_file.h"
#include "catena/dataset/mat_file.h"
#include "catena/dataset/testing/file_builders.h"
#include "catena/dataset/testing/idx_files.h"
#include "catena/dataset/tokenizers/token_file.h"
#include "catena/dataset/tokenizers/tokenizer_file.h"
#include "catena/dataset/tokenizers/vocab_bpe.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/serializers/dictionary.h"
#include "catena/serializers/npz.h"
#include "catena/serializers/safetensors.h"
#include "catena/tests/faults/bits.h"
#include "catena/tests/faults/fault_matrix.h"
#include "catena/tests/support/gzip.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/extensions/snapshot.h"

namespace catena::testing {
namespace {

ChainList layers() {
  ChainList link;
  for (int i = 0; i < 12; ++i) link.append(links::Linear(3, 2));
  return link;
}

// One file of each format.
class Files {
 public:
  Files() {
    const Array matrix = array::arange(6, Dtype::kFloat32).reshape({2, 3});
    const Array image = array::arange(48, Dtype::kUInt8).reshape({3, 4, 4});
    array::save_npy(path("a.npy"), matrix);
    array::NpzItems items = {{"text", std::string("words")}};
    for (int i = 0; i < 150; ++i) items.emplace_back(str("x", i), matrix);
    array::savez_compressed(path("a.npz"), items);
    array::savetxt(path("a.txt"), matrix);
    write_file(path("table.csv"), "x,word\n1,one\n2,\"two, too\"\n");
    write_file(path("lines.txt.gz"), gzip("a b\nc d\n"));
    write_file(path("lines.txt"), "a b\nc d\n");
    write_file(path("images.idx.gz"),
               gzip(idx_images(2, 1, 3, std::string("\0\1\2\3\4\5", 6))));
    const MatBuilder mat;
    write_file(path("a.mat"),
               mat.header() +
                   mat.compressed(mat.matrix(
                       "A", 6, {1, 2}, mat.element(9, std::string(16, '\1')))));
    dataset::write_image(path("a.png"), image);
    dataset::write_image(path("a.jpg"), image);
    write_file(path("paths.txt"), "a.png 1\na.jpg 0\n");
    write_file(path("tokens.bin"), std::string("\1\0\2\0", 4));
    write_file(path("vocab.bpe.gz"), gzip("#version: 0.2\na b\nab c\n"));
    write_file(
        path("tokenizer.json"),
        R"({"added_tokens": [{"id": 1, "content": "[CLS]", "special": true}],
            "normalizer": {"type": "NFC"},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {"type": "BertProcessing", "sep": ["[CLS]", 1],
                               "cls": ["[CLS]", 1]},
            "decoder": {"type": "WordPiece"},
            "model": {"type": "WordPiece", "unk_token": "[UNK]",
                      "vocab": {"[UNK]": 0, "[CLS]": 1, "a": 2, "##b": 3}}})");
    write_zip();
    write_cifar();
    datasets::NpzDatasetWriter dataset(path("dataset.npz"));
    for (int i = 0; i < 50; ++i) dataset.write({matrix, i});
    dataset.commit();
    ChainList link = layers();
    serializers::save_npz(path("link.npz"), link);
    serializers::save_safetensors(path("link.safetensors"), link);
    serializers::save_npz(path("snapshot_iter_1"), link);
    write_file(path("snapshot_iter_2"), "damaged");
  }

  std::string path(const std::string& name) const { return folder_.file(name); }
  const std::string& folder() const { return folder_.path(); }

 private:
  void write_zip() const {
    array::AtomicFile file(path("images.zip"), "test");
    array::ZipWriter zip(file);
    zip.begin_member("a.png", 0).write(read_file(path("a.png")));
    zip.end_member();
    zip.finish();
    file.commit();
  }

  void write_cifar() const {
    std::string archive;
    for (const char* name :
         {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
          "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"}) {
      archive += tar_member(std::string("cifar-10-batches-bin/") + name,
                            std::string(3073, '\1'));
    }
    write_file(path("cifar-10-binary.tar.gz"), gzip(archive + tar_end()));
  }

  TempFolder folder_;
};

const Files& files() {
  static const Files files;
  return files;
}

// Loads into a link with other values.
template <class Load>
class LoadingTrial final : public FaultTrial {
 public:
  explicit LoadingTrial(Load load) : load_(std::move(load)) {
    for (const auto& [path, param] : link_.namedparams()) {
      param.data().fill(7);
    }
  }
  void run() override { load_(link_); }
  std::string state() override { return bits_of(link_); }

 private:
  Load load_;
  ChainList link_ = layers();
};

template <class Load>
MakeTrial loading(Load load) {
  return [load] { return std::make_unique<LoadingTrial<Load>>(load); };
}

// A reader of an array or a text. What a trial passes to it is made before,
// since the test's own allocations would fail, too.
template <class Read, class... Arguments>
FaultSubject reader(std::string name, Read read, Arguments... arguments) {
  return {std::move(name), reading([=] {
            const auto value = read(arguments...);
            const NoFaults suspended;
            return bits_of(value);
          })};
}

std::vector<std::string> tokens_of(const datasets::Tokenizer& tokenizer) {
  const NoFaults suspended;
  std::vector<std::string> tokens;
  for (int64_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    tokens.push_back(tokenizer.token(static_cast<int32_t>(id)));
  }
  return tokens;
}

// A reader of a dataset, which may read its examples later.
template <class Read, class... Arguments>
FaultSubject dataset_reader(std::string name, Read read,
                            Arguments... arguments) {
  return {std::move(name), reading([=] {
            decltype(auto) examples = read(arguments...);
            std::vector<dataset::Example> all;
            {
              const NoFaults suspended;
              all.resize(static_cast<size_t>(examples.size()));
            }
            for (size_t i = 0; i < all.size(); ++i) {
              all[i] = examples.get_example(static_cast<int64_t>(i));
            }
            const NoFaults suspended;
            std::string bits;
            for (const dataset::Example& example : all)
              bits += bits_of(example);
            return bits;
          })};
}

using Path = std::string;

std::vector<FaultSubject> array_readers() {
  return {
      reader(
          "load_npy", [](const Path& path) { return array::load_npy(path); },
          files().path("a.npy")),
      reader(
          "map_npy", [](const Path& path) { return array::map_npy(path); },
          files().path("a.npy")),
      reader(
          "load_npz", [](const Path& path) { return array::load_npz(path); },
          files().path("a.npz")),
      reader(
          "loadtxt", [](const Path& path) { return array::loadtxt(path); },
          files().path("a.txt")),
      reader(
          "read_table",
          [](const Path& path) { return array::read_table(path); },
          files().path("table.csv")),
  };
}

std::vector<FaultSubject> serializer_readers() {
  return {
      {"serializers::load_npz",
       loading([path = files().path("link.npz")](Link& link) {
         serializers::load_npz(path, link);
       })},
      {"DictionaryDeserializer",
       loading(
           [contents = array::load_npz(files().path("link.npz"))](Link& link) {
             std::optional<serializers::DictionaryDeserializer> source;
             {
               const NoFaults suspended;
               source.emplace(contents);
             }
             source->load(link);
           })},
      {"latest_snapshot",
       reading([folder = files().folder(),
                name = Path("snapshot_iter_{.updater.iteration}")] {
         return training::extensions::latest_snapshot(folder, name);
       })},
  };
}

std::vector<FaultSubject> dataset_readers() {
  return {
      reader(
          "read_idx", [](const Path& path) { return dataset::read_idx(path); },
          files().path("images.idx.gz")),
      reader(
          "map_tokens",
          [](const Path& path) { return datasets::map_tokens(path); },
          files().path("tokens.bin")),
      reader(
          "read_mat",
          [](const Path& path) {
            return dataset::read_mat(path).begin()->second;
          },
          files().path("a.mat")),
      reader(
          "read_image of a PNG",
          [](const Path& path) { return dataset::read_image(path); },
          files().path("a.png")),
      reader(
          "read_image of a JPEG",
          [](const Path& path) { return dataset::read_image(path); },
          files().path("a.jpg")),
      reader(
          "read_words",
          [](const Path& path) { return datasets::read_words(path); },
          files().path("lines.txt.gz")),
      reader(
          "read_image_paths",
          [](const Path& path) { return datasets::read_image_paths(path); },
          files().path("paths.txt")),
      reader(
          "read_categorical_table",
          [](const Path& path) {
            return datasets::read_categorical_table(path).codes;
          },
          files().path("table.csv")),
      dataset_reader(
          "TextDataset",
          [](const std::vector<Path>& paths) {
            return datasets::TextDataset(paths);
          },
          std::vector{files().path("lines.txt")}),
      dataset_reader(
          "NpzDataset",
          [](const Path& path) { return datasets::NpzDataset(path); },
          files().path("dataset.npz")),
      dataset_reader(
          "ImageDataset",
          [](const datasets::ImageDataset& images)
              -> const datasets::ImageDataset& { return images; },
          datasets::ImageDataset(
              {files().path("a.png"), files().path("a.jpg")})),
      dataset_reader(
          "ZippedImageDataset",
          [](const Path& path) { return datasets::ZippedImageDataset(path); },
          files().path("images.zip")),
      dataset_reader(
          "get_cifar10",
          [](const datasets::GetCifarOptions& options) {
            return datasets::get_cifar10(options).first;
          },
          datasets::GetCifarOptions{.data_dir = files().folder()}),
      dataset_reader("get_iris", [] { return datasets::get_iris(); }),
  };
}

TEST(ReadersFaultTest, ReadersOfArraysGiveAnErrorOrTheArray) {
  expect_faults_do_no_harm(array_readers());
}

TEST(ReadersFaultTest, ALinkIsLoadedWholeOrNotAtAll) {
  expect_faults_do_no_harm(serializer_readers());
  expect_faults_do_no_harm(
      {"load_safetensors",
       loading([path = files().path("link.safetensors")](Link& link) {
         serializers::load_safetensors(path, link);
       })},
      kFaultsButNew);
}

TEST(ReadersFaultTest, ReadersOfDatasetsGiveAnErrorOrTheExamples) {
  expect_faults_do_no_harm(dataset_readers());
  expect_faults_do_no_harm(
      reader(
          "read_tokenizer",
          [](const Path& path) {
            return tokens_of(datasets::read_tokenizer(path));
          },
          files().path("tokenizer.json")),
      kFaultsButNew);
  expect_faults_do_no_harm(
      reader(
          "read_vocab_bpe",
          [](const Path& path) {
            return tokens_of(datasets::read_vocab_bpe(path));
          },
          files().path("vocab.bpe.gz")),
      kFaultsButNew);
}

}  // namespace
}  // namespace catena::testing
