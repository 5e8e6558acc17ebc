#include "catena/links/reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/links/chain.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Leaf : public Link {};

class Tree : public Chain<Tree> {
 public:
  Tree() : left(this, "left"), right(this, "right") {}
  Child<Leaf> left, right;
};

std::vector<std::string> names_of(const Observation& observation) {
  std::vector<std::string> names;
  for (const auto& [name, value] : observation) names.push_back(name);
  return names;
}

TEST(ObservationTest, KeepsTheOrderInWhichNamesCameUp) {
  Observation observation = {{"b", 1.5}, {"a", 2}};
  observation.set("c", 3.0);
  observation.set("b", 4.0);
  EXPECT_THAT(names_of(observation), ElementsAre("b", "a", "c"));
  EXPECT_EQ(observation["b"].as_double(), 4.0);
  EXPECT_EQ(observation.size(), 3u);
}

TEST(ObservationTest, UpdateReplacesAndAdds) {
  Observation observation = {{"a", 1}, {"b", 2}};
  observation.update({{"b", 3}, {"c", 4}});
  EXPECT_THAT(names_of(observation), ElementsAre("a", "b", "c"));
  EXPECT_EQ(observation["b"].as_double(), 3);
}

TEST(ObservationTest, AnUnknownNameListsThoseThereAre) {
  const Observation observation = {{"main/loss", 1.0}, {"lr", 0.1}};
  EXPECT_THAT(error_of<ValueError>([&] { observation["main/los"]; }),
              HasSubstr("('main/loss', 'lr'), got 'main/los'; did you mean "
                        "'main/loss'?"));
  EXPECT_EQ(observation.find("main/los"), nullptr);
}

TEST(ObservedValueTest, NumbersAndZeroDimensionalArraysAreScalars) {
  EXPECT_TRUE(ObservedValue(1.5).is_scalar());
  EXPECT_TRUE(ObservedValue(3).is_scalar());
  EXPECT_NE(ObservedValue(3).integer(), nullptr);
  EXPECT_EQ(ObservedValue(1.5).integer(), nullptr);
  const ObservedValue array = array::full({}, 2.5f);
  EXPECT_TRUE(array.is_scalar());
  EXPECT_EQ(array.as_double(), 2.5);
  EXPECT_EQ(ObservedValue(Variable(array::full({}, 0.5f))).as_double(), 0.5);
}

TEST(ObservedValueTest, OtherArraysAreNot) {
  const ObservedValue vector = array::zeros({1});
  EXPECT_FALSE(vector.is_scalar());
  EXPECT_FALSE(ObservedValue(Variable()).is_scalar());
  EXPECT_THAT(error_of<ValueError>([&] { vector.as_double(); }),
              HasSubstr("shape (1,)"));
  EXPECT_THROW(ObservedValue(Array()).as_double(), ValueError);
}

class ReporterDeviceTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, ReporterDeviceTest, testing::every_device(),
                         testing::device_name);

TEST_P(ReporterDeviceTest, ValuesStayWhereTheyWereComputed) {
  Reporter reporter;
  Observation observation;
  {
    const auto active = reporter.scope(observation);
    report({{"loss", Variable(array::array(2.5))}});
  }
  const Array loss = observation["loss"].array();
  EXPECT_EQ(loss.device(), device());
  EXPECT_EQ(loss.item<double>(), 2.5);
}

TEST(ReporterTest, PutsTheObserversNameInFront) {
  Reporter reporter;
  const int observer = 0;
  reporter.add_observer("my_observer:", &observer);
  Observation observation;
  {
    const auto scope = reporter.scope(observation);
    report({{"x", 1}}, &observer);
    report({{"y", 2}});
  }
  EXPECT_THAT(names_of(observation), ElementsAre("my_observer:/x", "y"));
}

TEST(ReporterTest, NamesLinksByTheirPath) {
  Tree tree;
  Reporter reporter;
  reporter.add_observer("main", tree);
  reporter.add_observers("main", tree.namedlinks(true));
  const auto scope = reporter.scope();
  report({{"loss", 1.0}}, &tree);
  report({{"norm", 2.0}, {"max", 3.0}}, &*tree.right);
  EXPECT_THAT(names_of(reporter.observation()),
              ElementsAre("main/loss", "main/right/norm", "main/right/max"));
}

TEST(ReporterTest, AModelWhosePartsWereAddedIsMain) {
  Tree tree;
  Reporter reporter;
  reporter.add_observer("right", *tree.right);
  const auto scope = reporter.scope();
  report({{"loss", 1.0}}, &tree);
  report({{"norm", 2.0}}, &*tree.right);
  EXPECT_THAT(names_of(reporter.observation()),
              ElementsAre("main/loss", "right/norm"));
  // Not a second one.
  const Tree other;
  EXPECT_THAT(
      error_of<ValueError>([&] {
        report({{"loss", 1.0}}, &other);
      }),
      AllOf(HasSubstr("expected an observer that was added to the reporter "
                      "('main', "),
            HasSubstr("trainer.reporter().add_observer(\"main\", "
                      "model)")));
}

