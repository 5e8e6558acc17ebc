// Rows gathered and scattered per second, as in embeddings, compared with a
// plain copy.

#include <benchmark/benchmark.h>

#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/take.h"

namespace catena {
namespace {

namespace xp = catena::array;

constexpr int64_t kRows = 50000;
constexpr int64_t kIndices = 20000;

struct Table {
  explicit Table(int64_t width)
      : rows(xp::zeros({kRows, width}, Dtype::kFloat32)),
        taken(xp::ones({kIndices, width}, Dtype::kFloat32)) {
    xp::random::Generator generator(1, native_device());
    indices = generator.randint(0, kRows, {kIndices});
  }
  Array rows;
  Array taken;
  Array indices;
};

void set_bytes(benchmark::State& state, const Table& table, int passes) {
  state.SetBytesProcessed(state.iterations() * passes * table.taken.nbytes());
}

void copy(benchmark::State& state) {
  const Table table(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(table.taken.copy());
  set_bytes(state, table, 2);
}

void take(benchmark::State& state) {
  const Table table(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(xp::take(table.rows, table.indices, 0));
  }
  set_bytes(state, table, 2);
}

void scatter_add(benchmark::State& state) {
  const Table table(state.range(0));
  for (auto _ : state) {
    xp::scatter_add(table.rows, table.indices, 0, table.taken);
  }
  set_bytes(state, table, 3);
}

void widths(benchmark::internal::Benchmark* b) {
  b->Arg(1)->Arg(17)->Arg(256)->UseRealTime();
}

BENCHMARK(copy)->Apply(widths);
BENCHMARK(take)->Apply(widths);
BENCHMARK(scatter_add)->Apply(widths);

}  // namespace
}  // namespace catena
