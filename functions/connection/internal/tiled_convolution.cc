#include "catena/functions/connection/internal/tiled_convolution.h"

#include <algorithm>
#include <cstdint>

#include "catena/array/core/memory_pool.h"
#include "catena/array/core/parallel.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/linalg/row_tiles.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using Buffer = catena::cpu::PoolBuffer<float>;

// Elements of columns processed at a time, which fit into the L2 cache.
constexpr int64_t kColumnElements = int64_t{1} << 17;

// Calls part(d, i) for the n elements in full registers of d, and item(i) for
// the last few.
template <class Part, class Item>
HWY_INLINE void for_each_part(int64_t n, const Part& part, const Item& item) {
  constexpr int kFull = kLanes<float>;
  int64_t i = 0;
  for (; i + kFull <= n; i += kFull) part(Tag<float>(), i);
  if constexpr (kFull > 8) {
    if (i + 8 <= n) {
      part(hn::CappedTag<float, 8>(), i);
      i += 8;
    }
  }
  if constexpr (kFull > 4) {
    if (i + 4 <= n) {
      part(hn::CappedTag<float, 4>(), i);
      i += 4;
    }
  }
  for (; i < n; ++i) item(i);
}

// A part of an image, or of a column: rows that are `step` floats apart.
template <class T>
struct Rows {
  T* first;
  int64_t step;
};

// Rows are short, so each is processed separately.
HWY_INLINE void copy_rows(Rows<float> to, Rows<const float> from, int64_t count,
                          int64_t n) {
  for_each_part(
      n,
      [&](auto d, int64_t i) HWY_ATTR {
        for (int64_t row = 0; row < count; ++row) {
          hn::StoreU(hn::LoadU(d, from.first + row * from.step + i), d,
                     to.first + row * to.step + i);
        }
      },
      [&](int64_t i) HWY_ATTR {
        for (int64_t row = 0; row < count; ++row) {
          to.first[row * to.step + i] = from.first[row * from.step + i];
        }
      });
}

HWY_INLINE void add_rows(Rows<float> to, Rows<const float> from, int64_t count,
                         int64_t n) {
  for_each_part(
      n,
      [&](auto d, int64_t i) HWY_ATTR {
        for (int64_t row = 0; row < count; ++row) {
          float* const sum = to.first + row * to.step + i;
          hn::StoreU(hn::Add(hn::LoadU(d, sum),
                             hn::LoadU(d, from.first + row * from.step + i)),
                     d, sum);
        }
      },
      [&](int64_t i) HWY_ATTR {
        for (int64_t row = 0; row < count; ++row) {
          to.first[row * to.step + i] += from.first[row * from.step + i];
        }
      });
}

HWY_INLINE void clear_rows(Rows<float> to, int64_t count, int64_t n) {
  if (n == 0) return;
  for (int64_t row = 0; row < count; ++row) {
    for (int64_t i = 0; i < n; ++i) to.first[row * to.step + i] = 0;
  }
}

// The im2col columns of an image for some rows of outputs: (channels * k,
// positions), where k is the number of window elements.
class Columns {
 public:
  explicit Columns(const TiledConvolution& args)
      : args_(args),
        depth_(args.channels * args.ksize[0] * args.ksize[1]),
        rows_(std::clamp<int64_t>(kColumnElements / (depth_ * args.out_width),
                                  1, args.out_height)) {
    // Not a multiple of 1 KiB, so that columns do not compete for the same
    // cache sets.
    step_ = (rows_ * args.out_width + 15) / 16 * 16;
    if (step_ % 256 == 0) step_ += 16;
  }

  int64_t depth() const { return depth_; }
  // The stride in floats between columns of successive elements, and the total.
  int64_t step() const { return step_; }
  int64_t size() const { return depth_ * step_; }
  // The number of parts that output rows are split into; the first row of a
  // part.
  int64_t parts() const { return (args_.out_height + rows_ - 1) / rows_; }
  int64_t row(int64_t part) const {
    return std::min(part * rows_, args_.out_height);
  }
  int64_t first_place(int64_t part) const {
    return row(part) * args_.out_width;
  }
  int64_t places(int64_t part) const {
    return first_place(part + 1) - first_place(part);
  }

