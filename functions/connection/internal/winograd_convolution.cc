#include "catena/functions/connection/internal/winograd_convolution.h"

#include <algorithm>
#include <cstdint>

#include "catena/array/core/memory_pool.h"
#include "catena/array/core/parallel.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/functions/connection/internal/winograd_matrices.h"
#include "catena/functions/connection/internal/winograd_product.h"
#include "catena/functions/connection/internal/winograd_tiles.h"
#include "hwy/highway.h"

namespace catena::kernels::CATENA_BACKEND {

#if HWY_TARGET != HWY_SCALAR

namespace {

using namespace winograd;
using array::WinogradConvolution;
using array::winograd::kPanel;
using array::winograd::kPoints;
using array::winograd::plane_step;
using Buffer = catena::cpu::PoolBuffer<float>;

// A convolution of images: the forward pass, or the gradient of x.
class Pass {
 public:
  Pass(const Images& images, const Weights& weights, const float* transformed,
       const Outputs& outputs, int64_t batch)
      : images_(images),
        weights_(weights),
        transformed_(transformed),
        outputs_(outputs),
        geometry_(batch, outputs.height, outputs.width),
        block_tiles_(block_tiles_of(geometry_.tiles)),
        blocks_((geometry_.tiles + block_tiles_ - 1) / block_tiles_),
        panels_((weights.rows + kPanel - 1) / kPanel) {}

  void run() const {
    if (blocks_ >= 4 * get_num_threads()) {
      run_by_blocks();
    } else {
      run_by_panels();
    }
  }

  // All panels, for any number of tiles.
  static Panels layout(const Weights& weights, const float* first) {
    const int64_t panels = (weights.rows + kPanel - 1) / kPanel;
    const int64_t panel_step = weights.channels * kPanel;
    return {first, plane_step(panels * panel_step), panel_step};
  }

  static void transform_all(const Weights& weights, float* to) {
    const Panels all = layout(weights, to);
    const int64_t panels = (weights.rows + kPanel - 1) / kPanel;
    catena::cpu::parallel_for(panels, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        transform_panel(weights, i, to + i * all.panel_step, all.step);
      }
    });
  }

 private:
  // Panels whose products are computed together.
  static constexpr int64_t kPanelsAtOnce = 2;

  Block block(int64_t i) const {
    return Block(geometry_, i * block_tiles_,
                 std::min((i + 1) * block_tiles_, geometry_.tiles));
  }

  // The same number of registers in each block, as far as possible.
  static int64_t block_tiles_of(int64_t tiles) {
    const int64_t blocks = (tiles + kBlockTiles - 1) / kBlockTiles;
    return round_up((tiles + blocks - 1) / blocks, kFull);
  }

  static constexpr int64_t products_step() {
    return plane_step(kPanelsAtOnce * kPanel * kBlockTiles);
  }
  int64_t inputs_step(int64_t width) const {
    return plane_step(images_.channels * width);
  }
  int64_t inputs_size() const { return kPoints * inputs_step(kBlockTiles); }

  // Each thread has its own tiles, and multiplies them by all weights.
  void run_by_blocks() const {
    const bool is_given = transformed_ != nullptr;
    const Buffer memory(is_given ? 0
                                 : array::winograd::weights_size(
                                       weights_.rows, weights_.channels));
    if (!is_given) transform_all(weights_, memory.get());
    const Panels all = layout(weights_, is_given ? transformed_ : memory.get());
    catena::cpu::parallel_for(blocks_, 1, [&](int64_t begin, int64_t end) {
      const Buffer inputs(inputs_size());
      const Buffer products(kPoints * products_step());
      for (int64_t i = begin; i < end; ++i) {
        const Block tiles = block(i);
        Transform<InputTiles>(images_, tiles, inputs.get(),
                              inputs_step(tiles.width()))
            .run(0, images_.channels);
        for (int64_t j = 0; j < panels_; j += kPanelsAtOnce) {
          const Panels some = {all.first + j * all.panel_step, all.step,
                               all.panel_step};
          multiply_by(some, j, tiles, inputs.get(), products.get());
        }
      }
    });
  }

