#include "catena/functions/plan/internal/weights_version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/creation.h"

namespace catena::functions {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(WeightsVersionTest, NoticesEveryElement) {
  const Array a = array::zeros({37}, Dtype::kFloat32);
  const Array b = array::zeros({100'001}, Dtype::kFloat32);
  WeightsVersion version(/*sampled=*/false);
  version.add(a);
  version.add(b);
  EXPECT_THAT(version.changes(), ElementsAre(0, 1));
  EXPECT_THAT(version.changes(), IsEmpty());
  for (int i = 0; i < 37; ++i) {
    a.data<float>()[i] = 1;
    EXPECT_THAT(version.changes(), ElementsAre(0)) << i;
  }
  for (const int i : {0, 65'535, 65'536, 99'999, 100'000}) {
    b.data<float>()[i] = -0.F;  // equal, but not the same
    EXPECT_THAT(version.changes(), ElementsAre(1)) << i;
  }
  std::swap(a.data<float>()[3], a.data<float>()[4]);
  EXPECT_THAT(version.changes(), IsEmpty());
}

TEST(WeightsVersionTest, SamplesNoticeUpdatesOfAll) {
  const Array a = array::zeros({5000}, Dtype::kFloat64);
  WeightsVersion version(/*sampled=*/true);
  version.add(a);
  EXPECT_THAT(version.changes(), ElementsAre(0));
  EXPECT_THAT(version.changes(), IsEmpty());
  a += 1e-12;
  EXPECT_THAT(version.changes(), ElementsAre(0));
}

TEST(WeightsVersionTest, NoticesAReplacement) {
  const Array a = array::zeros({5}, Dtype::kFloat32);
  WeightsVersion version(/*sampled=*/false);
  version.add(a);
  version.changes();
  version.replace(0, a.copy());
  EXPECT_THAT(version.changes(), ElementsAre(0));
  EXPECT_THAT(version.changes(), IsEmpty());
}

}  // namespace
}  // namespace catena::functions
