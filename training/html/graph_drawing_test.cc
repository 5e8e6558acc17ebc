#include "catena/training/html/graph_drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace catena::training::html {
namespace {

using ::testing::HasSubstr;

// A drawn node, in pixels; y is its top.
struct Place {
  double x, y, width;
  bool overlaps(const Place& other) const {
    return y == other.y && x < other.x + other.width && other.x < x + width;
  }
};

std::map<std::string, Place> places_in(const std::string& svg) {
  static const std::regex node(
      "<title>([^<]*)</title><rect x=\"([^\"]+)\" y=\"([^\"]+)\" "
      "width=\"([^\"]+)\"");
  std::map<std::string, Place> places;
  for (std::sregex_iterator match(svg.begin(), svg.end(), node), end;
       match != end; ++match) {
    places[(*match)[1]] = {std::stod((*match)[2]), std::stod((*match)[3]),
                           std::stod((*match)[4])};
  }
  return places;
}

// a -> f -> b -> g -> c, and d -> g.
ComputationalGraph chain_with_late_input() {
  return {{{false, "a", 0},
           {true, "f", 0},
           {false, "b", 1},
           {false, "d", 0},
           {true, "g", 1},
           {false, "c", 2}},
          {{0, 1}, {1, 2}, {2, 4}, {3, 4}, {4, 5}}};
}

TEST(GraphDrawingTest, LayersFollowTheComputation) {
  auto places = places_in(graph_drawing(chain_with_late_input()));
  ASSERT_EQ(places.size(), 6u);
  const double layer = places["f"].y - places["a"].y;
  EXPECT_GT(layer, 0);
  EXPECT_EQ(places["b"].y, places["a"].y + 2 * layer);
  EXPECT_EQ(places["g"].y, places["a"].y + 3 * layer);
  EXPECT_EQ(places["c"].y, places["a"].y + 4 * layer);
}

TEST(GraphDrawingTest, AnInputIsAboveItsFirstUse) {
  auto places = places_in(graph_drawing(chain_with_late_input()));
  EXPECT_EQ(places["d"].y, places["b"].y);
  // Also if there is a later one.
  auto twice = places_in(graph_drawing(
      {{{false, "a", 0}, {true, "f", 0}, {false, "b", 1}, {true, "g", 1}},
       {{0, 1}, {0, 3}, {1, 2}, {2, 3}}}));
  EXPECT_LT(twice["a"].y, twice["f"].y);
  EXPECT_LT(twice["b"].y, twice["g"].y);
}

TEST(GraphDrawingTest, TheLongestWayDecidesTheLayer) {
  auto places = places_in(graph_drawing(
      {{{false, "a", 0}, {true, "f", 0}, {false, "b", 1}, {true, "g", 1}},
       {{0, 1}, {0, 3}, {1, 2}, {2, 3}}}));
  EXPECT_EQ(places["g"].y - places["a"].y, 3 * (places["f"].y - places["a"].y));
}

TEST(GraphDrawingTest, ALayerIsInTheOrderOfWhatItComesFrom) {
  // left -> l -> below_left, right -> r -> below_right; named in other orders.
  auto places = places_in(graph_drawing({{{false, "left", 0},
                                          {false, "right", 0},
                                          {true, "r", 0},
                                          {true, "l", 0}},
                                         {{0, 3}, {1, 2}}}));
  EXPECT_LT(places["left"].x, places["right"].x);
  EXPECT_LT(places["l"].x, places["r"].x);
}

TEST(GraphDrawingTest, NodesStandApartWithinThePicture) {
  std::vector<ComputationalGraph::Node> nodes;
  std::vector<ComputationalGraph::Edge> edges;
  for (int i = 0; i < 9; ++i) {
    nodes.push_back({false, "input " + std::string(i + 1, 'x'), 0});
    edges.emplace_back(i, 9);
  }
  nodes.push_back({true, "concat", 0});
  const std::string svg = graph_drawing({nodes, edges});
  std::smatch size;
  ASSERT_TRUE(std::regex_search(
      svg, size, std::regex("viewBox=\"0 0 ([^ ]+) ([^\"]+)\"")));
  const auto places = places_in(svg);
  ASSERT_EQ(places.size(), nodes.size());
  for (const auto& [name, place] : places) {
    EXPECT_GE(place.x, 0) << name;
    EXPECT_LE(place.x + place.width, std::stod(size[1])) << name;
    EXPECT_LT(place.y, std::stod(size[2])) << name;
    for (const auto& [other_name, other] : places) {
      if (name != other_name) {
        EXPECT_FALSE(place.overlaps(other)) << name << ", " << other_name;
      }
    }
  }
  // One edge from the bottom of each input to the top of the function.
  EXPECT_EQ(std::ranges::count(svg, 'C'), 9);
}

TEST(GraphDrawingTest, LongLabelsAreCutBetweenLetters) {
  // Each letter has two bytes.
  std::string label;
  for (int i = 0; i < 30; ++i) label += "\xc3\xa9";
  const std::string svg = graph_drawing({{{true, label, 0}}, {}});
  EXPECT_THAT(svg, HasSubstr("<title>" + label + "</title>"));
  EXPECT_THAT(svg, HasSubstr(">" + label.substr(0, 32) + "...</text>"));
  // And marked up as text.
  EXPECT_THAT(graph_drawing({{{true, "a < b", 0}}, {}}),
              HasSubstr(">a &lt; b</text>"));
}

TEST(GraphDrawingTest, TooManyNodesAreNotDrawn) {
  const std::vector<ComputationalGraph::Node> nodes(1001, {true, "f", 0});
  EXPECT_THAT(graph_drawing({nodes, {}}), HasSubstr("1001 nodes"));
}

}  // namespace
}  // namespace catena::training::html