  // All threads transform some tiles; then each has its own weights, which are
  // read once.
  void run_by_panels() const {
    constexpr int64_t kCachedFloats = int64_t{1} << 21;
    const int64_t at_once =
        std::clamp<int64_t>(kCachedFloats / inputs_size(), 1, blocks_);
    const Buffer inputs(at_once * inputs_size());
    for (int64_t i = 0; i < blocks_; i += at_once) {
      const int64_t end = std::min(i + at_once, blocks_);
      catena::cpu::parallel_for(
          images_.channels, 8,
          [&](int64_t channels_begin, int64_t channels_end) {
            for (int64_t j = i; j < end; ++j) {
              const Block tiles = block(j);
              float* const to = inputs.get() + (j - i) * inputs_size() +
                                channels_begin * tiles.width();
              Transform<InputTiles>(images_, tiles, to,
                                    inputs_step(tiles.width()))
                  .run(channels_begin, channels_end);
            }
          });
      const int64_t jobs = (panels_ + kPanelsAtOnce - 1) / kPanelsAtOnce;
      catena::cpu::parallel_for(jobs, 1, [&](int64_t first, int64_t last) {
        const int64_t panel_step = images_.channels * kPanel;
        const int64_t step = plane_step(kPanelsAtOnce * panel_step);
        const Buffer memory(transformed_ == nullptr ? kPoints * step : 0);
        const Buffer products(kPoints * products_step());
        for (int64_t job = first; job < last; ++job) {
          const int64_t j = job * kPanelsAtOnce;
          Panels some = {memory.get(), step, panel_step};
          if (transformed_ != nullptr) {
            some = layout(weights_, transformed_);
            some.first += j * panel_step;
          } else {
            for (int64_t k = j; k < std::min(j + kPanelsAtOnce, panels_); ++k) {
              transform_panel(weights_, k, memory.get() + (k - j) * panel_step,
                              step);
            }
          }
          for (int64_t k = i; k < end; ++k) {
            multiply_by(some, j, block(k),
                        inputs.get() + (k - i) * inputs_size(), products.get());
          }
        }
      });
    }
  }

  void multiply_by(const Panels& panels, int64_t first_panel,
                   const Block& tiles, const float* inputs,
                   float* products) const {
    const int64_t count = std::min(kPanelsAtOnce, panels_ - first_panel);
    const int64_t width = tiles.width();
    for (int64_t point = 0; point < kPoints; ++point) {
      for (int64_t i = 0; i < count; ++i) {
        multiply_panel(
            {.depth = images_.channels,
             .a = panels.first + point * panels.step + i * panels.panel_step,
             .b = inputs + point * inputs_step(width),
             .ldb = width,
             .c = products + point * products_step() + i * kPanel * width,
             .ldc = width},
            width);
      }
    }
    const int64_t begin = first_panel * kPanel;
    const int64_t end = std::min(begin + count * kPanel, weights_.rows);
    for (int64_t k = begin; k < end; ++k) {
      write_outputs(products + (k - begin) * width, products_step(), tiles, k,
                    outputs_);
    }
  }

  const Images& images_;
  const Weights& weights_;
  const float* transformed_;
  const Outputs& outputs_;
  Geometry geometry_;
  int64_t block_tiles_;
  int64_t blocks_;
  int64_t panels_;
};

Images images_of(const WinogradConvolution& args) {
  return {args.x,
          args.channels,
          args.height,
          args.width,
          {args.pad[0], args.pad[1]}};
}

Weights weights_of(const WinogradConvolution& args) {
  return {args.W, args.outputs, args.channels, args.channels * 9, 9, false};
}

void transform_weights(const WinogradConvolution& args, float* transformed) {
  Pass::transform_all(weights_of(args), transformed);
}

void forward(const WinogradConvolution& args) {
  const Images images = images_of(args);
  const Outputs outputs = {args.y,           args.outputs, args.out_height(),
                           args.out_width(), args.b,       args.residual,
                           args.relu};
  Pass(images, weights_of(args), args.transformed, outputs, args.batch).run();
}

// A convolution of y's gradient with the weights rotated by 180 degrees.
void backward_data(const WinogradConvolution& args) {
  const Images images = {args.y,
                         args.outputs,
                         args.out_height(),
                         args.out_width(),
                         {2 - args.pad[0], 2 - args.pad[1]}};
  const Weights weights = {args.W, args.channels,     args.outputs,
                           9,      args.channels * 9, true};
  const Outputs outputs = {args.x,  args.channels, args.height, args.width,
                           nullptr, nullptr,       false};
  Pass(images, weights, nullptr, outputs, args.batch).run();
}

