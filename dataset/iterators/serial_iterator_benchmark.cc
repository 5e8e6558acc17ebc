// A minibatch of 100 images from shuffled whole arrays, compared with one
// example at a time; bytes count each image read once and written once.

#include <benchmark/benchmark.h>

#include <cstring>

#include "catena/array/creation.h"
#include "catena/dataset/convert.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/serial_iterator.h"

namespace catena::iterators {
namespace {

constexpr int64_t kBatch = 100;

datasets::TupleDataset images(int64_t count) {
  return datasets::TupleDataset(array::zeros({count, 784}, Dtype::kFloat32),
                                array::zeros({count}, Dtype::kInt32));
}

void set_bytes(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * kBatch * 784 * 4 * 2);
}

void whole_arrays(benchmark::State& state) {
  SerialIterator iterator(images(state.range(0)), kBatch, {.seed = 0});
  for (auto _ : state) {
    benchmark::DoNotOptimize(dataset::concat_examples(*iterator.next()));
  }
  set_bytes(state);
}
BENCHMARK(whole_arrays)->Arg(1'437)->Arg(10'000)->Arg(60'000)->UseRealTime();

void one_by_one(benchmark::State& state) {
  SerialIterator iterator(images(state.range(0)), kBatch, {.seed = 0});
  for (auto _ : state) {
    const dataset::Batch examples = iterator.next()->examples();
    benchmark::DoNotOptimize(dataset::concat_examples(examples));
  }
  set_bytes(state);
}
BENCHMARK(one_by_one)->Arg(10'000)->UseRealTime();

// A sweep over a million rows of 256 bytes, in order and shuffled, compared
// with a plain copy of the same size.
constexpr int64_t kMillion = 1'000'000;
constexpr int64_t kRow = 64;

void set_sweep(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * kMillion);
  state.SetBytesProcessed(state.iterations() * kMillion * kRow * 4 * 2);
}

void million_rows(benchmark::State& state, bool shuffle) {
  const Array rows = array::zeros({kMillion, kRow}, Dtype::kFloat32);
  SerialIterator iterator(rows, 1000,
                          {.repeat = false, .shuffle = shuffle, .seed = 0});
  for (auto _ : state) {
    for (const dataset::Batch& batch : iterator) {
      benchmark::DoNotOptimize(dataset::concat_examples(batch));
    }
    iterator.reset();
  }
  set_sweep(state);
}
BENCHMARK_CAPTURE(million_rows, in_order, false)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(million_rows, shuffled, true)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void million_rows_memcpy(benchmark::State& state) {
  const Array rows = array::zeros({kMillion, kRow}, Dtype::kFloat32);
  const Array batch = array::zeros({1000, kRow}, Dtype::kFloat32);
  for (auto _ : state) {
    for (int64_t i = 0; i < kMillion; i += 1000) {
      std::memcpy(batch.raw_data(), rows.raw_data() + i * kRow * 4,
                  batch.nbytes());
      benchmark::ClobberMemory();
    }
  }
  set_sweep(state);
}
BENCHMARK(million_rows_memcpy)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace catena::iterators