  void fill(const float* image, int64_t part, float* columns) const {
    const int64_t width = args_.out_width;
    for_each_block(
        image, part, columns,
        [&](const Block<const float, float>& block) HWY_ATTR {
          const auto [rows, seen] = block.seen;
          float* const column = block.column;
          clear_rows({column, width}, rows.begin, width);
          const Rows<float> to{column + rows.begin * width, width};
          const int64_t count = rows.end - rows.begin;
          clear_rows(to, count, seen.begin);
          if (args_.stride[1] == 1) {
            copy_rows({to.first + seen.begin, width}, block.image, count,
                      seen.end - seen.begin);
          } else {
            for (int64_t row = 0; row < count; ++row) {
              const float* from = block.image.first + row * block.image.step;
              for (int64_t i = seen.begin; i < seen.end; ++i) {
                to.first[row * width + i] = *from;
                from += args_.stride[1];
              }
            }
          }
          clear_rows({to.first + seen.end, width}, count, width - seen.end);
          clear_rows({column + rows.end * width, width}, block.rows - rows.end,
                     width);
        });
  }

  // The transpose of fill, added to the image.
  void add_to(float* image, int64_t part, const float* columns) const {
    const int64_t width = args_.out_width;
    for_each_block(image, part, columns,
                   [&](const Block<float, const float>& block) HWY_ATTR {
                     const auto [rows, seen] = block.seen;
                     const Rows<const float> from{
                         block.column + rows.begin * width + seen.begin, width};
                     const int64_t count = rows.end - rows.begin;
                     const int64_t n = seen.end - seen.begin;
                     if (args_.stride[1] == 1) {
                       return add_rows(block.image, from, count, n);
                     }
                     for (int64_t row = 0; row < count; ++row) {
                       float* to = block.image.first + row * block.image.step;
                       for (int64_t i = 0; i < n; ++i, to += args_.stride[1]) {
                         *to += from.first[row * width + i];
                       }
                     }
                   });
  }

 private:
  struct Range {
    int64_t begin;
    int64_t end;
  };

  // The pixels that one window element reads: the rows and positions of the
  // column that are inside the image, and their location in the image.
  template <class Pixel, class Column>
  struct Block {
    struct {
      Range rows;
      Range places;
    } seen;
    Rows<Pixel> image;
    Column* column;
    int64_t rows;
  };

  // The outputs in [begin, end) for which window element `index` is inside the
  // image, counted from `begin`. Axis 0 is vertical, 1 horizontal.
  Range seen_by(int axis, int64_t index, int64_t begin, int64_t end) const {
    const int64_t stride = args_.stride[axis];
    const int64_t offset = index * args_.dilate[axis] - args_.pad[axis];
    // The first output at or after a position of the image.
    const auto first = [&](int64_t place) {
      const int64_t distance = place - offset;
      return distance <= 0 ? 0 : (distance + stride - 1) / stride;
    };
    const int64_t from = std::clamp(first(0), begin, end);
    const int64_t extent = axis == 0 ? args_.height : args_.width;
    return {from - begin, std::clamp(first(extent), from, end) - begin};
  }

  template <class Pixel, class Column, class Body>
  void for_each_block(Pixel* image, int64_t part, Column* columns,
                      const Body& body) const {
    const int64_t first = row(part);
    const int64_t end = row(part + 1);
    for (int64_t c = 0; c < args_.channels; ++c) {
      for (int64_t i = 0; i < args_.ksize[0]; ++i) {
        const Range rows = seen_by(0, i, first, end);
        const int64_t top = (first + rows.begin) * args_.stride[0] +
                            i * args_.dilate[0] - args_.pad[0];
        for (int64_t j = 0; j < args_.ksize[1]; ++j) {
          const Range places = seen_by(1, j, 0, args_.out_width);
          const bool is_seen =
              rows.begin < rows.end && places.begin < places.end;
          const int64_t left = places.begin * args_.stride[1] +
                               j * args_.dilate[1] - args_.pad[1];
          const Block<Pixel, Column> block{
              {is_seen ? rows : Range{0, 0}, places},
              {is_seen ? image + top * args_.width + left : image,
               args_.stride[0] * args_.width},
              columns,
              end - first};
          body(block);
          columns += step_;
        }
      }
      image += args_.height * args_.width;
    }
  }

  const TiledConvolution& args_;
  int64_t depth_;
  int64_t rows_;
  int64_t step_;
};

class Convolution {
 public:
  explicit Convolution(const TiledConvolution& args)
      : args_(args),
        columns_(args),
        depth_(columns_.depth()),
        places_(args.out_height * args.out_width) {}

  void forward() const {
    const int64_t parts = columns_.parts();
    catena::cpu::parallel_for(args_.batch * parts, 1,
                              [&](int64_t begin, int64_t end) {
                                const Buffer columns(columns_.size());
                                for (int64_t i = begin; i < end; ++i) {
                                  forward(i / parts, i % parts, columns.get());
                                }
                              });
  }