// The gradient of W: for each point, the sum over tiles of the products of the
// transforms of x and of y's gradient.
class WeightsPass {
 public:
  WeightsPass(const Images& x, const Images& y, int64_t batch, float* W)
      : x_(x),
        y_(y),
        W_(W),
        geometry_(batch, y.height, y.width),
        blocks_((geometry_.tiles + kBlockTiles - 1) / kBlockTiles),
        blocks_at_once_(std::clamp<int64_t>(
            kCachedFloats / (kPoints * kBlockTiles * (x.channels + y.channels)),
            1, blocks_)),
        tiles_at_once_(
            std::min(blocks_at_once_ * kBlockTiles, geometry_.tiles)),
        left_step_(plane_step(round_up(y.channels, kPanel) * tiles_at_once_)),
        right_step_(plane_step(round_up(x.channels, kRight) * tiles_at_once_)),
        jobs_down_((y.channels + kRowsOfJob - 1) / kRowsOfJob),
        jobs_across_((x.channels + kColumnsOfJob - 1) / kColumnsOfJob) {}

  void run() const {
    const Buffer left(kPoints * left_step_);
    const Buffer right(kPoints * right_step_);
    const bool is_one_part = blocks_ <= blocks_at_once_;
    const int64_t jobs = jobs_down_ * jobs_across_;
    const Buffer sums(is_one_part ? 0 : jobs * kPoints * kSumsStep);
    for (int64_t i = 0; i < blocks_; i += blocks_at_once_) {
      const int64_t end = std::min(i + blocks_at_once_, blocks_);
      transform(i, end, left.get(), right.get());
      const int64_t depth =
          std::min(end * kBlockTiles, geometry_.tiles) - i * kBlockTiles;
      catena::cpu::parallel_for(jobs, 1, [&](int64_t first, int64_t last) {
        const Buffer own(is_one_part ? kPoints * kSumsStep : 0);
        for (int64_t job = first; job < last; ++job) {
          float* const to =
              is_one_part ? own.get() : sums.get() + job * kPoints * kSumsStep;
          multiply_job(job, left.get(), right.get(), depth, i > 0, to);
          if (end == blocks_) write_job(job, to);
        }
      });
    }
  }

 private:
  // What both transforms may take.
  static constexpr int64_t kCachedFloats = int64_t{1} << 22;
  // Channels of x that are packed together: a multiple of kPanel.
  static constexpr int64_t kRight = kFull == 4 ? 8 : 3 * kFull;
  static constexpr int64_t kRowsOfJob = 4 * kPanel;
  static constexpr int64_t kColumnsOfJob = 2 * kRight;
  static constexpr int64_t kSumsStep = plane_step(kRowsOfJob * kColumnsOfJob);

  // Packs blocks of tiles: y as (panels, tiles, kPanel) for each point, x as
  // (panels, tiles, kRight).
  void transform(int64_t begin, int64_t end, float* left, float* right) const {
    const int64_t y_parts = (y_.channels + kPanel - 1) / kPanel;
    const int64_t parts = y_parts + (x_.channels + kPanel - 1) / kPanel;
    catena::cpu::parallel_for(
        (end - begin) * parts, 1, [&](int64_t first, int64_t last) {
          constexpr int64_t kStep = plane_step(kPanel * kBlockTiles);
          const Buffer memory(kPoints * kStep);
          std::fill_n(memory.get(), kPoints * kStep, 0.0f);
          for (int64_t i = first; i < last; ++i) {
            const int64_t place = (begin + i / parts) * kBlockTiles;
            const Block block(geometry_, place,
                              std::min(place + kBlockTiles, geometry_.tiles));
            const int64_t tile = place - begin * kBlockTiles;
            const int64_t part = i % parts;
            if (part < y_parts) {
              const int64_t c = part * kPanel;
              Transform<GradientTiles>(y_, block, memory.get(), kStep)
                  .run(c, std::min(c + kPanel, y_.channels));
              transpose(memory.get(), kStep, block,
                        left + (part * tiles_at_once_ + tile) * kPanel,
                        left_step_, kPanel);
            } else {
              const int64_t c = (part - y_parts) * kPanel;
              Transform<InputTiles>(x_, block, memory.get(), kStep)
                  .run(c, std::min(c + kPanel, x_.channels));
              transpose(memory.get(), kStep, block,
                        right + (c / kRight * tiles_at_once_ + tile) * kRight +
                            c % kRight,
                        right_step_, kRight);
            }
          }
        });
  }

