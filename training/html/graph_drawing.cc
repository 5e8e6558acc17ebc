#include "catena/training/html/graph_drawing.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/training/html/html_text.h"
#include "catena/training/number_text.h"

namespace catena::training::html {
namespace {

constexpr size_t kMaxNodes = 1000;
constexpr size_t kMaxLetters = 36;

// In pixels.
constexpr double kLetter = 7;
constexpr double kPadding = 20;
constexpr double kNodeHeight = 26;
constexpr double kLayer = 54;
constexpr double kGap = 14;

std::string pixels(double value) {
  return number_text(value, 1, std::chars_format::fixed);
}

// The text that fits into a node, not cut within a UTF-8 character.
std::string shortened(const std::string& label) {
  if (label.size() <= kMaxLetters) return label;
  size_t end = kMaxLetters - 3;
  while (end > 0 && (static_cast<unsigned char>(label[end]) & 0xc0) == 0x80) {
    --end;
  }
  return label.substr(0, end) + "...";
}

struct Box {
  std::string text;
  int layer = 0;
  double width = 0;
  double center = 0;
  double wish = 0;  // mean position of its predecessors
};

class Drawing {
 public:
  explicit Drawing(const ComputationalGraph& graph)
      : graph_(graph), boxes_(graph.nodes().size()) {
    for (size_t i = 0; i < boxes_.size(); ++i) {
      boxes_[i].text = shortened(graph.nodes()[i].label);
      boxes_[i].width =
          static_cast<double>(boxes_[i].text.size()) * kLetter + kPadding;
    }
    choose_layers();
    place();
  }

  std::string svg() const {
    const double height = static_cast<double>(layers_.size()) * kLayer;
    std::string text = str("<svg role=\"img\" viewBox=\"0 0 ", pixels(width_),
                           " ", pixels(height), "\" width=\"", pixels(width_),
                           "\" height=\"", pixels(height), "\">\n");
    for (const auto& [from, to] : graph_.edges()) text += edge(from, to);
    for (size_t i = 0; i < boxes_.size(); ++i) text += node(i);
    return text + "</svg>\n";
  }

 private:
  // Nodes are in topological order.
  void choose_layers() {
    const auto& edges = graph_.edges();
    std::vector<bool> is_computed(boxes_.size());
    // Edges are sorted by source node, so the source's layer is final.
    for (const auto& [from, to] : edges) {
      boxes_[to].layer = std::max(boxes_[to].layer, boxes_[from].layer + 1);
      is_computed[to] = true;
    }
    std::vector<int> first_use(boxes_.size(), std::numeric_limits<int>::max());
    for (const auto& [from, to] : edges) {
      first_use[from] = std::min(first_use[from], boxes_[to].layer);
    }
    int last = 0;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      if (!is_computed[i] && first_use[i] != std::numeric_limits<int>::max()) {
        boxes_[i].layer = first_use[i] - 1;
      }
      last = std::max(last, boxes_[i].layer);
    }
    layers_.resize(static_cast<size_t>(last) + 1);
    for (size_t i = 0; i < boxes_.size(); ++i) {
      layers_[boxes_[i].layer].push_back(i);
    }
  }

  // Each layer is ordered by the positions of its predecessors, and centered.
  void place() {
    for (const auto& layer : layers_) {
      width_ = std::max(width_, width_of(layer));
    }
    std::vector<std::vector<int>> inputs(boxes_.size());
    for (const auto& [from, to] : graph_.edges()) inputs[to].push_back(from);
    for (auto& layer : layers_) {
      for (const size_t i : layer) {
        boxes_[i].wish = inputs[i].empty() ? width_ : 0;
        for (const int from : inputs[i]) {
          boxes_[i].wish +=
              boxes_[from].center / static_cast<double>(inputs[i].size());
        }
      }
      std::ranges::stable_sort(layer, {},
                               [&](size_t i) { return boxes_[i].wish; });
      double x = (width_ - width_of(layer)) / 2 + kGap;
      for (const size_t i : layer) {
        boxes_[i].center = x + boxes_[i].width / 2;
        x += boxes_[i].width + kGap;
      }
    }
  }

  double width_of(const std::vector<size_t>& layer) const {
    double width = kGap;
    for (const size_t i : layer) width += boxes_[i].width + kGap;
    return width;
  }

  static double top_of(const Box& box) {
    return box.layer * kLayer + (kLayer - kNodeHeight) / 2;
  }

  std::string edge(int from, int to) const {
    const double x1 = boxes_[from].center;
    const double y1 = top_of(boxes_[from]) + kNodeHeight;
    const double x2 = boxes_[to].center;
    const double y2 = top_of(boxes_[to]);
    const std::string middle = pixels((y1 + y2) / 2);
    return str("<path class=\"edge\" d=\"M", pixels(x1), " ", pixels(y1), "C",
               pixels(x1), " ", middle, " ", pixels(x2), " ", middle, " ",
               pixels(x2), " ", pixels(y2), "\"/>\n");
  }

  std::string node(size_t i) const {
    const Box& box = boxes_[i];
    const ComputationalGraph::Node& node = graph_.nodes()[i];
    const double radius = node.is_function ? 3 : kNodeHeight / 2;
    return str(
        "<g class=\"", node.is_function ? "function" : "variable", "\"><title>",
        escaped(node.label), "</title><rect x=\"",
        pixels(box.center - box.width / 2), "\" y=\"", pixels(top_of(box)),
        "\" width=\"", pixels(box.width), "\" height=\"", pixels(kNodeHeight),
        "\" rx=\"", pixels(radius), "\"/><text x=\"", pixels(box.center),
        "\" y=\"", pixels(top_of(box) + kNodeHeight / 2 + 4),
        "\" text-anchor=\"middle\">", escaped(box.text), "</text></g>\n");
  }

  const ComputationalGraph& graph_;
  std::vector<Box> boxes_;
  std::vector<std::vector<size_t>> layers_;
  double width_ = 0;
};

}  // namespace

std::string graph_drawing(const ComputationalGraph& graph) {
  if (graph.nodes().size() > kMaxNodes) {
    return str("<p>The graph has ", graph.nodes().size(),
               " nodes: too many to draw.</p>\n");
  }
  return Drawing(graph).svg();
}

}  // namespace catena::training::html
