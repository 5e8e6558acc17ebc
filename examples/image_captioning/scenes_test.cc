#include "catena/examples/image_captioning/scenes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace catena::examples {
namespace {

using ::testing::ElementsAre;

Scene red_above_blue() {
  return {.objects = {{.size = "small",
                       .color = "red",
                       .shape = "circle",
                       .place = {.x = 0.5, .y = 0.2, .radius = 0.1}},
                      {.size = "large",
                       .color = "blue",
                       .shape = "square",
                       .place = {.x = 0.6, .y = 0.7, .radius = 0.2}}},
          .background = {255, 255, 255}};
}

TEST(SceneTest, SaysWhatIsWhere) {
  Scene scene = red_above_blue();
  EXPECT_THAT(scene.sentences(),
              ElementsAre("a small red circle above a large blue square",
                          "a large blue square below a small red circle"));
  scene.objects[0].place = {.x = 0.1, .y = 0.6, .radius = 0.1};
  EXPECT_THAT(
      scene.sentences(),
      ElementsAre("a small red circle to the left of a large blue square",
                  "a large blue square to the right of a small red circle"));
  scene.objects.pop_back();
  EXPECT_THAT(scene.sentences(), ElementsAre("a small red circle"));
}

TEST(SceneTest, DrawsObjectsInTheirPlaces) {
  const Array image = red_above_blue().draw(100);
  ASSERT_EQ(image.shape(), (Shape{3, 100, 100}));
  const auto pixel = [&](int64_t y, int64_t x) {
    return image[{Slice(), y, x}].copy().to_vector<float>();
  };
  EXPECT_THAT(pixel(20, 50), ElementsAre(215, 40, 40));
  EXPECT_THAT(pixel(70, 60), ElementsAre(50, 80, 215));
  EXPECT_THAT(pixel(90, 10), ElementsAre(255, 255, 255));
}

TEST(MakeSceneTest, ObjectsStandApart) {
  std::mt19937_64 random(1);
  std::set<size_t> counts;
  for (int i = 0; i < 500; ++i) {
    const Scene scene = make_scene(ScenePart::kTrain, random);
    counts.insert(scene.objects.size());
    for (const SceneObject& object : scene.objects) {
      const auto& [x, y, radius, angle] = object.place;
      EXPECT_EQ(object.size, radius < 0.15 ? "small" : "large");
      EXPECT_GE(std::min(x, y), radius);
      EXPECT_LE(std::max(x, y), 1 - radius);
    }
    const ShapePlace& a = scene.objects.front().place;
    const ShapePlace& b = scene.objects.back().place;
    if (scene.objects.size() == 2) {
      EXPECT_GT(std::hypot(a.x - b.x, a.y - b.y), a.radius + b.radius);
    }
  }
  EXPECT_THAT(counts, ElementsAre(1, 2));
}

std::string kinds(const Scene& scene) {
  std::multiset<std::string> names;
  for (const SceneObject& object : scene.objects) {
    names.insert(object.color + " " + object.shape);
  }
  std::string result;
  for (const std::string& name : names) result += name + ", ";
  return result;
}

TEST(MakeSceneTest, TestsHaveCombinationsThatTrainingHasNot) {
  std::mt19937_64 random(2);
  std::set<std::string> trained;
  std::set<std::string> objects;
  for (int i = 0; i < 20000; ++i) {
    const Scene scene = make_scene(ScenePart::kTrain, random);
    trained.insert(kinds(scene));
    for (const SceneObject& object : scene.objects) {
      objects.insert(object.color + object.shape);
    }
  }
  EXPECT_EQ(objects.size(), 30u);
  std::set<std::string> tested;
  for (int i = 0; i < 5000; ++i) {
    const Scene scene = make_scene(ScenePart::kTest, random);
    tested.insert(kinds(scene));
    EXPECT_FALSE(trained.contains(kinds(scene))) << kinds(scene);
    for (const SceneObject& object : scene.objects) {
      EXPECT_TRUE(objects.contains(object.color + object.shape));
    }
  }
  // All 465 pairs, and 30 single objects.
  EXPECT_EQ(trained.size() + tested.size(), 495u);
  EXPECT_GT(tested.size(), 60u);
}

TEST(MakeSceneTest, TheSeedDeterminesTheScene) {
  std::mt19937_64 a(3);
  std::mt19937_64 b(3);
  const Array one = make_scene(ScenePart::kTest, a).draw(24);
  const Array other = make_scene(ScenePart::kTest, b).draw(24);
  EXPECT_EQ(one.to_vector<float>(), other.to_vector<float>());
  const Array next = make_scene(ScenePart::kTest, a).draw(24);
  EXPECT_NE(one.to_vector<float>(), next.to_vector<float>());
}

}  // namespace
}  // namespace catena::examples
