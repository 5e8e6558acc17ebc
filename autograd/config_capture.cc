#include "catena/autograd/config_capture.h"

#include <cstdint>
#include <vector>

#include "catena/autograd/config.h"

namespace catena::internal {
namespace {

class ConfigInCapture final : public CaptureParticipant {
 public:
  void append_key(std::vector<uint64_t>& key) const override {
    const Config& now = config();
    for (const bool flag :
         {now.train, now.enable_backprop, now.keep_graph_on_report,
          now.lazy_grad_sum, now.cudnn_deterministic, now.autotune,
          now.use_cudnn_graph, now.use_cudnn_rnn_stack,
          now.dtype.is_mixed16()}) {
      key.push_back(flag);
    }
    key.insert(key.end(), {static_cast<uint64_t>(Dtype(now.dtype)),
                           static_cast<uint64_t>(now.autocast.dtype()),
                           static_cast<uint64_t>(now.use_cudnn),
                           static_cast<uint64_t>(now.use_cudnn_tensor_core)});
  }
};

}  // namespace

std::unique_ptr<CaptureParticipant> config_in_capture() {
  return std::make_unique<ConfigInCapture>();
}

}  // namespace catena::internal
