#include "catena/tests/benchmarks/cases.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/channels_last.h"
#include "catena/autograd/function_hook.h"

namespace catena::benchmarks {
namespace {

// Keeps the images, or weights like them, that the first function gets.
class FirstImages : public FunctionHook {
 public:
  std::string_view name() const override { return "FirstImages"; }
  void forward_preprocess(const FunctionNode&, const Arrays& inputs) override {
    if (!images.empty()) return;
    for (const Array& x : inputs) {
      if (x.ndim() == 4) images.push_back(x);
    }
  }

  std::vector<Array> images;
};

// Else one side would be measured with copies that the other does not make.
TEST(CasesTest, ImagesAndWeightsAreInTheLayoutOfTheVariant) {
  int count = 0;
  for (const Case& c : cases()) {
    if (!c.convolves && !c.has_images) continue;
    // Takes seconds, and prepares images as vgg_train does.
    if (c.name == "resnet50_train") continue;
    for (const bool channels_last : {false, true}) {
      const Work work =
          c.prepare({.small = true, .channels_last = channels_last});
      FirstImages first;
      {
        const FunctionHookScope scope(first);
        work.step();
      }
      ASSERT_FALSE(first.images.empty()) << c.name;
      for (const Array& x : first.images) {
        EXPECT_TRUE(channels_last ? array::is_channels_last(x)
                                  : x.is_contiguous())
            << c.name << ", shape " << x.shape();
      }
    }
    ++count;
  }
  EXPECT_GE(count, 14);
}

}  // namespace
}  // namespace catena::benchmarks
