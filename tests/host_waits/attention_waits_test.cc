// Attention and what goes with it on an emulated GPU: the host never waits.

#include <gmock/gmock.h>

#include <cstdint>

#include "catena/array/core/device.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/autograd/variable.h"
#include "catena/cuda/emulation/runtime.h"
#include "catena/functions/attention/attention.h"
#include "catena/functions/attention/key_value_cache.h"
#include "catena/functions/attention/rotary_embedding.h"

namespace catena {
namespace {

namespace F = functions;

constexpr Device kGpu = cuda_device(0);

// The host's waits in a call after the first, which allocates.
template <class Call>
int64_t waits_of_second(const Call& call) {
  const DeviceScope scope(kGpu);
  call();
  const int64_t before = cuda::emulation::host_waits();
  call();
  return cuda::emulation::host_waits() - before;
}

Array numbers(const Shape& shape, Dtype dtype = Dtype::kFloat32) {
  return array::random::uniform(-1, 1, shape, dtype, kGpu);
}

void differentiate(const Variable& y) {
  y.set_grad(array::ones(y.shape(), y.dtype()));
  y.backward();
}

TEST(AttentionWaitsTest, BothWaysWithAllOptions) {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kBFloat16}) {
    const Array lengths =
        array::array({3, 9}, Dtype::kInt32).to_device(native_device());
    EXPECT_EQ(waits_of_second([&] {
                const Variable q(numbers({2, 4, 5, 8}, dtype));
                const Variable k(numbers({2, 2, 9, 8}, dtype));
                const Variable v(numbers({2, 2, 9, 8}, dtype));
                differentiate(F::attention(q, k, v,
                                           {.causal = true,
                                            .window = 6,
                                            .mask = numbers({5, 9}),
                                            .lengths = lengths,
                                            .alibi_slopes = numbers({4}),
                                            .soft_cap = 5,
                                            .dropout = 0.25}));
              }),
              0);
  }
}

TEST(AttentionWaitsTest, RotaryEmbeddingOfPositionsOfTheHost) {
  EXPECT_EQ(waits_of_second([] {
              const F::RotaryTables tables = F::rotary_tables(
                  array::arange(5, std::nullopt, native_device()), 8);
              const Variable x(numbers({2, 4, 5, 8}));
              differentiate(F::rotary_embedding(x, tables));
            }),
            0);
}

TEST(AttentionWaitsTest, KeyValueCache) {
  EXPECT_EQ(waits_of_second([] {
              F::KeyValueCache cache(
                  {.batch = 1, .heads = 2, .size = 8, .capacity = 6});
              for (const int64_t count : {3, 1, 1}) {
                const Array x = numbers({1, 2, count, 8});
                cache.append(x, x);
                F::attention(x, cache.keys(), cache.values(), {.causal = true});
              }
              cache.cut(2);
              const F::KeyValueCache copy = cache;
            }),
            0);
}

}  // namespace
}  // namespace catena
