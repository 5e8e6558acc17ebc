#include "catena/functions/engines/cells/cell_pass.h"

#include <algorithm>
#include <cstring>

#include "catena/array/core/parallel.h"

namespace catena::functions::cpu {
namespace {

// Minimum units per thread; fewer are cheaper than waking a thread.
constexpr int64_t kGrain = 2048;

// The size of a stream's buffer; all buffers fit into the L1 cache.
constexpr int64_t kBlockBytes = 512;

// Interleaved streams, or a single stream.
struct Staged {
  int first;
  int count;
  bool is_group;
};

class Streams {
 public:
  Streams(const CellArgs& args, const CellPass& pass)
      : args_(args), pass_(pass), block_(kBlockBytes / pass.item_size) {
    const int count = args.inputs + args.outputs;
    rows_ = args.rows;
    units_ = args.units;
    if (is_one_row()) {
      units_ *= rows_;
      rows_ = 1;
    }
    for (int k = 0; k < count;) {
      if (stream(k).data == nullptr ||
          stream(k).unit_stride == pass.item_size) {
        ++k;
        continue;
      }
      const int last = k < args.inputs ? args.inputs : count;
      const int group = group_at(k, last);
      staged_[nstaged_++] = {k, std::max(group, 1), group > 0};
      k += std::max(group, 1);
    }
  }

  void run() const {
    const int64_t columns = (units_ + block_ - 1) / block_;
    const int64_t grain =
        std::max<int64_t>(1, kGrain / std::min(units_, block_));
    catena::cpu::parallel_for(
        rows_ * columns, grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t first = i % columns * block_;
            run_block(i / columns, first, std::min(block_, units_ - first));
          }
        });
  }

 private:
  const CellArgs::Stream& stream(int k) const { return args_.streams[k]; }

  // Whether every stream has the same stride across rows as within a row.
  bool is_one_row() const {
    for (int k = 0; k < args_.inputs + args_.outputs; ++k) {
      if (stream(k).data != nullptr &&
          stream(k).row_stride != args_.units * stream(k).unit_stride) {
        return false;
      }
    }
    return true;
  }

  // The number of interleaved streams from k on; 0 if they are not interleaved.
  int group_at(int k, int last) const {
    const int64_t size = pass_.item_size;
    const int64_t count = stream(k).unit_stride / size;
    if (stream(k).unit_stride != count * size || count < 2 ||
        k + count > last) {
      return 0;
    }
    for (int j = 1; j < count; ++j) {
      const CellArgs::Stream& next = stream(k + j);
      if (next.data != stream(k).data + j * size ||
          next.unit_stride != stream(k).unit_stride ||
          next.row_stride != stream(k).row_stride) {
        return 0;
      }
    }
    return static_cast<int>(count);
  }

  void run_block(int64_t row, int64_t first, int64_t n) const {
    alignas(64) char buffers[kMaxCellStreams][kBlockBytes];
    char* at[kMaxCellStreams];
    char* data[kMaxCellStreams];
    for (int k = 0; k < args_.inputs + args_.outputs; ++k) {
      const CellArgs::Stream& s = stream(k);
      at[k] = s.data == nullptr
                  ? nullptr
                  : s.data + row * s.row_stride + first * s.unit_stride;
      data[k] = at[k];
    }
    for (const Staged* s = staged_; s < staged_ + nstaged_; ++s) {
      for (int k = s->first; k < s->first + s->count; ++k) data[k] = buffers[k];
      if (s->first < args_.inputs) read(*s, at, data, n);
    }
    pass_.run(data, args_.inputs, n, args_.op);
    for (const Staged* s = staged_; s < staged_ + nstaged_; ++s) {
      if (s->first >= args_.inputs) write(*s, at, data, n);
    }
  }

  void read(const Staged& s, char* const* at, char* const* data,
            int64_t n) const {
    if (s.is_group) {
      return pass_.split(data + s.first, at[s.first], s.count, n);
    }
    const int64_t size = pass_.item_size;
    for (int64_t i = 0; i < n; ++i) {
      std::memcpy(data[s.first] + i * size,
                  at[s.first] + i * stream(s.first).unit_stride, size);
    }
  }

  void write(const Staged& s, char* const* at, char* const* data,
             int64_t n) const {
    if (s.is_group) {
      return pass_.join(at[s.first], data + s.first, s.count, n);
    }
    const int64_t size = pass_.item_size;
    for (int64_t i = 0; i < n; ++i) {
      std::memcpy(at[s.first] + i * stream(s.first).unit_stride,
                  data[s.first] + i * size, size);
    }
  }

  const CellArgs& args_;
  const CellPass& pass_;
  int64_t block_;
  int64_t rows_;
  int64_t units_;
  Staged staged_[kMaxCellStreams];
  int nstaged_ = 0;
};

}  // namespace

void run_cell_pass(const CellArgs& args, const CellPass& pass) {
  Streams(args, pass).run();
}

}  // namespace catena::functions::cpu
