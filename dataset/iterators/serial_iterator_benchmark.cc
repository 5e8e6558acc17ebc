// A minibatch of 100 images from shuffled whole arrays, beside one example at a
// time; the bytes are those of the images, read once and written once.

#include <benchmark/benchmark.h>

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

}  // namespace
}  // namespace catena::iterators