  // Writes the transposes of matrices (kPanel, tiles); rows of `to` are
  // `to_row` floats apart.
  static void transpose(const float* from, int64_t from_step,
                        const Block& block, float* to, int64_t to_step,
                        int64_t to_row) {
    const Half half;
    for (int64_t point = 0; point < kPoints; ++point) {
      for (int64_t i = 0; i < block.tiles(); i += 4) {
        const float* rows[kPanel];
        for (int64_t j = 0; j < kPanel; ++j) {
          rows[j] = from + point * from_step + j * block.width() + i;
        }
        const int64_t count = std::min<int64_t>(4, block.tiles() - i);
        for (int64_t part = 0; part < kPanel / kHalf; ++part) {
          Eighth columns[4];
          load_transposed(rows + 4 * part, columns);
          for (int64_t j = 0; j < count; ++j) {
            hn::StoreU(columns[j], half,
                       to + point * to_step + (i + j) * to_row + part * kHalf);
          }
        }
      }
    }
  }

  struct Part {
    int64_t row;
    int64_t rows;
    int64_t column;
    int64_t columns;
  };
  Part part_of(int64_t job) const {
    const int64_t row = job / jobs_across_ * kRowsOfJob;
    const int64_t column = job % jobs_across_ * kColumnsOfJob;
    return {row, std::min(kRowsOfJob, y_.channels - row), column,
            std::min(kColumnsOfJob, x_.channels - column)};
  }

  void multiply_job(int64_t job, const float* left, const float* right,
                    int64_t depth, bool is_added, float* sums) const {
    const Part part = part_of(job);
    for (int64_t point = 0; point < kPoints; ++point) {
      for (int64_t j = 0; j < part.columns; j += kRight) {
        const int64_t width =
            round_up(std::min(kRight, part.columns - j), kFull);
        for (int64_t i = 0; i < part.rows; i += kPanel) {
          multiply_panel(
              {.depth = depth,
               .a = left + point * left_step_ + (part.row + i) * tiles_at_once_,
               .b = right + point * right_step_ +
                    (part.column + j) * tiles_at_once_,
               .ldb = kRight,
               .c = sums + point * kSumsStep + i * kColumnsOfJob + j,
               .ldc = kColumnsOfJob,
               .is_added = is_added},
              width);
        }
      }
    }
  }

  // Writes G^T u G.
  void write_job(int64_t job, const float* sums) const {
    const D d;
    const Part part = part_of(job);
    for (int64_t i = 0; i < part.rows; ++i) {
      for (int64_t j = 0; j < part.columns; j += kFull) {
        V transposed[3][kSeen];
        for (int64_t k = 0; k < kSeen; ++k) {
          V column[kSeen];
          for (int64_t r = 0; r < kSeen; ++r) {
            column[r] = hn::LoadU(
                d, sums + (r * kSeen + k) * kSumsStep + i * kColumnsOfJob + j);
          }
          V w[3];
          transform_sums(column, w);
          for (int64_t r = 0; r < 3; ++r) transposed[r][k] = w[r];
        }
        alignas(64) float lanes[9][kFull];
        for (int64_t r = 0; r < 3; ++r) {
          V w[3];
          transform_sums(transposed[r], w);
          for (int64_t k = 0; k < 3; ++k) hn::Store(w[k], d, lanes[3 * r + k]);
        }
        float* to = W_ + ((part.row + i) * x_.channels + part.column + j) * 9;
        const int64_t count = std::min(kFull, part.columns - j);
        for (int64_t lane = 0; lane < count; ++lane) {
          for (int64_t k = 0; k < 9; ++k) *to++ = lanes[k][lane];
        }
      }
    }
  }

  const Images& x_;
  const Images& y_;
  float* W_;
  Geometry geometry_;
  int64_t blocks_;
  int64_t blocks_at_once_;
  int64_t tiles_at_once_;
  int64_t left_step_;
  int64_t right_step_;
  int64_t jobs_down_;
  int64_t jobs_across_;
};

void backward_weights(const WinogradConvolution& args) {
  const Images x = images_of(args);
  const Images y = {
      args.y, args.outputs, args.out_height(), args.out_width(), {0, 0}};
  WeightsPass(x, y, args.batch, args.W).run();
}

}  // namespace

template <>
constinit const array::WinogradKernels Kernels<array::WinogradKernels>::table =
    {transform_weights, forward, backward_data, backward_weights, kFull};

#else

template <>
constinit const array::WinogradKernels Kernels<array::WinogradKernels>::table =
    {};

#endif

}  // namespace catena::kernels::CATENA_BACKEND
