#include "catena/optimizers/testing/golden_trajectory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "catena/tests/testing/array_matchers.h"

namespace catena::testing {
namespace {

constexpr int kSteps = 6;
constexpr int kParams = 3;

class Parameters : public Link {
 public:
  Parameters(const GoldenCase& golden, Device device) {
    const DeviceScope scope(device);
    for (int i = 0; i < kParams; ++i) {
      const Array start =
          golden.array("param/p" + std::to_string(i)).to_device(device);
      const auto fill = [start](const Array& out) { out.assign(start); };
      p.push_back(std::make_unique<Param>(this, "p" + std::to_string(i),
                                          Initializer(fill, start.dtype()),
                                          start.shape()));
    }
  }
  std::vector<std::unique_ptr<Param>> p;
};

}  // namespace

void expect_golden_trajectory(Optimizer& optimizer, const GoldenCase& golden,
                              Device device,
                              std::optional<Tolerance> tolerance) {
  const Tolerance within = tolerance.value_or(golden.tolerance());
  Parameters link(golden, device);
  optimizer.setup(link);
  for (int step = 0; step < kSteps; ++step) {
    const std::string number = std::to_string(step);
    for (const auto& [path, param] : link.namedparams()) {
      param.set_grad(golden.array("grad" + number + path).to_device(device));
    }
    optimizer.update();
    for (const auto& [path, param] : link.namedparams()) {
      SCOPED_TRACE("step " + number + ", " + path);
      EXPECT_THAT(param.data().to_device(native_device()),
                  IsClose(golden.array("after" + number + path), within));
    }
  }
  EXPECT_EQ(optimizer.t(), kSteps);
  for (const auto& [path, param] : link.namedparams()) {
    const auto& rule = dynamic_cast<const UpdateRule&>(*param.update_rule());
    EXPECT_EQ(rule.t(), kSteps);
    for (const auto& [name, state] : rule.state()) {
      SCOPED_TRACE(path + "/" + name);
      EXPECT_THAT(state.to_device(native_device()),
                  IsClose(golden.array("state" + path + "/" + name), within));
    }
  }
}

}  // namespace catena::testing
