// The code of distributed.md: compiled, run, and compared with the page. This
// process is the only rank.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "catena/array/random.h"
#include "catena/dataset/datasets/digits.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/docs/page_code.h"
#include "catena/links/connection/linear.h"
#include "catena/links/model/classifier.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/communicators/communicators.h"
#include "catena/training/communicators/create_communicator.h"
#include "catena/training/training.h"

namespace extensions = catena::training::extensions;
using namespace catena::training::communicators;

namespace catena {
namespace {

using links::Classifier;
using links::Linear;
using training::MultiprocessParallelUpdater;

TEST(DistributedPageTest, Processes) {
  const testing::TempFolder folder;
  const std::string& out = folder.path();
  const auto [train, test] = datasets::get_digits();
  Classifier model(Linear(10));

  const auto communicator = create_communicator("mpi");
  optimizers::MomentumSGD optimizer({.lr = 0.1});
  create_multi_node_optimizer(optimizer, *communicator);
  optimizer.setup(model);

  iterators::SerialIterator whole_iter(train, 50 * communicator->size());
  MultiNodeIterator train_iter(whole_iter, *communicator);
  iterators::SerialIterator test_iter(scatter_dataset(test, *communicator), 50,
                                      {.repeat = false, .shuffle = false});

  training::StandardUpdater updater(train_iter, optimizer);
  training::Trainer trainer(updater, {2, "epoch"}, {.out = out});
  trainer.extend(create_multi_node_evaluator(
      extensions::Evaluator(test_iter, model), *communicator));
  trainer.extend(ObservationAggregator(*communicator));
  if (communicator->rank() == 0) trainer.extend(extensions::LogReport());

  MultiNodeCheckpointer& checkpointer =
      trainer.extend(MultiNodeCheckpointer(*communicator));
  const int64_t start = checkpointer.maybe_load(trainer);
  EXPECT_EQ(start, 0);
  trainer.run();
  EXPECT_TRUE(trainer.observation().contains("validation/main/accuracy"));
  EXPECT_THAT(testing::read_file(folder.file("log")),
              ::testing::HasSubstr("validation/main/accuracy"));

  const Variable x(array::random::normal(0, 1, {8, 5}).astype(Dtype::kFloat32));
  MultiNodeBatchNormalization normalize(5, *communicator);
  const Variable y = normalize(x);
  EXPECT_EQ(y.shape(), x.shape());
}

TEST(DistributedPageTest, Threads) {
  const auto [train, test] = datasets::get_digits();
  iterators::SerialIterator first_iter(train, 10);
  iterators::SerialIterator second_iter(test, 10);
  Classifier sum_model(Linear(10));
  optimizers::MomentumSGD sum_optimizer;
  sum_optimizer.setup(sum_model);
  MultiprocessParallelUpdater threads({&first_iter, &second_iter},
                                      sum_optimizer, sum_model);
  threads.update();
  EXPECT_EQ(sum_optimizer.t(), 1);
}

TEST(DistributedPageTest, ShowsThisCode) {
  testing::expect_code_of_page("docs/distributed.md",
                               "docs/distributed_md_test.cc", 8);
}

}  // namespace
}  // namespace catena