  void backward_data() const {
    // The transpose of W, (channels * k, outputs).
    const Buffer weights(depth_ * args_.outputs);
    tiles::transpose(weights.get(), args_.outputs, args_.W, depth_,
                     args_.outputs, depth_);
    catena::cpu::parallel_for(args_.batch, 1, [&](int64_t begin, int64_t end) {
      const Buffer columns(columns_.size());
      for (int64_t n = begin; n < end; ++n) {
        backward_data(n, weights.get(), columns.get());
      }
    });
  }

  void backward_weights() const {
    const TransposedTiles tiles(args_.outputs);
    // Each thread has its own sum, the transpose of W with padded rows.
    const int64_t sum_size = depth_ * tiles.width();
    const int64_t count = std::min<int64_t>(get_num_threads(), args_.batch);
    const Buffer sums(count * sum_size);
    catena::cpu::parallel_for(count, 1, [&](int64_t begin, int64_t end) {
      const Buffer columns(columns_.size());
      const Buffer lanes(tiles.width() * columns_.places(0));
      for (int64_t i = begin; i < end; ++i) {
        float* const sum = sums.get() + i * sum_size;
        std::fill_n(sum, sum_size, 0.0f);
        for (int64_t n = args_.batch * i / count;
             n < args_.batch * (i + 1) / count; ++n) {
          backward_weights(n, tiles, lanes.get(), columns.get(), sum);
        }
      }
    });
    for (int64_t i = 1; i < count; ++i) {
      add_rows({sums.get(), 0}, {sums.get() + i * sum_size, 0}, 1, sum_size);
    }
    tiles::transpose(args_.W, depth_, sums.get(), tiles.width(), depth_,
                     args_.outputs);
  }

 private:
  float* image(int64_t n) const {
    return args_.x + n * args_.channels * args_.height * args_.width;
  }
  float* outputs(int64_t n, int64_t part) const {
    return args_.y + n * args_.outputs * places_ + columns_.first_place(part);
  }

  void forward(int64_t n, int64_t part, float* columns) const {
    columns_.fill(image(n), part, columns);
    float* const y = outputs(n, part);
    const int64_t count = columns_.places(part);
    if (args_.b != nullptr) {
      for (int64_t o = 0; o < args_.outputs; ++o) {
        std::fill_n(y + o * places_, count, args_.b[o]);
      }
    }
    multiply({.m = args_.outputs,
              .n = count,
              .k = depth_,
              .a = args_.W,
              .lda = depth_,
              .b = columns,
              .ldb = columns_.step(),
              .c = y,
              .ldc = places_,
              .beta = args_.b == nullptr ? 0.0f : 1.0f});
  }

  void backward_data(int64_t n, const float* weights, float* columns) const {
    float* const x = image(n);
    std::fill_n(x, args_.channels * args_.height * args_.width, 0.0f);
    for (int64_t part = 0; part < columns_.parts(); ++part) {
      multiply({.m = depth_,
                .n = columns_.places(part),
                .k = args_.outputs,
                .a = weights,
                .lda = args_.outputs,
                .b = outputs(n, part),
                .ldb = places_,
                .c = columns,
                .ldc = columns_.step()});
      columns_.add_to(x, part, columns);
    }
  }

  void backward_weights(int64_t n, const TransposedTiles& tiles, float* lanes,
                        float* columns, float* sum) const {
    for (int64_t part = 0; part < columns_.parts(); ++part) {
      const int64_t count = columns_.places(part);
      columns_.fill(image(n), part, columns);
      tiles.transpose(outputs(n, part), places_, count, lanes);
      tiles.add_transposed({.m = args_.outputs,
                            .n = depth_,
                            .k = count,
                            .a = lanes,
                            .lda = count,
                            .b = columns,
                            .ldb = columns_.step(),
                            .c = sum,
                            .ldc = tiles.width()});
    }
  }

  static void multiply(const Product<float>& product) {
    PlainTiles(product).run(0, product.n, /*is_far=*/false);
  }

  const TiledConvolution& args_;
  Columns columns_;
  int64_t depth_;
  int64_t places_;
};

void forward(const TiledConvolution& args) { Convolution(args).forward(); }

void backward_data(const TiledConvolution& args) {
  Convolution(args).backward_data();
}

void backward_weights(const TiledConvolution& args) {
  Convolution(args).backward_weights();
}

}  // namespace

template <>
constinit const TiledConvolutionKernels
    Kernels<TiledConvolutionKernels>::table = {forward, backward_data,
                                               backward_weights};

}  // namespace catena::kernels::CATENA_BACKEND
