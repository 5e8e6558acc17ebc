// Data sets, batches, iterators and files of images.

#include "catena/array/all.h"
#include "catena/array/io/zip_writer.h"
#include "catena/dataset/dataset.h"
#include "catena/tests/arguments/cases.h"
#include "catena/tests/arguments/small_inputs.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {
namespace {

using namespace datasets;  // NOLINT: each line would have it
using dataset::Batch;
using dataset::Example;
using dataset::ExampleStack;

int as_int(int64_t n) { return static_cast<int>(n); }

void touch_example(const Example& example) {
  for (int64_t i = 0; i < example.size(); ++i) touch(example[i]);
}
void touch_examples(const std::vector<Example>& examples) {
  for (const Example& example : examples) touch_example(example);
}
void touch_all(const dataset::DatasetMixin& dataset) {
  for (int64_t i = 0; i < dataset.size(); ++i) {
    touch_example(dataset.get_example(i));
  }
}

TupleDataset pairs() { return TupleDataset(floats({3, 2}), labels({3})); }
DictDataset named() {
  return DictDataset({{"x", floats({3, 2})}, {"t", labels({3})}});
}

// One file of each format.
class Files {
 public:
  Files() {
    dataset::write_image(path("a.png"), labels({3, 4, 4}).astype(kByte));
    write_file(path("lines.txt"), "one\ntwo\n");
    write_file(path("tokens.bin"), std::string("\1\0\2\0", 4));
    NpzDatasetWriter writer(path("a.npz"));
    writer.write({floats({2}), 1});
    writer.write({floats({2}), 2});
    writer.commit();
    array::AtomicFile file(path("images.zip"), "test");
    array::ZipWriter zip(file);
    zip.begin_member("a.png", 0).write(read_file(path("a.png")));
    zip.end_member();
    zip.finish();
    file.commit();
  }
  std::string path(const std::string& name) const { return folder_.file(name); }

