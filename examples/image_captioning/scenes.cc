#include "catena/examples/image_captioning/scenes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace catena::examples {
namespace {

struct NamedColor {
  const char* name;
  Color color;
};
constexpr std::array<NamedColor, 6> kColors = {{{"red", {215, 40, 40}},
                                                {"green", {40, 160, 60}},
                                                {"blue", {50, 80, 215}},
                                                {"yellow", {240, 205, 40}},
                                                {"purple", {150, 60, 180}},
                                                {"black", {35, 35, 35}}}};
constexpr std::array kShapes = {"circle", "square", "triangle", "cross",
                                "ring"};

struct Size {
  const char* name;
  double least;  // radius
  double most;
};
constexpr std::array<Size, 2> kSizes = {
    {{"small", 0.1, 0.12}, {"large", 0.17, 0.2}}};

double uniform(double low, double high, std::mt19937_64& random) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

// The kinds of objects are the pairs of a color and a shape.
constexpr size_t kKinds = kColors.size() * kShapes.size();

bool is_held_out(size_t kind, size_t other) { return (kind + other) % 7 == 0; }

SceneObject make_object(size_t kind, std::mt19937_64& random) {
  const Size& size = kSizes[random() % kSizes.size()];
  const double radius = uniform(size.least, size.most, random);
  return {.size = size.name,
          .color = kColors[kind / kShapes.size()].name,
          .shape = kShapes[kind % kShapes.size()],
          .place = {.x = uniform(radius, 1 - radius, random),
                    .y = uniform(radius, 1 - radius, random),
                    .radius = radius,
                    .angle = uniform(-0.2, 0.2, random)}};
}

// Whether one is clearly above, below, left or right of the other.
bool stand_apart(const ShapePlace& a, const ShapePlace& b) {
  const double dx = std::abs(a.x - b.x);
  const double dy = std::abs(a.y - b.y);
  return std::hypot(dx, dy) > a.radius + b.radius + 0.03 &&
         std::max(dx, dy) > 2 * std::min(dx, dy);
}

std::string name_of(const SceneObject& object) {
  return "a " + object.size + " " + object.color + " " + object.shape;
}

std::string relation(const ShapePlace& a, const ShapePlace& b) {
  if (std::abs(a.x - b.x) > std::abs(a.y - b.y)) {
    return a.x < b.x ? " to the left of " : " to the right of ";
  }
  return a.y < b.y ? " above " : " below ";
}

Color color_named(const std::string& name) {
  return std::find_if(kColors.begin(), kColors.end(),
                      [&](const NamedColor& c) { return name == c.name; })
      ->color;
}

}  // namespace

std::vector<std::string> Scene::sentences() const {
  const SceneObject& a = objects.front();
  if (objects.size() == 1) return {name_of(a)};
  const SceneObject& b = objects.back();
  return {name_of(a) + relation(a.place, b.place) + name_of(b),
          name_of(b) + relation(b.place, a.place) + name_of(a)};
}

Array Scene::draw(int64_t size) const {
  const auto pixels = static_cast<double>(size);
  Picture picture(size, size, background);
  for (const SceneObject& object : objects) {
    picture.draw(object.shape,
                 {.x = object.place.x * pixels,
                  .y = object.place.y * pixels,
                  .radius = object.place.radius * pixels,
                  .angle = object.place.angle},
                 color_named(object.color));
  }
  return picture.image();
}

Scene make_scene(ScenePart part, std::mt19937_64& random) {
  const auto gray = static_cast<float>(uniform(225, 255, random));
  Scene scene{.objects = {}, .background = {gray, gray, gray}};
  const bool is_test = part == ScenePart::kTest;
  if (!is_test && random() % 5 == 0) {
    scene.objects = {make_object(random() % kKinds, random)};
    return scene;
  }
  size_t kind = 0;
  size_t other = 0;
  do {
    kind = random() % kKinds;
    other = random() % kKinds;
  } while (is_held_out(kind, other) != is_test);
  do {
    scene.objects = {make_object(kind, random), make_object(other, random)};
  } while (!stand_apart(scene.objects[0].place, scene.objects[1].place));
  return scene;
}

}  // namespace catena::examples
