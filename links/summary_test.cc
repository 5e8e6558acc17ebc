#include "catena/links/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/creation.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/model/classifier.h"
#include "catena/links/sequential.h"

namespace catena::links {
namespace {

class MLP : public Chain<MLP> {
 public:
  MLP() : l1(this, "l1", 784, 100), l2(this, "l2", 10) {}
  Variable forward(const Variable& x) { return l2(l1(x)); }
  Child<Linear> l1, l2;
};

// A parameter of its own, after and before children.
class Net : public Chain<Net> {
 public:
  Net()
      : mlp(this, "mlp"),
        scale(this, "scale", 1.0, Shape{}),
        nobias(this, "nobias", 2, 3, {.nobias = true}) {}
  Child<MLP> mlp;
  Param scale;
  Child<Linear> nobias;
};

template <class T>
class Wrapper : public Link {};

TEST(SummaryTest, ListsLinksAndParameters) {
  MLP mlp;
  EXPECT_EQ(summary(mlp), R"(path   type     shape          elements
/      MLP
/l1    Linear
/l1/W  float32  (100, 784)        78400
/l1/b  float32  (100,)              100
/l2    Linear
/l2/W           uninitialized
/l2/b  float32  (10,)                10
total                             78510, without 1 uninitialized
)");
  mlp(Variable(array::zeros({1, 784}, Dtype::kFloat32)));
  EXPECT_EQ(summary(mlp), R"(path   type     shape       elements
/      MLP
/l1    Linear
/l1/W  float32  (100, 784)     78400
/l1/b  float32  (100,)           100
/l2    Linear
/l2/W  float32  (10, 100)       1000
/l2/b  float32  (10,)             10
total                          79510
)");
}

TEST(SummaryTest, ParametersFollowTheirLink) {
  EXPECT_EQ(summary(Net()), R"(path       type     shape          elements
/          Net
/scale     float32  ()                    1
/mlp       MLP
/mlp/l1    Linear
/mlp/l1/W  float32  (100, 784)        78400
/mlp/l1/b  float32  (100,)              100
/mlp/l2    Linear
/mlp/l2/W           uninitialized
/mlp/l2/b  float32  (10,)                10
/nobias    Linear
/nobias/W  float32  (3, 2)                6
total                                 78517, without 1 uninitialized
)");
}

TEST(SummaryTest, NamesOfTypesHaveNoNamespaces) {
  Sequential sequence{Classifier(MLP()), Wrapper<MLP>()};
  EXPECT_EQ(summary(sequence),
            R"(path               type             shape          elements
/                  Sequential
/0                 Classifier<MLP>
/0/predictor       MLP
/0/predictor/l1    Linear
/0/predictor/l1/W  float32          (100, 784)        78400
/0/predictor/l1/b  float32          (100,)              100
/0/predictor/l2    Linear
/0/predictor/l2/W                   uninitialized
/0/predictor/l2/b  float32          (10,)                10
/1                 Wrapper<MLP>
total                                                 78510, without 1 uninitialized
)");
}

TEST(SummaryTest, ALinkWithoutParametersHasATable) {
  EXPECT_EQ(summary(Wrapper<int>()), R"(path   type          shape  elements
/      Wrapper<int>
total                              0
)");
}

}  // namespace
}  // namespace catena::links