 private:
  static constexpr Dtype kByte = Dtype::kUInt8;
  TempFolder folder_;
};

const Files& files() {
  static const Files files;
  return files;
}

const Tokenizer& bytes() {
  static const Tokenizer tokenizer = train_bpe("", {.vocabulary = 257});
  return tokenizer;
}

// A dataset of each kind, by the name of its class.
std::vector<std::pair<std::string, dataset::Dataset>> all_datasets() {
  const auto same = [](const Example& example) { return example; };
  const std::string image = files().path("a.png");
  const std::string zip = files().path("images.zip");
  return {
      {"datasets::TupleDataset", pairs()},
      {"datasets::DictDataset", named()},
      {"datasets::SubDataset", SubDataset(pairs(), 1, 3)},
      {"datasets::SubDataset", SubDataset(pairs(), 1, 3, array::arange(3))},
      {"datasets::TokenDataset", TokenDataset(array::arange(9), 3)},
      {"datasets::TransformDataset", TransformDataset(pairs(), same)},
      {"datasets::ConcatenatedDataset", ConcatenatedDataset(pairs(), pairs())},
      {"datasets::NpzDataset", NpzDataset(files().path("a.npz"))},
      {"datasets::TextDataset", TextDataset({files().path("lines.txt")})},
      {"datasets::ImageDataset", ImageDataset({image})},
      {"datasets::LabeledImageDataset", LabeledImageDataset({{image, 1}})},
      {"datasets::ZippedImageDataset", ZippedImageDataset(zip)},
      {"datasets::MultiZippedImageDataset", MultiZippedImageDataset({zip})},
  };
}

ArgumentCases examples() {
  const auto first = [] { return pairs().get_example(0); };
  ArgumentCases cases = {
      {"dataset::Dataset::operator[]", "index",
       [](int64_t n) { touch_example(dataset::Dataset(pairs())[n]); }},
      {"dataset::DatasetMixin::operator[]", "index",
       [](int64_t n) { touch_example(pairs()[n]); }},
      {"dataset::DatasetMixin::operator[]", "slice",
       [](const Slice& slice) { touch_examples(pairs()[slice]); }},
      {"dataset::DatasetMixin::operator[]", "indices",
       [](int64_t n) {
         touch_examples(pairs()[std::vector<int64_t>{0, n}]);
       }},
      {"datasets::TupleDataset::gather", "indices",
       [](const Array& at) { touch_example(pairs().gather(at).value()); }},
      {"datasets::DictDataset::gather", "indices",
       [](const Array& at) { touch_example(named().gather(at).value()); }},
      {"datasets::SubDataset::gather", "indices",
       [](const Array& at) {
         touch_example(SubDataset(pairs(), 1, 3).gather(at).value());
       }},
      {"datasets::SubDataset::gather", "indices",
       [](const Array& at) {
         const SubDataset part(pairs(), 1, 3, array::arange(3));
         touch_example(part.gather(at).value());
       }},
      {"datasets::TextDataset::lines", "i",
       [](int64_t n) { TextDataset({files().path("lines.txt")}).lines(n); }},
      {"dataset::Batch", "indices",
       [](const Array& at) { touch_examples(Batch(pairs(), at).examples()); }},
      {"dataset::Batch", "indices",
       [](const Array& at) {
         const auto gathered = Batch(pairs(), at).gather();
         if (gathered) touch_example(*gathered);
       }},
      {"dataset::Batch::index_in_dataset", "index",
       [](int64_t n) { Batch(pairs(), array::arange(3)).index_in_dataset(n); }},
      {"dataset::Batch::operator[]", "index",
       [](int64_t n) {
         touch_example(Batch(pairs(), array::arange(3))[n]);
         touch_example(Batch(pairs()[Slice()])[n]);
         touch_example(Batch::of_rows({floats({3, 2})})[n]);
       }},
      {"dataset::Batch::operator[]", "index",
       [](int64_t n) { touch_example(Batch(pairs()[Slice()])[n]); }},
      {"dataset::Batch::operator[]", "index",
       [](int64_t n) {
         touch_example(Batch::of_rows({floats({3, 2})})[n]);
       }},
      {"dataset::Batch::share", "first",
       [](int64_t n) {
         touch_examples(Batch(pairs()[Slice()]).share(n, 2).examples());
       }},
      {"dataset::Batch::share", "step",
       [](int64_t n) {
         touch_examples(
             Batch(pairs(), array::arange(3)).share(1, n).examples());
       }},
      {"dataset::Batch::with_indices", "indices",
       [](const Array& at) {
         Batch(pairs()[Slice()]).with_indices(at).index_in_dataset(0);
       }},
      {"dataset::Example::index_of", "index",
       [=](int64_t n) { first().index_of(n); }},
      {"dataset::Example::label", "index",
       [=](int64_t n) { first().label(n); }},
      {"dataset::Example::list", "index",
       [](int64_t n) {
         const Example example = {std::vector<Array>{floats({2})}};
         touch(example.list(n));
       }},
      {"dataset::Example::operator[]", "index",
       [=](int64_t n) { touch(first()[n]); }},
      {"dataset::ExampleStack", "count",
       [=](int64_t n) { touch_example(ExampleStack(first(), n).stacked()); }},
      {"dataset::ExampleStack::allocate", "shape",
       [](const Shape& shape) {
         return ExampleStack::allocate(shape, Dtype::kUInt8, native_device());
       }},
      {"dataset::ExampleStack::set", "row",
       [=](int64_t n) { ExampleStack(first(), 2).set(n, first()); }},
      {"dataset::ExampleStack::set_rows", "row",
       [=](int64_t n) {
         const Example rows = {floats({2, 2}), labels({2})};
         ExampleStack(first(), 2).set_rows(n, rows);
       }},
      {"dataset::Padding::of_field", "index",
       [](int64_t n) {
         dataset::Padding({Scalar(1), std::nullopt}).of_field(n, 2);
       }},
      {"dataset::Padding::of_field", "fields",
       [](int64_t n) {
         dataset::Padding({Scalar(1), std::nullopt}).of_field(0, n);
       }},
      {"dataset::concat_examples", "lists",
       [](int64_t n) {
         touch_example(
             dataset::concat_examples(pairs()[Slice()], {.lists = {n}}));
       }},
  };
  for (const auto& named : all_datasets()) {
    cases.push_back({named.first + "::get_example", "i",
                     [examples = named.second](int64_t n) {
                       touch_example(examples->get_example(n));
                     }});
  }
  return cases;
}

ArgumentCases parts() {
  const auto touch_pair = [](const DatasetPair& pair) {
    touch_all(pair.first);
    touch_all(pair.second);
  };
  const auto touch_parts = [](const std::vector<SubDataset>& parts) {
    for (const SubDataset& part : parts) touch_all(part);
  };
  return {
      {"datasets::TokenDataset", "length",
       [](int64_t n) { touch_all(TokenDataset(array::arange(9), n)); }},
      {"datasets::TokenDataset", "stride",
       [](int64_t n) {
         touch_all(TokenDataset(array::arange(9), 3, {.stride = n}));
       }},
      {"datasets::TokenDataset::gather", "indices",
       [](const Array& at) {
         touch_example(TokenDataset(array::arange(9), 3).gather(at).value());
       }},
      {"datasets::map_tokens", "vocabulary",
       [](int64_t n) {
         touch(map_tokens(files().path("tokens.bin"), {.vocabulary = n}));
       }},
      {"datasets::train_bpe", "vocabulary",
       [](int64_t n) { train_bpe("a a", {.vocabulary = n}); }},
      {"datasets::train_bpe", "min_count",
       [](int64_t n) { train_bpe("a a", {.min_count = n}); }},
      {"datasets::Tokenizer::decode", "ids",
       [](int64_t n) {
         const int32_t id = static_cast<int32_t>(n);
         bytes().decode({&id, 1});
       }},
      {"datasets::Tokenizer::token", "id",
       [](int64_t n) { bytes().token(static_cast<int32_t>(n)); }},
      {"datasets::Tokenizer::is_special", "id",
       [](int64_t n) { bytes().is_special(static_cast<int32_t>(n)); }},
      {"datasets::StreamDecoder::add", "id",
       [](int64_t n) { StreamDecoder(bytes()).add(static_cast<int32_t>(n)); }},
      {"datasets::SubDataset", "start",
       [](int64_t n) { touch_all(SubDataset(pairs(), n, 3)); }},
      {"datasets::SubDataset", "finish",
       [](int64_t n) { touch_all(SubDataset(pairs(), 1, n)); }},
      {"datasets::SubDataset", "order",
       [](const Array& order) { touch_all(SubDataset(pairs(), 0, 3, order)); }},
      {"datasets::TransformDataset", "seed",
       [](int64_t n) {
         const auto same = [](const Example& example,
                              array::random::Generator& /*generator*/) {
           return example;
         };
         touch_all(TransformDataset(pairs(), same, static_cast<uint64_t>(n)));
       }},
      {"datasets::split_dataset", "split_at",
       [=](int64_t n) { touch_pair(split_dataset(pairs(), n)); }},
      {"datasets::split_dataset", "order",
       [=](const Array& order) {
         touch_pair(split_dataset(pairs(), 1, order));
       }},
      {"datasets::split_dataset_random", "first_size",
       [=](int64_t n) { touch_pair(split_dataset_random(pairs(), n)); }},
      {"datasets::split_dataset_random", "seed",
       [=](int64_t n) {
         touch_pair(split_dataset_random(pairs(), 1, static_cast<uint64_t>(n)));
       }},
      {"datasets::split_dataset_n", "n",
       [=](int64_t n) { touch_parts(split_dataset_n(pairs(), n)); }},
      {"datasets::split_dataset_n_random", "n",
       [=](int64_t n) { touch_parts(split_dataset_n_random(pairs(), n)); }},
      {"datasets::split_dataset_n_random", "seed",
       [=](int64_t n) {
         touch_parts(
             split_dataset_n_random(pairs(), 2, static_cast<uint64_t>(n)));
       }},
      {"datasets::get_cross_validation_datasets", "n_fold",
       [=](int64_t n) {
         for (auto& fold : get_cross_validation_datasets(pairs(), n)) {
           touch_pair(fold);
         }
       }},
      {"datasets::get_cross_validation_datasets_random", "n_fold",
       [=](int64_t n) {
         for (auto& fold : get_cross_validation_datasets_random(pairs(), n)) {
           touch_pair(fold);
         }
       }},
      {"datasets::get_cross_validation_datasets_random", "seed",
       [=](int64_t n) {
         for (auto& fold : get_cross_validation_datasets_random(
                  pairs(), 2, static_cast<uint64_t>(n))) {
           touch_pair(fold);
         }
       }},
      {"datasets::get_breast_cancer", "label_ndim",
       [](int64_t n) { get_breast_cancer({.label_ndim = as_int(n)}); }},
      {"datasets::get_iris", "label_ndim",
       [](int64_t n) { get_iris({.label_ndim = as_int(n)}); }},
      {"datasets::get_wine", "label_ndim",
       [](int64_t n) { get_wine({.label_ndim = as_int(n)}); }},
      {"datasets::get_digits", "ndim",
       [](int64_t n) { get_digits({.ndim = as_int(n)}); }},
      {"datasets::get_shakespeare_words", "min_count",
       [](int64_t n) { get_shakespeare_words({.min_count = n}); }},
      {"datasets::get_shakespeare_words_vocabulary", "min_count",
       [](int64_t n) { get_shakespeare_words_vocabulary({.min_count = n}); }},
  };
}

ArgumentCases iterations() {
  using namespace iterators;  // NOLINT: each line would have it
  const auto touch_batch = [](auto&& iterator) {
    const auto batch = iterator.next();
    if (batch) touch_examples(batch->examples());
  };
  return {
      {"iterators::SerialIterator", "batch_size",
       [=](int64_t n) {
         touch_batch(SerialIterator(pairs(), n, {.repeat = false}));
       }},
      {"iterators::SerialIterator", "batch_size",
       [=](int64_t n) { touch_batch(SerialIterator(pairs(), n)); }},
      {"iterators::SerialIterator", "seed",
       [=](int64_t n) {
         touch_batch(
             SerialIterator(pairs(), 2, {.seed = static_cast<uint64_t>(n)}));
       }},
      {"iterators::SerialIterator", "order_sampler",
       [=](const Array& order) {
         const auto sampler = [=](const Array&, int64_t) { return order; };
         touch_batch(SerialIterator(pairs(), 2, {.order_sampler = sampler}));
       }},
      {"iterators::MultithreadIterator", "batch_size",
       [=](int64_t n) {
         touch_batch(MultithreadIterator(pairs(), n, {.repeat = false}));
       }},
      {"iterators::MultithreadIterator", "batch_size",
       [=](int64_t n) { touch_batch(MultithreadIterator(pairs(), n)); }},
      {"iterators::MultithreadIterator", "n_threads",
       [=](int64_t n) {
         touch_batch(MultithreadIterator(pairs(), 2, {.n_threads = n}));
       }},
      {"iterators::MultithreadIterator", "n_prefetch",
       [=](int64_t n) {
         touch_batch(MultithreadIterator(pairs(), 2, {.n_prefetch = n}));
       }},
      {"iterators::MultithreadIterator", "seed",
       [=](int64_t n) {
         touch_batch(MultithreadIterator(pairs(), 2,
                                         {.seed = static_cast<uint64_t>(n)}));
       }},
      {"iterators::MultiprocessIterator", "batch_size",
       [=](int64_t n) { touch_batch(MultiprocessIterator(pairs(), n)); }},
      {"iterators::MultiprocessIterator", "n_processes",
       [=](int64_t n) {
         touch_batch(MultiprocessIterator(pairs(), 2, {.n_processes = n}));
       }},
      {"iterators::MultiprocessIterator", "n_prefetch",
       [=](int64_t n) {
         touch_batch(MultiprocessIterator(pairs(), 2, {.n_prefetch = n}));
       }},
      {"iterators::MultiprocessIterator", "seed",
       [=](int64_t n) {
         touch_batch(MultiprocessIterator(pairs(), 2,
                                          {.seed = static_cast<uint64_t>(n)}));
       }},
      {"iterators::Sweeps", "dataset_size",
       [](int64_t n) {
         touch(Sweeps("sweeps", n, 2, {.shuffle = false}).next().value());
       }},
      {"iterators::Sweeps", "batch_size",
       [](int64_t n) { touch(Sweeps("sweeps", 3, n, {}).next().value()); }},
      {"iterators::Sweeps", "seed",
       [](int64_t n) {
         const SweepOptions options = {.seed = static_cast<uint64_t>(n)};
         touch(Sweeps("sweeps", 3, 2, options).next().value());
       }},
  };
}

ArgumentCases images() {
  // Nothing is there to be read.
  const std::string none = files().path("none");
  return {
      {"dataset::download", "max_bytes",
       [=](int64_t n) {
         dataset::download({"file://" + none}, files().path("to"),
                           {.max_bytes = n});
       }},
      {"dataset::cached_download", "max_bytes",
       [=](int64_t n) {
         dataset::cached_download("file://" + none, {.max_bytes = n});
       }},
      {"datasets::get_cifar10", "ndim",
       [=](int64_t n) { get_cifar10({.ndim = as_int(n), .data_dir = none}); }},
      {"datasets::get_cifar100", "ndim",
       [=](int64_t n) { get_cifar100({.ndim = as_int(n), .data_dir = none}); }},
      {"datasets::get_mnist", "ndim",
       [=](int64_t n) { get_mnist({.ndim = as_int(n), .data_dir = none}); }},
      {"datasets::get_fashion_mnist", "ndim",
       [=](int64_t n) {
         get_fashion_mnist({.ndim = as_int(n), .data_dir = none});
       }},
      {"datasets::get_kuzushiji_mnist", "ndim",
       [=](int64_t n) {
         get_kuzushiji_mnist({.ndim = as_int(n), .data_dir = none});
       }},
      {"dataset::write_image", "quality",
       [](int64_t n) {
         dataset::write_image(files().path("b.jpg"), floats({3, 4, 4}),
                              {.quality = n});
       }},
      {"dataset::write_image_grid", "columns",
       [](int64_t n) {
         dataset::write_image_grid(files().path("b.png"), floats({2, 3, 4, 4}),
                                   {.columns = n});
       }},
      {"dataset::write_image_grid", "padding",
       [](int64_t n) {
         dataset::write_image_grid(files().path("b.png"), floats({2, 3, 4, 4}),
                                   {.padding = n});
       }},
      {"dataset::write_image_grid", "quality",
       [](int64_t n) {
         dataset::write_image_grid(files().path("b.jpg"), floats({2, 3, 4, 4}),
                                   {.quality = n});
       }},
  };
}

}  // namespace

ArgumentCases dataset_cases() {
  ArgumentCases cases = examples();
  for (const ArgumentCases& more : {parts(), iterations(), images()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace catena::testing
