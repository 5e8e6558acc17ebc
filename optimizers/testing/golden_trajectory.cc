#include "catena/optimizers/testing/golden_trajectory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/array/core/error.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::testing {
namespace {

class Parameters : public Link {
 public:
  Parameters(const GoldenCase& golden, Device device) {
    const DeviceScope scope(device);
    for (const std::string& name : golden.keys("param/")) {
      const Array start = golden.array("param/" + name).to_device(device);
      const auto fill = [start](const Array& out) { out.assign(start); };
      add_param(name, Initializer(fill, start.dtype()), start.shape());
    }
  }
};

}  // namespace

void expect_golden_trajectory(Optimizer& optimizer, const GoldenCase& golden,
                              Device device,
                              std::optional<Tolerance> tolerance) {
  const auto is_close = [&](const std::string& key) {
    return tolerance ? IsClose(golden.array(key), *tolerance)
                     : golden.is_close(key);
  };
  Parameters link(golden, device);
  optimizer.setup(link);
  ASSERT_FALSE(link.params().empty());
  const std::string first = link.namedparams().front().first;
  int steps = 0;
  for (; golden.has(str("grad", steps, first)); ++steps) {
    const std::string number = std::to_string(steps);
    for (const auto& [path, param] : link.namedparams()) {
      param.set_grad(golden.array("grad" + number + path).to_device(device));
    }
    optimizer.update();
    for (const auto& [path, param] : link.namedparams()) {
      SCOPED_TRACE("step " + number + ", " + path);
      EXPECT_THAT(param.data().to_device(native_device()),
                  is_close("after" + number + path));
    }
  }
  ASSERT_GT(steps, 0);
  EXPECT_EQ(optimizer.t(), steps);
  for (const auto& [path, param] : link.namedparams()) {
    const auto& rule = dynamic_cast<const UpdateRule&>(*param.update_rule());
    EXPECT_EQ(rule.t(), steps);
    for (const auto& [name, state] : rule.state()) {
      SCOPED_TRACE(path + "/" + name);
      EXPECT_THAT(state.to_device(native_device()),
                  is_close("state" + path + "/" + name));
    }
  }
}

}  // namespace catena::testing