TEST(ReporterTest, TellsObserversByAddressNotByValue) {
  Tree tree;
  Reporter reporter;
  reporter.add_observer("main", tree);
  const auto scope = reporter.scope();
  const Tree copy = tree;
  EXPECT_THAT(error_of<ValueError>([&] {
                report({{"loss", 1.0}}, &copy);
              }),
              HasSubstr("'loss'"));
  EXPECT_TRUE(reporter.observation().empty());
}

TEST(ReporterTest, WithoutACurrentOneReportDoesNothing) {
  const Leaf leaf;
  EXPECT_NO_THROW(report({{"loss", 1.0}}, &leaf));
  EXPECT_THROW(get_current_reporter(), ValueError);
  Observation observation;
  EXPECT_THROW(static_cast<void>(report_scope(observation)), ValueError);
}

TEST(ReporterTest, ScopesNestAndEndWithExceptions) {
  Reporter outer;
  Reporter inner;
  Observation first, second, third;
  const auto scope = outer.scope(first);
  try {
    const auto nested = inner.scope(second);
    EXPECT_EQ(&get_current_reporter(), &inner);
    report({{"b", 1}});
    throw std::runtime_error("an interruption");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(&get_current_reporter(), &outer);
  {
    const auto nested = report_scope(third);
    EXPECT_EQ(&get_current_reporter(), &outer);
    report({{"c", 1}});
  }
  report({{"a", 1}});
  EXPECT_THAT(names_of(first), ElementsAre("a"));
  EXPECT_THAT(names_of(second), ElementsAre("b"));
  EXPECT_THAT(names_of(third), ElementsAre("c"));
}

TEST(ReporterTest, OtherThreadsHaveTheirOwn) {
  Reporter reporter;
  const auto scope = reporter.scope();
  std::thread([] { EXPECT_THROW(get_current_reporter(), ValueError); }).join();
  EXPECT_EQ(&get_current_reporter(), &reporter);
}

TEST(ReporterTest, VariablesLoseTheirGraphUnlessAskedOtherwise) {
  Reporter reporter;
  const auto scope = reporter.scope();
  const Variable x(array::full({}, 1.0f));
  report({{"x", x}});
  EXPECT_EQ(reporter.observation()["x"].variable(), nullptr);
  EXPECT_TRUE(reporter.observation()["x"].array().is_same(x.data()));
  const auto keep = using_config(&Config::keep_graph_on_report, true);
  report({{"x", x}});
  ASSERT_NE(reporter.observation()["x"].variable(), nullptr);
  EXPECT_TRUE(reporter.observation()["x"].variable()->is_same(x));
}

TEST(ReporterTest, OneMayServeAllThreads) {
  Reporter shared;
  Leaf leaf;
  shared.add_observer("main", leaf);
  Observation observation;
  Observation own;
  {
    const auto scope = shared.global_scope(observation);
    std::vector<std::thread> workers;
    for (int i = 0; i < 4; ++i) {
      workers.emplace_back([&leaf, i] {
        for (int j = 0; j < 100; ++j) {
          report({{"worker" + std::to_string(i), j}}, &leaf);
        }
      });
    }
    // A thread's own reporter comes first.
    workers.emplace_back([&own] {
      Reporter mine;
      const auto scope = mine.scope(own);
      report({{"mine", 1}});
    });
    for (std::thread& worker : workers) worker.join();
    EXPECT_EQ(&get_current_reporter(), &shared);
  }
  EXPECT_EQ(observation.size(), 4u);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(observation["main/worker" + std::to_string(i)].as_double(), 99);
  }
  EXPECT_THAT(names_of(own), ElementsAre("mine"));
  EXPECT_THROW(get_current_reporter(), ValueError);
  report({{"late", 1}});
  EXPECT_FALSE(observation.contains("late"));
}

TEST(ReporterTest, ScopesOfAllThreadsNest) {
  Reporter first;
  Reporter second;
  Observation outer;
  Observation inner;
  {
    const auto scope = first.global_scope(outer);
    {
      const auto nested = second.global_scope(inner);
      report({{"a", 1}});
    }
    report({{"b", 1}});
  }
  EXPECT_THAT(names_of(inner), ElementsAre("a"));
  EXPECT_THAT(names_of(outer), ElementsAre("b"));
}

}  // namespace
}  // namespace catena
