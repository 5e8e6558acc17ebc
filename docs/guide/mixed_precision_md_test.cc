// The code of mixed_precision.md: compiled, run, and compared with the page.

#include "catena/docs/guide/mixed_precision_md.h"

#include <gtest/gtest.h>

#include <string>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

TEST(MixedPrecisionMdTest, HasTheCodeOfThePage) {
  catena::testing::expect_code_of_page("docs/guide/mixed_precision.md",
                                       "docs/guide/mixed_precision_md_test.cc",
                                       4);
}

TEST(MixedPrecisionMdTest, AScopeCastsInputs) {
  L::Linear layer(3, 4);
  const Variable x(xp::random::normal(0, 1, {2, 3}, Dtype::kFloat32));
  Variable loss;
  {
    const auto scope = using_config(&Config::autocast, Dtype::kBFloat16);
    const Variable y = layer(x);           // bfloat16
    const Variable p = F::log_softmax(y);  // float32
    loss = F::sum(p * F::relu(y));         // float32
  }
  loss.backward();
  const Dtype dtype = layer.W.grad().dtype();  // float32
  EXPECT_EQ(dtype, Dtype::kFloat32);
  EXPECT_EQ(loss.dtype(), Dtype::kFloat32);
}

// Two classes of points.
TEST(MixedPrecisionMdTest, ATrainerHasAnOption) {
  xp::random::seed(0);
  const Array x = xp::random::normal(0, 1, {200, 2}, Dtype::kFloat32);
  const Array t = xp::greater(x.T()[0], x.T()[1]).astype(Dtype::kInt32);
  const datasets::TupleDataset data(x, t);
  iterators::SerialIterator iterator(data, 20);
  L::Classifier model(L::Linear(2, 2));
  optimizers::SGD optimizer({.lr = 0.5});
  optimizer.setup(model);
  optimizer.loss_scaling();
  training::StandardUpdater updater(iterator, optimizer,
                                    {.autocast = Dtype::kBFloat16});
  for (int i = 0; i < 100; ++i) updater.update();
  EXPECT_FALSE(config().autocast.is_on());
  EXPECT_EQ(model.predictor->W.dtype(), Dtype::kFloat32);
  EXPECT_GT(F::accuracy(model.predictor(as_variable(x)), t).item<float>(),
            0.95f);
}

}  // namespace
