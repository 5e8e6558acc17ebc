#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/examples/support/drawing.h"

namespace catena::examples {

// One of the things in a scene: a small red circle.
struct SceneObject {
  std::string size;
  std::string color;
  std::string shape;
  // Relative to the width of the picture.
  ShapePlace place;
};

// A picture of one or two shapes with all the sentences that describe it:
//
//   a small red circle above a large blue square
//   a large blue square below a small red circle
struct Scene {
  std::vector<SceneObject> objects;
  Color background;

  std::vector<std::string> sentences() const;
  // (3, size, size), float32, in [0, 255].
  Array draw(int64_t size) const;
};

// A random scene. A seventh of all combinations of two colors and two shapes is
// held out: no scene of `kTrain` has one, all scenes of `kTest` do.
enum class ScenePart { kTrain, kTest };
Scene make_scene(ScenePart part, std::mt19937_64& random);

}  // namespace catena::examples
