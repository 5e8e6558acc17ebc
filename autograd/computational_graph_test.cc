#include "catena/autograd/computational_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/function_description.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/parameter.h"
#include "catena/autograd/testing/live_objects.h"
#include "catena/autograd/testing/simple_functions.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StrEq;

Variable make_x(const std::string& name = "") {
  return Variable(array::ones({2}, Dtype::kFloat32), {.name = name});
}

// What Graphviz makes of a graph; empty where it is not installed.
int run_dot(const std::string& graph) {
  std::FILE* dot = popen("dot -Tplain > /dev/null 2>&1", "w");
  std::fputs(graph.c_str(), dot);
  return pclose(dot);
}
bool has_dot() { return std::system("dot -V > /dev/null 2>&1") == 0; }

TEST(ComputationalGraphTest, HoldsFunctionsAndVariablesInOrder) {
  const testing::ExpectNoSurvivors survivors;
  const Variable x = make_x("x");
  const Variable y = testing::add(testing::exp(x), x);
  const ComputationalGraph graph = build_computational_graph({y});
  EXPECT_THAT(graph.nodes(),
              ElementsAre(FieldsAre(false, "x: (2,), float32", 0),
                          FieldsAre(true, "exp", 0),
                          FieldsAre(false, "(2,), float32", 1),
                          FieldsAre(true, "add", 1),
                          FieldsAre(false, "(2,), float32", 2)));
  EXPECT_THAT(graph.edges(), ElementsAre(Pair(0, 1), Pair(0, 3), Pair(1, 2),
                                         Pair(2, 3), Pair(3, 4)));
}

TEST(ComputationalGraphTest, ShowsTheOptionsThatFunctionsState) {
  class Scale final : public FunctionNode {
   public:
    std::string_view label() const override { return "scale"; }
    FunctionDescription description() const override {
      return FunctionDescription::of<Scale>(
          {{"factor", 0.5}, {"axis", Shape{0, 1}}});
    }
    Arrays forward(const Arrays& in) override { return {in[0] * 0.5}; }
    Variables backward(const Indexes&, const Variables& gy) override {
      return {gy[0]};
    }
  };
  const Variable y = testing::neg(apply<Scale>({make_x()}));
  const auto labels = [&](const ComputationalGraphOptions& options) {
    const ComputationalGraph graph = build_computational_graph({y}, options);
    return std::pair(graph.nodes()[1].label, graph.nodes()[3].label);
  };
  EXPECT_THAT(labels({}), Pair("scale", "neg"));
  EXPECT_THAT(labels({.show_options = true}),
              Pair("scale\nfactor=0.5, axis=(0, 1)", "neg"));
  EXPECT_THAT(build_computational_graph({y}, {.show_options = true}).dump(),
              HasSubstr("label=\"scale\\nfactor=0.5, axis=(0, 1)\""));
}

TEST(ComputationalGraphTest, VariablesCanHaveOtherNames) {
  const Parameter weight(array::ones({2}, Dtype::kFloat32), "W");
  const Variable y = testing::neg(weight);
  const auto first_label = [&](const ComputationalGraphOptions& options) {
    return build_computational_graph({y}, options).nodes()[0].label;
  };
  EXPECT_EQ(first_label({}), "W: (2,), float32");
  EXPECT_EQ(first_label({.names = {{"/l1/W", weight}, {"none", Variable()}}}),
            "/l1/W: (2,), float32");
  EXPECT_EQ(first_label({.show_name = false, .names = {{"/l1/W", weight}}}),
            "(2,), float32");
}

TEST(ComputationalGraphTest, EndsInFunctionsToo) {
  const Variable x = make_x("x");
  const Variable y = testing::exp(x);
  const Variable z = testing::neg(x);
  const ComputationalGraph graph =
      build_computational_graph({y, z.creator_node()});
  EXPECT_THAT(graph.nodes(),
              ElementsAre(FieldsAre(false, "x: (2,), float32", 0),
                          FieldsAre(true, "exp", 0), FieldsAre(true, "neg", 0),
                          FieldsAre(false, "(2,), float32", 1)));
  EXPECT_THAT(error_of<ValueError>(
                  [] { build_computational_graph({make_x().creator_node()}); }),
              HasSubstr("an output is undefined"));
}

TEST(ComputationalGraphTest, IsWrittenInGraphvizsLanguage) {
  const Variable x = make_x("x");
  EXPECT_EQ(build_computational_graph({testing::neg(x)}).dump(),
            "digraph graphname {\n"
            "  rankdir=TB;\n"
            "  node_0 [label=\"x: (2,), float32\", shape=\"oval\", "
            "fillcolor=\"#E0E0E0\", style=\"filled\"];\n"
            "  node_1 [label=\"neg\", shape=\"box\", "
            "fillcolor=\"#6495ED\", style=\"filled\"];\n"
            "  node_2 [label=\"(2,), float32\", shape=\"oval\", "
            "fillcolor=\"#E0E0E0\", style=\"filled\"];\n"
            "  node_0 -> node_1;\n"
            "  node_1 -> node_2;\n"
            "}\n");
}

