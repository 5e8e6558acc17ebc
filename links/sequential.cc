#include "catena/links/sequential.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/array/index.h"

namespace catena {

int64_t internal::checked_repeats(int64_t n) {
  if (n < 0) {
    raise<ValueError>("repeat: expected n of at least 0, got ", n);
  }
  return n;
}

namespace {

std::string variables(size_t n) {
  return str(n, n == 1 ? " variable" : " variables");
}

// "1 variable", "2 or 3 variables"
std::string allowed_counts(uint32_t counts) {
  std::string text;
  for (uint32_t rest = counts; rest != 0; rest &= rest - 1) {
    const auto n = static_cast<size_t>(std::countr_zero(rest));
    if (!text.empty()) text += " or ";
    text += (rest & (rest - 1)) == 0 ? variables(n) : str(n);
  }
  return text;
}

Variable only_one(Variables ys, std::string_view who) {
  if (ys.size() != 1) {
    raise<ValueError>(who, ": expected one result, got ", ys.size(),
                      ": pass a list for a list of results, `(Variables{x})`");
  }
  return std::move(ys[0]);
}

}  // namespace

Sequential::Layer::Layer(PlainFunction layer)
    : function_(layer), calls_(&kCalls<PlainFunction>) {}

bool Sequential::Layer::is(PlainFunction other) const {
  const PlainFunction* own = target<PlainFunction>();
  return own != nullptr && *own == other;
}

bool Sequential::Layer::takes(size_t n) const {
  return calls_->takes_list || (n < 32 && (calls_->counts >> n & 1) != 0);
}

void Sequential::Layer::throw_wrong_count(std::string_view who,
                                          size_t n) const {
  if (calls_->counts == 0) {
    raise<NotImplementedError>(
        who, ": this link has no forward that takes variables");
  }
  raise<ValueError>(who, ": expected ", allowed_counts(calls_->counts),
                    ", got ", n);
}

Variables Sequential::Layer::operator()(const Variables& xs) const {
  if (!takes(xs.size())) throw_wrong_count("Sequential::Layer", xs.size());
  return calls_->call(*this, xs);
}

Variable Sequential::Layer::operator()(const Variable& x) const {
  return only_one((*this)(Variables{x}), "Sequential::Layer");
}

Sequential::Sequential(Layer a, Layer b, Layer c, Layer d, Layer e, Layer f,
                       Layer g, Layer h, Layer i, Layer j, Layer k, Layer l) {
  for (Layer* layer : {&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l}) {
    if (layer->calls_ != nullptr) append(std::move(*layer));
  }
}

Variables Sequential::forward(const Variables& xs) {
  Variables hs = xs;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    if (!layer.takes(hs.size())) {
      layer.throw_wrong_count(str("Sequential: layer ", i), hs.size());
    }
    hs = layer.calls_->call(layer, hs);
  }
  return hs;
}

Variable Sequential::forward(const Variable& x) {
  return only_result(forward(Variables{x}));
}

Variable Sequential::only_result(Variables ys) {
  return only_one(std::move(ys), "Sequential");
}

// The position of one of `count`, from the front.
int64_t Sequential::checked(int64_t index, int64_t count) const {
  if (index < -size() || index >= count) {
    raise<IndexError>("Sequential: index ", index, " is out of range for ",
                      size(), " layers");
  }
  return index < 0 ? index + size() : index;
}

void Sequential::name_layers() {
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (Link* link = layers_[i].link()) set_name(*link, std::to_string(i));
  }
}

Sequential& Sequential::insert_layer(int64_t index, Layer layer) {
  layers_.insert(layers_.begin() + checked(index, size() + 1),
                 std::move(layer));
  name_layers();
  return *this;
}

Sequential& Sequential::extend(Sequential other) {
  std::ranges::move(other.layers_, std::back_inserter(layers_));
  name_layers();
  return *this;
}

Sequential::Layer Sequential::pop(int64_t index) {
  const auto at = layers_.begin() + checked(index, size());
  Layer layer = std::move(*at);
  layers_.erase(at);
  name_layers();
  return layer;
}

int64_t Sequential::count_if(bool (*is_it)(const Layer&)) const {
  return std::ranges::count_if(layers_, is_it);
}

void Sequential::remove_if(bool (*is_it)(const Layer&)) {
  if (std::erase_if(layers_, is_it) == 0) {
    raise<ValueError>("Sequential: there is no layer of that type");
  }
  name_layers();
}

template <class T>
int64_t Sequential::index_of(const T& layer, int64_t start,
                             std::optional<int64_t> end) const {
  const auto clamped = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + size() : at, 0, size());
  };
  for (int64_t i = clamped(start); i < clamped(end.value_or(size())); ++i) {
    if (layers_[i].is(layer)) return i;
  }
  raise<ValueError>("Sequential: the layer is not in the sequence");
}

int64_t Sequential::index(const Link& layer, int64_t start,
                          std::optional<int64_t> end) const {
  return index_of(layer, start, end);
}

int64_t Sequential::index(PlainFunction layer, int64_t start,
                          std::optional<int64_t> end) const {
  return index_of(layer, start, end);
}

template <class T>
int64_t Sequential::count_of(const T& layer) const {
  return std::ranges::count_if(
      layers_, [&](const Layer& other) { return other.is(layer); });
}

int64_t Sequential::count(const Link& layer) const { return count_of(layer); }

int64_t Sequential::count(PlainFunction layer) const { return count_of(layer); }

Sequential Sequential::flatten() const {
  Sequential result;
  for (const Layer& layer : layers_) {
    if (const auto* inner = dynamic_cast<const Sequential*>(layer.link())) {
      result.extend(inner->flatten());
    } else {
      result.layers_.push_back(layer);
    }
  }
  result.name_layers();
  return result;
}

const AnyLink& Sequential::link_at(int64_t index) const {
  const Layer& layer = layers_[checked(index, size())];
  if (!layer.link_) {
    raise<IndexError>("Sequential: expected a link at ", index,
                      ", got a function, which layer(", index, ") returns");
  }
  return *layer.link_;
}

Sequential Sequential::operator[](const Slice& slice) const {
  const CopyModeScope scope(CopyMode::kShare);
  Sequential result;
  const auto positions = array::slice_positions("Sequential", slice, size());
  for (int64_t i = 0; i < positions.count; ++i) {
    result.layers_.push_back(layers_[positions[i]]);
  }
  result.name_layers();
  return result;
}

Sequential Sequential::repeat(int64_t n, CopyMode mode) const {
  const CopyModeScope scope(mode);
  Sequential result;
  for (int64_t i = 0; i < internal::checked_repeats(n); ++i) {
    result.extend(*this);
  }
  return result;
}

void Sequential::visit_children(const ChildVisitor& visit) {
  for (const Layer& layer : layers_) {
    if (Link* link = layer.link()) visit(link->name(), *link);
  }
}

}  // namespace catena
