// Fuzz target: loading any bytes as the .npz file of a link either succeeds or
// throws an IoError and changes nothing.

#include <cstdlib>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/links/link.h"
#include "catena/serializers/npz.h"
#include "catena/serializers/testing/fuzz_file.h"
#include "catena/tests/fuzzing/mend.h"

namespace catena::serializers {
namespace {

class SmallLink : public Link {
 public:
  SmallLink() : W(this, "W", 0.0, Shape{2, 3}), open(this, "open", 0.0) {
    add_persistent("mean", mean);
    add_persistent("N", N);
  }
  bool is_untouched() const {
    return W.data()[{1, 2}].item<float>() == 0 && !open.is_initialized() &&
           mean[2].item<float>() == 0 && N == 0;
  }
  Param W;
  Param open;
  Array mean = array::zeros({3}, Dtype::kFloat32);
  int64_t N = 0;
};

void load_link(const std::string& file, bool strict) {
  SmallLink link;
  try {
    load_npz(file, link, {.strict = strict, .limits = kFuzzLimits});
  } catch (const IoError&) {
    if (!link.is_untouched()) std::abort();
  }
}

}  // namespace
}  // namespace catena::serializers

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string file = catena::serializers::fuzz_file(data, size);
  catena::serializers::load_link(file, true);
  catena::serializers::load_link(file, false);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  return catena::testing::mutate_and_mend(data, size, max_size, seed,
                                          catena::testing::mend_zip);
}
