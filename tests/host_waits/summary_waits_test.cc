// Summaries of numbers on emulated GPUs.

#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/device.h"
#include "catena/array/creation.h"
#include "catena/cuda/emulation/runtime.h"
#include "catena/links/observation.h"
#include "catena/training/summary.h"

namespace catena {
namespace {

using training::DictSummary;
using training::Summary;

Array number(double x, Dtype dtype, int gpu) {
  return array::full({}, x, dtype, cuda_device(gpu));
}

// Losses and counts of every dtype, on two GPUs.
std::vector<Array> numbers() {
  std::vector<Array> all;
  for (int i = 0; i < 12; ++i) {
    for (const Dtype dtype :
         {Dtype::kFloat16, Dtype::kBFloat16, Dtype::kFloat32, Dtype::kFloat64,
          Dtype::kInt32, Dtype::kInt64}) {
      all.push_back(number(i, dtype, i % 2));
    }
  }
  return all;
}

template <class Read>
int64_t waits_of(Read read) {
  const int64_t before = cuda::emulation::host_waits();
  read();
  return cuda::emulation::host_waits() - before;
}

// Those of one copy to the host.
int64_t waits_of_one_number() {
  const Array x = number(1, Dtype::kFloat64, 0);
  return waits_of([&] { x.item<double>(); });
}

TEST(SummaryWaitsTest, ReadsAllNumbersInOneCopy) {
  const int64_t expected = waits_of_one_number();
  for (int round = 0; round < 2; ++round) {  // the first allocates
    Summary summary;
    double mean = 0;
    int64_t waits = waits_of([&] {
      for (const Array& x : numbers()) summary.add(x);
    });
    EXPECT_EQ(waits, 0);
    waits = waits_of([&] { mean = summary.compute_mean(); });
    if (round > 0) {
      EXPECT_EQ(waits, expected);
    }
    EXPECT_DOUBLE_EQ(mean, 5.5);
    EXPECT_EQ(waits_of([&] { summary.make_statistics(); }), 0);
  }
}

TEST(SummaryWaitsTest, ReadsAllNamesInOneCopy) {
  const int64_t expected = waits_of_one_number();
  for (int round = 0; round < 2; ++round) {
    DictSummary summary;
    for (const Array& x : numbers()) {
      summary.add({{"loss", x}, {"accuracy", number(1, Dtype::kFloat32, 0)}});
    }
    summary.add({{"host", 3.0}});
    Observation means;
    const int64_t waits = waits_of([&] { means = summary.compute_mean(); });
    if (round > 0) {
      EXPECT_EQ(waits, expected);
    }
    EXPECT_DOUBLE_EQ(means["loss"].as_double(), 5.5);
    EXPECT_DOUBLE_EQ(means["accuracy"].as_double(), 1);
    EXPECT_DOUBLE_EQ(means["host"].as_double(), 3);
  }
}

}  // namespace
}  // namespace catena
