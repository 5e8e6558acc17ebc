// The code of distributed.md: compiled, run, and compared with the page. This
// process is the only rank.

#include "catena/docs/distributed_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

TEST(DistributedPageTest, Processes) {
  const catena::testing::TempFolder folder;
  const std::string& out = folder.path();
  const auto [train, test] = datasets::get_digits();
  links::Classifier model(links::Linear(10));

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
  EXPECT_THAT(catena::testing::read_file(folder.file("log")),
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
  links::Classifier sum_model(links::Linear(10));
  optimizers::MomentumSGD sum_optimizer;
  sum_optimizer.setup(sum_model);
  training::MultiprocessParallelUpdater threads({&first_iter, &second_iter},
                                                sum_optimizer, sum_model);
  threads.update();
  EXPECT_EQ(sum_optimizer.t(), 1);
}

TEST(DistributedPageTest, ShowsThisCode) {
  catena::testing::expect_code_of_page("docs/distributed.md",
                                       "docs/distributed_md_test.cc", 8);
}

}  // namespace
