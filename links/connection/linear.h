#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/functions/connection/linear.h"
#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"
#include "catena/links/low_rank_layer.h"

namespace catena::links {

struct LinearOptions {
  NamedFieldsOnly keywords = {};
  bool nobias = false;
  Initializer initialW = initializers::LeCunNormal();
  Initializer initial_bias = initializers::Constant(0);
};

// A fully connected layer, y = x W^T + b. With an update of low rank,
//
//   y = x W^T + b + alpha / rank dropout(x) lora_A^T lora_B^T
//
// where lora_A is (rank, in_size) and lora_B (out_size, rank), of W's dtype.
class Linear : public Link, public LowRankLayer {
 public:
  using Options = LinearOptions;

  // Without in_size, W is initialized at the first call from x's shape. Throws
  // ValueError when a size is not positive.
  explicit Linear(int64_t out_size, const LinearOptions& options = {});
  Linear(std::optional<int64_t> in_size, int64_t out_size,
         const LinearOptions& options = {});

  // The axes of x from n_batch_axes on are flattened to in_size; y keeps the
  // others: (N, ...) gives (N, out_size), and with {.n_batch_axes = 2} (N, M,
  // ...) gives (N, M, out_size). Throws InvalidType when sizes do not match.
  Variable forward(const Variable& x,
                   const functions::LinearOptions& options = {});
  Variable operator()(const Variable& x,
                      const functions::LinearOptions& options = {}) {
    return call_link(*this, x, options);
  }

  // As LowRankLayer has them: an update of W by two small matrices.
  void add_low_rank(int64_t rank, const LowRankOptions& options = {}) override;
  void remove_low_rank() override;
  bool has_low_rank() const override { return low_rank_.has_value(); }
  void merge_low_rank() override;
  void unmerge_low_rank() override;
  bool is_low_rank_merged() const override {
    return low_rank_ && low_rank_->is_merged;
  }
  void freeze_low_rank(bool frozen) override;
  void serialize_low_rank(const Serializer& serializer) override;

  // Throws ValueError while an update of low rank is merged.
  void serialize(const Serializer& serializer) override;

  Param W;  // (out_size, in_size)
  Param b;  // (out_size,); absent with nobias

 private:
  struct LowRank {
    int64_t rank;
    double alpha;
    double dropout;
    bool is_merged = false;
  };

  void check_low_rank(std::string_view operation) const;
  void add_to_W(double sign);

  int64_t out_size_;
  std::optional<LowRank> low_rank_;
};

}  // namespace catena::links