TEST(ComputationalGraphTest, TakesStylesAndADirection) {
  const auto dump =
      build_computational_graph({testing::neg(make_x("x"))},
                                {.variable_style = {{"shape", "octagon"}},
                                 .function_style = {},
                                 .rankdir = "LR",
                                 .show_name = false})
          .dump();
  EXPECT_EQ(dump,
            "digraph graphname {\n"
            "  rankdir=LR;\n"
            "  node_0 [label=\"(2,), float32\", shape=\"octagon\"];\n"
            "  node_1 [label=\"neg\"];\n"
            "  node_2 [label=\"(2,), float32\", shape=\"octagon\"];\n"
            "  node_0 -> node_1;\n"
            "  node_1 -> node_2;\n"
            "}\n");
}

TEST(ComputationalGraphTest, LeavesVariablesOutOnRequest) {
  const Variable x = make_x();
  const Variable y = testing::mul(testing::exp(testing::neg(x)), x);
  const auto graph = build_computational_graph({y}, {.remove_variable = true});
  EXPECT_THAT(graph.nodes(),
              ElementsAre(FieldsAre(true, "neg", 0), FieldsAre(true, "exp", 1),
                          FieldsAre(true, "mul", 2)));
  EXPECT_THAT(graph.edges(), ElementsAre(Pair(0, 1), Pair(1, 2)));
}

TEST(ComputationalGraphTest, JoinsTheGraphsOfSeveralOutputs) {
  const Variable x = make_x();
  const Variables both = testing::add_sub(x, x);
  const Variable y = testing::neg(both[0]);
  const auto graph = build_computational_graph({y, both[1], y});
  // x twice into add_sub is one edge.
  EXPECT_EQ(graph.nodes().size(), 6);
  EXPECT_EQ(graph.edges().size(), 5);
}

TEST(ComputationalGraphTest, ShowsOnlyWhatLiesBehindTheOutputs) {
  const Variable x = make_x();
  const Variables both = testing::add_sub(x, make_x());
  const Variable later = testing::neg(both[1]);
  const auto graph = build_computational_graph({both[0]});
  EXPECT_EQ(graph.nodes().size(), 4);
}

TEST(ComputationalGraphTest, EndsWhereAVariableWasUnchained) {
  const Variable h = testing::neg(testing::neg(make_x()));
  const Variable y = testing::exp(h);
  h.unchain();
  const auto graph = build_computational_graph({y});
  EXPECT_THAT(graph.nodes(), ElementsAre(FieldsAre(false, "(2,), float32", 2),
                                         FieldsAre(true, "exp", 2),
                                         FieldsAre(false, "(2,), float32", 3)));
}

TEST(ComputationalGraphTest, MayBeEmptyOrASingleVariable) {
  EXPECT_THAT(build_computational_graph({}).nodes(), IsEmpty());
  EXPECT_EQ(build_computational_graph({}).dump(),
            "digraph graphname {\n  rankdir=TB;\n}\n");
  const auto graph = build_computational_graph({Parameter(0)});
  EXPECT_THAT(graph.nodes(),
              ElementsAre(FieldsAre(false, "(uninitialized)", 0)));
}

TEST(ComputationalGraphTest, OutlivesItsVariables) {
  const testing::ExpectNoSurvivors survivors;
  const auto graph = build_computational_graph({testing::neg(make_x("x"))});
  EXPECT_THAT(graph.dump(), HasSubstr("x: (2,), float32"));
}

TEST(ComputationalGraphTest, IsWrittenInTheSameWayEachTime) {
  const auto dump = [] {
    const Variable x = make_x();
    const Variable y = make_x();
    const Variable a = testing::add(testing::neg(x), testing::neg(y));
    const Variable b = testing::mul(testing::exp(y), testing::exp(x));
    return build_computational_graph({testing::add(a, b), b}).dump();
  };
  const std::string first = dump();
  const Variable in_the_way = testing::neg(make_x());
  EXPECT_EQ(dump(), first);
}

TEST(ComputationalGraphTest, QuotesNames) {
  const auto graph =
      build_computational_graph({make_x("a \"b\" \\ {c}\n<d>|")});
  EXPECT_THAT(
      graph.dump(),
      HasSubstr("label=\"a \\\"b\\\" \\\\ {c}\\n<d>|: (2,), float32\""));
}

TEST(ComputationalGraphTest, IsReadByGraphviz) {
  if (!has_dot()) GTEST_SKIP() << "dot is not installed";
  const Variable x = make_x("a \"b\" \\ {c}\n<d>|");
  const Variable y = testing::add(testing::exp(x), testing::mul(x, x));
  for (const char* rankdir : {"TB", "BT", "LR", "RL"}) {
    for (const bool remove_variable : {false, true}) {
      const auto graph = build_computational_graph(
          {y}, {.rankdir = rankdir, .remove_variable = remove_variable});
      EXPECT_EQ(run_dot(graph.dump()), 0) << graph.dump();
    }
  }
  EXPECT_NE(run_dot("digraph {"), 0);
}

TEST(ComputationalGraphTest, RejectsWhatItCannotDraw) {
  EXPECT_THAT(
      error_of<ValueError>([] { build_computational_graph({Variable()}); }),
      StrEq("build_computational_graph: an output is undefined"));
  EXPECT_THAT(error_of<ValueError>([] {
                build_computational_graph({make_x()}, {.rankdir = "up"});
              }),
              HasSubstr("TB, BT, LR or RL, got 'up'"));
  EXPECT_THAT(error_of<NotImplementedError>(
                  [] { build_computational_graph({make_x()}).dump("svg"); }),
              HasSubstr("expected the format 'dot', got 'svg'"));
}

}  // namespace
}  // namespace catena
