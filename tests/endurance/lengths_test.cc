// Texts of a thousand lengths, which must not take more and more memory.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "catena/array/core/memory_pool.h"
#include "catena/array/random/random.h"
#include "catena/functions/attention/attention.h"
#include "catena/functions/math/sum.h"
#include "catena/links/model/gpt2.h"
#include "catena/tests/endurance/resident_bytes.h"

// Returns freed memory to the system quickly, so that it does not count as
// used.
extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=4";
}

namespace catena {
namespace {

constexpr int64_t kLengths = 1000;

// All lengths, in an order that jumps: 389 and 1,000 have no common divisor.
int64_t length(int64_t i) { return 1 + (i * 389 + 500) % kLengths; }

// Calls a function with a thousand lengths after a few to warm up, the longest
// among them, and expects that it leaves nothing behind.
template <class Function>
void expect_flat_memory(const Function& function) {
  for (int64_t i = 0; i < 50; ++i) function(kLengths - 20 * i);
  cpu::free_all_blocks();
  function(kLengths);
  const MemoryPoolStatistics warm = cpu::memory_pool_statistics();
  const int64_t warm_resident = testing::resident_bytes();
  for (int64_t i = 0; i < kLengths; ++i) function(length(i));
  const MemoryPoolStatistics end = cpu::memory_pool_statistics();
  // A leak of 64 bytes for each length would show.
  EXPECT_LT(end.used_bytes - warm.used_bytes, 64 * kLengths);
  constexpr int64_t kMiB = 1 << 20;
  EXPECT_LT(end.total_bytes() - warm.total_bytes(), 8 * kMiB);
#ifndef __SANITIZE_THREAD__  // which has its own bookkeeping
  EXPECT_LT(testing::resident_bytes() - warm_resident, 8 * kMiB);
#endif
}

TEST(LengthsTest, AttentionLeavesNothingBehind) {
  array::random::seed(0);
  const auto input = [](int64_t count) {
    return Variable(
        array::random::normal(0, 1, {1, 2, count, 4}, Dtype::kFloat32));
  };
  expect_flat_memory([&](int64_t count) {
    const Variable q = input(count);
    const Variable k = input(count);
    const Variable v = input(count);
    functions::sum(functions::attention(q, k, v, {.causal = true})).backward();
    ASSERT_EQ(k.grad().shape(), k.shape());
  });
}

TEST(LengthsTest, GeneratingWithCachesLeavesNothingBehind) {
  array::random::seed(0);
  links::Gpt2 model({.vocabulary = 20,
                     .context = kLengths + 3,
                     .units = 8,
                     .heads = 2,
                     .layers = 2});
  expect_flat_memory([&](int64_t count) {
    const std::vector<int32_t> prompt(count, 7);
    const links::Generation text =
        links::generate(model, prompt, {.max_tokens = 3});
    ASSERT_EQ(text.ids.size(), 3u);
  });
}

}  // namespace
}  // namespace catena
