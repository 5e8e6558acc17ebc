// Forward and backward passes, updates, plans and kernels while each of their
// calls fails.

#include <gtest/gtest.h>

#include <string>

#include "catena/array/creation.h"
#include "catena/array/user_kernel/elementwise_kernel.h"
#include "catena/tests/faults/bits.h"
#include "catena/tests/faults/fault_matrix.h"
#include "catena/tests/faults/graph_trials.h"

namespace catena::testing {
namespace {

class KernelTrial final : public FaultTrial {
 public:
  void run() override { result_ = kernel_(x_, x_); }
  std::string state() override { return bits_of(result_); }

 private:
  array::ElementwiseKernel kernel_{"T x, T y", "T z", "z = x * y + 1",
                                   "multiply_and_add"};
  Array x_ = array::arange(6, Dtype::kFloat32);
  Array result_;
};

TEST(GraphFaultTest, AForwardPassGivesAnErrorOrTheLoss) {
  expect_faults_do_no_harm(subject<ForwardTrial>("forward", NetPlace()));
}

TEST(GraphFaultTest, GradientsChangeTogetherOrNotAtAll) {
  expect_faults_do_no_harm(
      subject<BackwardTrial>("backward", NetPlace(), false));
  expect_faults_do_no_harm(
      subject<BackwardTrial>("second backward", NetPlace(), true));
}

TEST(GraphFaultTest, SecondDerivativesAreRightInTheNextTry) {
  expect_faults_do_no_harm(
      subject<DoubleBackwardTrial>("double backward", NetPlace()));
  expect_faults_do_no_harm(subject<GradTrial>("grad", NetPlace()));
}

TEST(GraphFaultTest, AStepUpdatesAllParametersOrNone) {
  expect_faults_do_no_harm(subject<StepTrial>("first step", NetPlace(), 0));
  expect_faults_do_no_harm(subject<StepTrial>("third step", NetPlace(), 2));
}

TEST(GraphFaultTest, GradientsFromElsewhereAreAddedTogetherOrNotAtAll) {
  expect_faults_do_no_harm(
      subject<AccumulateTrial>("accumulate_grads", NetPlace()));
}

TEST(GraphFaultTest, APlanIsMadeInTheNextTry) {
  expect_faults_do_no_harm(subject<PlanTrial>("ExecutionPlan", NetPlace()));
}

TEST(GraphFaultTest, AKernelIsLoadedInTheNextTry) {
  expect_faults_do_no_harm(subject<KernelTrial>("ElementwiseKernel"));
}

}  // namespace
}  // namespace catena::testing
