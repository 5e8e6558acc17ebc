// Examples per second in minibatches of 100, for a dataset that is cheap to
// read and one that is not, in this thread and in others.

#include <benchmark/benchmark.h>

#include <cmath>

#include "catena/array/creation.h"
#include "catena/dataset/convert.h"
#include "catena/dataset/datasets/transform_dataset.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/multithread_iterator.h"
#include "catena/dataset/iterators/serial_iterator.h"

namespace catena::iterators {
namespace {

constexpr int64_t kBatch = 100;
constexpr int64_t kExamples = 20'000;
constexpr int64_t kPixels = 784;

datasets::TupleDataset images() {
  return datasets::TupleDataset(
      array::zeros({kExamples, kPixels}, Dtype::kFloat32),
      array::zeros({kExamples}, Dtype::kInt32));
}

// The identity: the overhead of a transform.
dataset::Example cheap(const dataset::Example& example) { return example; }

// About 50 microseconds of arithmetic, like decoding or augmenting an image.
dataset::Example expensive(const dataset::Example& example) {
  const Array x = example[0].copy();
  float* pixel = x.data<float>();
  for (int repetition = 0; repetition < 10; ++repetition) {
    for (int64_t i = 0; i < kPixels; ++i) {
      pixel[i] = std::sin(pixel[i] + static_cast<float>(i));
    }
  }
  return dataset::Example({x, example[1]});
}

using Transform = dataset::Example (*)(const dataset::Example&);

void drain(benchmark::State& state, dataset::Iterator& iterator) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(dataset::concat_examples(*iterator.next()));
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
}

void serial(benchmark::State& state, Transform transform) {
  SerialIterator iterator(datasets::TransformDataset(images(), transform),
                          kBatch, {.seed = 0});
  drain(state, iterator);
}
BENCHMARK_CAPTURE(serial, cheap_transform, cheap)->UseRealTime();
BENCHMARK_CAPTURE(serial, expensive_transform, expensive)->UseRealTime();

void multithread(benchmark::State& state, Transform transform) {
  MultithreadIterator iterator(datasets::TransformDataset(images(), transform),
                               kBatch,
                               {.n_threads = state.range(0), .seed = 0});
  drain(state, iterator);
}
BENCHMARK_CAPTURE(multithread, cheap_transform, cheap)
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime();
BENCHMARK_CAPTURE(multithread, expensive_transform, expensive)
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime();

// Whole arrays, which need no threads: the overhead of the handover.
void multithread_whole_arrays(benchmark::State& state) {
  MultithreadIterator iterator(images(), kBatch,
                               {.n_threads = state.range(0), .seed = 0});
  drain(state, iterator);
}
BENCHMARK(multithread_whole_arrays)->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
}  // namespace catena::iterators
