#include "catena/functions/attention/key_value_cache.h"

#include <gmock/gmock.h>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/attention/attention.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class KeyValueCacheTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(KeyValueCache, KeyValueCacheTest,
                         testing::every_device(), testing::device_name);

KeyValueCacheOptions small() {
  return {.batch = 2, .heads = 3, .size = 4, .capacity = 5};
}

Array entries(int64_t count, uint64_t seed) {
  return testing::uniform({2, 3, count, 4}, -1, 1, Dtype::kFloat32, seed);
}

TEST_P(KeyValueCacheTest, KeepsWhatIsAppended) {
  KeyValueCache cache(small());
  EXPECT_EQ(cache.keys().shape(), Shape({2, 3, 0, 4}));
  cache.append(entries(2, 1), entries(2, 2));
  const Array before = cache.keys();
  cache.append(entries(3, 3), entries(3, 4));
  EXPECT_EQ(cache.length(), 5);
  EXPECT_THAT(before, testing::IsArray(entries(2, 1)));
  EXPECT_THAT(cache.keys(), testing::IsArray(array::concatenate(
                                {entries(2, 1), entries(3, 3)}, 2)));
  EXPECT_THAT(cache.values(), testing::IsArray(array::concatenate(
                                  {entries(2, 2), entries(3, 4)}, 2)));
}

TEST_P(KeyValueCacheTest, CopiesGoOnByThemselves) {
  KeyValueCache cache(small());
  cache.append(entries(2, 1), entries(2, 2));
  KeyValueCache other = cache;
  cache.append(entries(1, 3), entries(1, 4));
  other.append(entries(1, 5), entries(1, 6));
  EXPECT_THAT(cache.keys(), testing::IsArray(array::concatenate(
                                {entries(2, 1), entries(1, 3)}, 2)));
  EXPECT_THAT(other.keys(), testing::IsArray(array::concatenate(
                                {entries(2, 1), entries(1, 5)}, 2)));
  other.cut(1);
  EXPECT_EQ(other.values().shape(), Shape({2, 3, 1, 4}));
  other = cache;
  other.cut(0);
  EXPECT_EQ(cache.length(), 3);
}

// One token after the other gives what the whole sequence gives.
TEST_P(KeyValueCacheTest, AttentionWithItGoesOnWhereItStopped) {
  const Array q = entries(5, 1);
  const Array k = entries(5, 2);
  const Array v = entries(5, 3);
  const Array whole = attention(q, k, v, {.causal = true}).data();
  KeyValueCache cache(small());
  for (int64_t i = 0; i < 5; ++i) {
    const auto token = [i](const Array& x) {
      return x[{Slice(), Slice(), Slice(i, i + 1)}];
    };
    cache.append(token(k), token(v));
    const Variable y =
        attention(token(q), cache.keys(), cache.values(), {.causal = true});
    EXPECT_THAT(y.data(), testing::IsClose(token(whole)));
  }
}

TEST_P(KeyValueCacheTest, RefusesWhatDoesNotFitAndStaysAsItWas) {
  KeyValueCache cache(small());
  cache.append(entries(4, 1), entries(4, 2));
  EXPECT_THAT(
      error_of<ValueError>([&] { cache.append(entries(2, 1), entries(2, 2)); }),
      HasSubstr("at most 1 more keys, since 4 of 5 are there, got 2"));
  EXPECT_THAT(
      error_of<ShapeError>([&] { cache.append(entries(1, 1), entries(0, 2)); }),
      HasSubstr("as many values as keys, 1, got 0"));
  EXPECT_THAT(error_of<ShapeError>([&] {
                cache.append(array::zeros({2, 3, 1, 5}, Dtype::kFloat32),
                             entries(1, 2));
              }),
              HasSubstr("keys (2, 3, T, 4), got (2, 3, 1, 5)"));
  EXPECT_THAT(error_of<DtypeError>([&] {
                cache.append(entries(1, 1),
                             array::zeros({2, 3, 1, 4}, Dtype::kFloat64));
              }),
              HasSubstr("values of float32, got float64"));
  EXPECT_THAT(error_of<ValueError>([&] { cache.cut(5); }),
              HasSubstr("0 to 4 keys, got 5"));
  EXPECT_THAT(error_of<ValueError>([] { KeyValueCache({.capacity = -1}); }),
              HasSubstr("at least 0"));
  EXPECT_EQ(cache.length(), 4);
}

TEST_P(KeyValueCacheTest, SelectsItems) {
  KeyValueCache cache(small());
  cache.append(entries(2, 1), entries(2, 2));
  const int64_t items[] = {1, 1, 0};
  KeyValueCache some = cache.select(items);
  EXPECT_EQ(some.capacity(), 5);
  EXPECT_EQ(some.keys().device(), device());
  const Array keys = entries(2, 1);
  const Array values = entries(2, 2);
  ASSERT_EQ(some.keys().shape(), Shape({3, 3, 2, 4}));
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_THAT(some.keys()[i], testing::IsArray(keys[items[i]]));
    EXPECT_THAT(some.values()[i], testing::IsArray(values[items[i]]));
  }
  const Array more = array::ones({3, 3, 1, 4}, Dtype::kFloat32);
  some.append(more, more);
  EXPECT_EQ(some.length(), 3);
  EXPECT_THAT(cache.keys(), testing::IsArray(keys));
  const int64_t wrong[] = {2};
  EXPECT_THAT(error_of<IndexError>([&] { cache.select(wrong); }),
              HasSubstr("items from 0 to 1, got 2"));
}

}  // namespace
}  // namespace catena::functions
