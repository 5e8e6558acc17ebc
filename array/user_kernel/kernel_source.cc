#include "catena/array/user_kernel/kernel_source.h"

#include <string_view>

#include "catena/array/core/error.h"

namespace catena::array {
namespace {

using Kind = ParamForm::Kind;

// The C++ type of a dtype, as the prelude declares it.
std::string type_name(Dtype dtype) {
  switch (dtype) {
    case Dtype::kBool:
    case Dtype::kFloat16:
    case Dtype::kBFloat16:
      return to_string(dtype);
    case Dtype::kFloat32:
      return "float";
    case Dtype::kFloat64:
      return "double";
    default:
      return to_string(dtype) + "_t";
  }
}

bool is_raw(const ParamForm& form) {
  return form.kind == Kind::kRaw || form.kind == Kind::kRawContiguous;
}

// Builds one program.
class Writer {
 public:
  Writer(const KernelText& text, const CallForm& form)
      : text_(text), form_(form) {
    program_.name = text.name;
    program_.options = text.options;
    program_.source = user_kernel_prelude();
    for (size_t k = 0; k < nparams(); ++k) {
      if (param(k).letter == '\0') continue;
      const std::string letter(1, param(k).letter);
      const std::string line =
          "typedef " + type_name(form.params[k].dtype) + " " + letter + ";\n";
      if (program_.source.find("\n" + line) == std::string::npos) add(line);
    }
    add_user("preamble", text.preamble);
    add("\n");
  }

  UserKernelProgram take() { return std::move(program_); }

  bool on_cuda() const { return form_.backend == Backend::kCuda; }
  size_t ninputs() const { return text_.inputs.size(); }
  size_t nparams() const { return ninputs() + text_.outputs.size(); }
  const KernelParam& param(size_t k) const {
    return k < ninputs() ? text_.inputs[k] : text_.outputs[k - ninputs()];
  }

  void add(std::string_view code) { program_.source += code; }

  // Adds the user's text such that the compiler counts its lines from 1.
  void add_user(std::string_view part, const std::string& text) {
    if (text.empty()) return;
    add("\n#line 1 \"" + std::string(part) + "\"\n" + text +
        "\n#line 1 \"generated\"\n");
    program_.texts.push_back({std::string(part), text});
  }

  // Numbers and raw arrays, which are constant in the loop.
  void add_constants() {
    for (size_t k = 0; k < nparams(); ++k) {
      const ParamForm& form = form_.params[k];
      const std::string type = element_type(k);
      if (form.kind == Kind::kScalar) {
        add("  const " + type + " " + param(k).name + " = catena_scalar<" +
            type + ">(" + args(k) + ");\n");
      } else if (is_raw(form)) {
        add("  const CArray<" + std::string(k < ninputs() ? "const " : "") +
            type + ", " + str(form.ndim) + ", " +
            (form.kind == Kind::kRawContiguous ? "true" : "false") + "> " +
            param(k).name + "(" + args(k) + ");\n");
      }
    }
  }

  // Calls `add` for each parameter in [begin, end) that the loops walk.
  template <class F>
  void for_each_walked(size_t begin, size_t end, const F& add_one) {
    for (size_t k = begin; k < end; ++k) {
      if (form_.params[k].kind != Kind::kScalar && !is_raw(form_.params[k])) {
        add_one(k);
      }
    }
  }

  // The element `position` steps along the innermost axis from _p<k>, by its
  // parameter's name. An input is read once; an output is a reference.
  void add_element(size_t k, const std::string& position) {
    const std::string type = element_type(k);
    const std::string pointer = "_p" + str(k);
    std::string element;
    switch (form_.params[k].kind) {
      case Kind::kRepeated:
        element = "*reinterpret_cast<" + type + "*>(" + pointer + ")";
        break;
      case Kind::kContiguous:
        element = "reinterpret_cast<" + type + "*>(" + pointer + ")[" +
                  position + "]";
        break;
      default:
        element = "*reinterpret_cast<" + type + "*>(" + pointer + " + (" +
                  position + ") * _s" + str(k) + ")";
    }
    add("      " + std::string(k < ninputs() ? "const " : "") + type +
        (k < ninputs() ? " " : "& ") + param(k).name + " = " + element + ";\n");
  }

  std::string args(size_t k) const { return "_args.params[" + str(k) + "]"; }
  std::string element_type(size_t k) const {
    return type_name(form_.params[k].dtype);
  }
  // The integer type used to divide positions.
  std::string unsigned_type() const {
    return form_.small ? "uint32_t" : "uint64_t";
  }

 private:
  const KernelText& text_;
  const CallForm& form_;
  UserKernelProgram program_;
};

bool has_raw_output(const KernelText& text) {
  for (const KernelParam& param : text.outputs) {
    if (param.raw) return true;
  }
  return false;
}

void add_elementwise_on_host(Writer& w, const KernelText& text, int ndim) {
  const std::string last = str(ndim - 1);
  w.add(
      "  for (ptrdiff_t _first = _begin; _first < _end;) {\n"
      "    _ind.set(_first);\n"
      "    ptrdiff_t _count = _args.shape[" +
      last + "] - _ind.get()[" + last +
      "];\n"
      "    if (_count > _end - _first) _count = _end - _first;\n");
  w.for_each_walked(0, w.nparams(), [&](size_t k) {
    const std::string n = str(k);
    w.add("    char* const _p" + n + " = " + w.args(k) +
          ".data + _ind.offset(" + w.args(k) +
          ".strides);\n"
          "    const ptrdiff_t _s" +
          n + " = " + w.args(k) + ".strides[" + last + "];\n");
  });
  // Elements are independent unless the code indexes arrays itself.
  if (!has_raw_output(text)) w.add("#pragma GCC ivdep\n");
  w.add(
      "    for (ptrdiff_t _j = 0; _j < _count; ++_j) {\n"
      "      const ptrdiff_t i = _first + _j;\n"
      "      _ind.set(i);\n");
  w.for_each_walked(0, w.nparams(), [&](size_t k) { w.add_element(k, "_j"); });
  w.add("      {");
  w.add_user("operation", text.operation);
  w.add("      ;}\n    }\n    _first += _count;\n  }\n");
}

void add_elementwise_on_cuda(Writer& w, const KernelText& text, int ndim) {
  w.add(
      "  const ptrdiff_t _step = static_cast<ptrdiff_t>(blockDim.x) * "
      "gridDim.x;\n"
      "  for (ptrdiff_t i = static_cast<ptrdiff_t>(blockIdx.x) * blockDim.x "
      "+ threadIdx.x; i < n; i += _step) {\n"
      "      _ind.set(i);\n");
  if (ndim > 1) w.add("      _ind.get();\n");
  w.for_each_walked(0, w.nparams(), [&](size_t k) {
    const std::string n = str(k);
    if (ndim > 1) {
      // The element itself is at offset 0.
      w.add("      char* const _p" + n + " = " + w.args(k) +
            ".data + _ind.offset(" + w.args(k) +
            ".strides);\n"
            "      const ptrdiff_t _s" +
            n + " = 0;\n");
    } else {
      w.add("      char* const _p" + n + " = " + w.args(k) +
            ".data;\n"
            "      const ptrdiff_t _s" +
            n + " = " + w.args(k) + ".strides[0];\n");
    }
    w.add_element(k, ndim > 1 ? "0" : "i");
  });
  w.add("      {");
  w.add_user("operation", text.operation);
  w.add("      ;}\n  }\n");
}

// The common beginning of both reductions: types, the positions of the two
// loops, and the user's expressions as functions.
void add_reduction_head(Writer& w, const KernelText& text,
                        const CallForm& form) {
  w.add("  CIndexer<" + str(form.ndim) + ", " + w.unsigned_type() +
        "> _out_ind(_args.shape, _args.outputs);\n"
        "  CIndexer<" +
        str(form.reduced_ndim) + ", " + w.unsigned_type() +
        "> _in_ind(_args.reduced_shape, _args.count);\n"
        "  const ptrdiff_t n = _args.size;\n"
        "  struct {\n    ptrdiff_t n;\n    " +
        std::string(w.on_cuda() ? "__device__ " : "") +
        "ptrdiff_t size() const { return n; }\n  } _ind = {n};\n");
  w.add_constants();
  w.add(
      "  const auto _reduce = [&](_type_reduce a, _type_reduce b) -> "
      "_type_reduce {\n    return static_cast<_type_reduce>(");
  w.add_user("reduce_expr", text.reduce_expr);
  w.add(
      "    );\n  };\n"
      "  const auto _finish = [&](ptrdiff_t _i, _type_reduce a) {\n"
      "    const ptrdiff_t i = _i;\n"
      "    _out_ind.set(_i);\n    _out_ind.get();\n");
  w.for_each_walked(w.ninputs(), w.nparams(), [&](size_t k) {
    w.add("    " + w.element_type(k) + "& " + w.param(k).name +
          " = *reinterpret_cast<" + w.element_type(k) + "*>(" + w.args(k) +
          ".data + _out_ind.offset(" + w.args(k) + ".strides));\n");
  });
  w.add("    {");
  w.add_user("post_map_expr", text.post_map_expr);
  w.add(
      "    ;}\n  };\n"
      "  const auto _start = [&]() -> _type_reduce {\n"
      "    return static_cast<_type_reduce>(");
  w.add_user("identity", text.identity);
  w.add("    );\n  };\n");
}

// Pointers to the elements at the index of the kept axes.
void add_kept_places(Writer& w, const std::string& position) {
  w.for_each_walked(0, w.ninputs(), [&](size_t k) {
    w.add("    char* const _kept" + str(k) + " = " + w.args(k) +
          ".data + _out_ind.offset(" + w.args(k) + ".strides);\n");
  });
  w.add("    const ptrdiff_t _kept_j = _out_ind.offset(" + position +
        ".strides);\n");
}

// Pointers offset by the reduced axes, the strides of the innermost loop's
// axis, and the user's map of an element of that loop.
void add_map(Writer& w, const KernelText& text, const CallForm& form,
             const std::string& position, const std::string& axis) {
  const std::string kept = str(form.ndim);
  w.for_each_walked(0, w.ninputs(), [&](size_t k) {
    const std::string n = str(k);
    w.add("      char* const _p" + n + " = _kept" + n + " + _in_ind.offset(" +
          w.args(k) + ".strides + " + kept +
          ");\n"
          "      const ptrdiff_t _s" +
          n + " = " + w.args(k) + ".strides[" + axis + "];\n");
  });
  w.add("      const ptrdiff_t _first_j = _kept_j + _in_ind.offset(" +
        position + ".strides + " + kept +
        ");\n"
        "      const ptrdiff_t _step_j = " +
        position + ".strides[" + axis +
        "];\n"
        "      const auto _map = [&](ptrdiff_t _k) " +
        (w.on_cuda() ? "" : "__attribute__((always_inline)) ") +
        "-> _type_reduce {\n"
        "      const ptrdiff_t _j = _first_j + _k * _step_j;\n"
        "      const ptrdiff_t i = _j;\n");
  w.for_each_walked(0, w.ninputs(), [&](size_t k) { w.add_element(k, "_k"); });
  w.add("      return static_cast<_type_reduce>(");
  w.add_user("map_expr", text.map_expr);
  w.add("      );\n      };\n");
}

void add_rows(Writer& w, const KernelText& text, const CallForm& form,
              const std::string& position) {
  const std::string last = str(form.reduced_ndim - 1);
  // Several accumulators: the compiler may not reorder float additions, and a
  // single one would be limited by latency.
  w.add(
      "  for (ptrdiff_t _o = _out_begin; _o < _out_end; ++_o) {\n"
      "    _out_ind.set(_o);\n    _out_ind.get();\n");
  add_kept_places(w, position);
  w.add(
      "    const int _kLanes = 16;\n"
      "    _type_reduce _lanes[_kLanes];\n"
      "    for (int _l = 0; _l < _kLanes; ++_l) _lanes[_l] = _start();\n"
      "    for (ptrdiff_t _first = _in_begin; _first < _in_end;) {\n"
      "      _in_ind.set(_first);\n"
      "      ptrdiff_t _count = _args.reduced_shape[" +
      last + "] - _in_ind.get()[" + last +
      "];\n"
      "      if (_count > _in_end - _first) _count = _in_end - _first;\n");
  add_map(w, text, form, position, str(form.ndim + form.reduced_ndim - 1));
  w.add(
      "      ptrdiff_t _k = 0;\n"
      "      for (; _k + _kLanes <= _count; _k += _kLanes) {\n"
      "        for (int _l = 0; _l < _kLanes; ++_l) {\n"
      "          _lanes[_l] = _reduce(_lanes[_l], _map(_k + _l));\n"
      "        }\n"
      "      }\n"
      "      for (; _k < _count; ++_k) {\n"
      "        _lanes[0] = _reduce(_lanes[0], _map(_k));\n"
      "      }\n"
      "      _first += _count;\n"
      "    }\n"
      "    for (int _width = _kLanes / 2; _width > 0; _width /= 2) {\n"
      "      for (int _l = 0; _l < _width; ++_l) {\n"
      "        _lanes[_l] = _reduce(_lanes[_l], _lanes[_l + _width]);\n"
      "      }\n"
      "    }\n"
      "    if (_partials) {\n"
      "      *reinterpret_cast<_type_reduce*>(_partials + _o) = _lanes[0];\n"
      "    } else {\n"
      "      _finish(_o, _lanes[0]);\n"
      "    }\n"
      "  }\n");
}

void add_columns(Writer& w, const KernelText& text, const CallForm& form,
                 const std::string& position) {
  const std::string last = str(form.ndim - 1);
  w.add(
      "  const int _kTile = 64;\n"
      "  for (ptrdiff_t _o = _out_begin; _o < _out_end;) {\n"
      "    _out_ind.set(_o);\n"
      "    ptrdiff_t _count = _args.shape[" +
      last + "] - _out_ind.get()[" + last +
      "];\n"
      "    if (_count > _out_end - _o) _count = _out_end - _o;\n"
      "    if (_count > _kTile) _count = _kTile;\n");
  add_kept_places(w, position);
  w.add(
      "    _type_reduce _sums[_kTile];\n"
      "    for (ptrdiff_t _k = 0; _k < _count; ++_k) _sums[_k] = _start();\n"
      "    for (ptrdiff_t _r = _in_begin; _r < _in_end; ++_r) {\n"
      "      _in_ind.set(_r);\n      _in_ind.get();\n");
  add_map(w, text, form, position, last);
  w.add(
      "#pragma GCC ivdep\n"
      "      for (ptrdiff_t _k = 0; _k < _count; ++_k) {\n"
      "        _sums[_k] = _reduce(_sums[_k], _map(_k));\n"
      "      }\n"
      "    }\n"
      "    for (ptrdiff_t _k = 0; _k < _count; ++_k) {\n"
      "      if (_partials) {\n"
      "        *reinterpret_cast<_type_reduce*>(_partials + _o + _k) = "
      "_sums[_k];\n"
      "      } else {\n"
      "        _finish(_o + _k, _sums[_k]);\n"
      "      }\n"
      "    }\n"
      "    _o += _count;\n"
      "  }\n");
}

// Each group of _threads threads reduces one part of one output.
void add_cuda_reduction(Writer& w, const KernelText& text, const CallForm& form,
                        const std::string& position) {
  w.add(
      "  __shared__ catena_slot _shared[256];\n"
      "  const int _group = threadIdx.x / _threads;\n"
      "  const int _lane = threadIdx.x % _threads;\n"
      "  const int _groups = blockDim.x / _threads;\n"
      "  const ptrdiff_t _items = _args.outputs * _parts;\n"
      "  const ptrdiff_t _part_size = (_args.count + _parts - 1) / _parts;\n"
      "  for (ptrdiff_t _base = static_cast<ptrdiff_t>(blockIdx.x) * _groups;"
      " _base < _items; _base += static_cast<ptrdiff_t>(gridDim.x) * "
      "_groups) {\n"
      "    const ptrdiff_t _item = _base + _group;\n"
      "    const ptrdiff_t _o = _item % _args.outputs;\n"
      "    const ptrdiff_t _part = _item / _args.outputs;\n"
      "    _type_reduce _sum = _start();\n"
      "    if (_item < _items) {\n"
      "    _out_ind.set(_o);\n    _out_ind.get();\n");
  add_kept_places(w, position);
  w.add(
      "    const ptrdiff_t _begin = _part * _part_size;\n"
      "    ptrdiff_t _end = _begin + _part_size;\n"
      "    if (_end > _args.count) _end = _args.count;\n"
      "    for (ptrdiff_t _r = _begin + _lane; _r < _end; _r += _threads) {\n"
      "      _in_ind.set(_r);\n      _in_ind.get();\n");
  add_map(w, text, form, position, str(form.ndim + form.reduced_ndim - 1));
  w.add(
      "      _sum = _reduce(_sum, _map(0));\n"
      "    }\n"
      "    }\n"
      "    _type_reduce* const _sums = reinterpret_cast<_type_reduce*>("
      "_shared);\n"
      "    for (int _width = _threads / 2; _width > 0; _width /= 2) {\n"
      "      _sums[threadIdx.x] = _sum;\n"
      "      __syncthreads();\n"
      "      if (_lane < _width) _sum = _reduce(_sum, _sums[threadIdx.x + "
      "_width]);\n"
      "      __syncthreads();\n"
      "    }\n"
      "    if (_lane == 0 && _item < _items) {\n"
      "      if (_partials) {\n"
      "        *reinterpret_cast<_type_reduce*>(_partials + _item) = _sum;\n"
      "      } else {\n"
      "        _finish(_o, _sum);\n"
      "      }\n"
      "    }\n"
      "  }\n");
}

}  // namespace

UserKernelProgram elementwise_program(const KernelText& text,
                                      const CallForm& form) {
  Writer w(text, form);
  const std::string type = "catena_args<" + str(w.nparams()) + ">";
  if (w.on_cuda()) {
    w.add("extern \"C\" __global__ void " + text.name +
          "_kernel(const __grid_constant__ " + type + " _args) {\n");
  } else {
    w.add("extern \"C\" void " + text.name + "_kernel(const " + type +
          "& _args, ptrdiff_t _begin, ptrdiff_t _end) {\n");
  }
  w.add("  CIndexer<" + str(form.ndim) + ", " + w.unsigned_type() +
        "> _ind(_args.shape, _args.size);\n"
        "  const ptrdiff_t n = _args.size;\n");
  w.add_constants();
  w.add_user("loop_prep", text.loop_prep);
  w.add("  ;\n");
  if (w.on_cuda()) {
    add_elementwise_on_cuda(w, text, form.ndim);
  } else {
    add_elementwise_on_host(w, text, form.ndim);
  }
  w.add_user("after_loop", text.after_loop);
  w.add("  ;\n}\n");
  return w.take();
}

UserKernelProgram reduction_program(const KernelText& text,
                                    const CallForm& form) {
  Writer w(text, form);
  // The last argument is not an array: its strides give an element's position
  // in the broadcast inputs.
  const std::string position = w.args(w.nparams());
  const std::string type = "catena_args<" + str(w.nparams() + 1) + ">";
  const std::string reduce_type =
      text.reduce_type.empty() ? w.element_type(w.ninputs()) : text.reduce_type;
  w.add("typedef " + reduce_type +
        " _type_reduce;\n"
        "struct alignas(16) catena_slot { char bytes[64]; };\n"
        "static_assert(sizeof(_type_reduce) <= sizeof(catena_slot),\n"
        "              \"reduce_type is larger than 64 bytes\");\n");
  const std::string head = w.on_cuda()
                               ? "extern \"C\" __global__ void " + text.name
                               : "extern \"C\" void " + text.name;
  const std::string args = w.on_cuda()
                               ? "const __grid_constant__ " + type + " _args, "
                               : "const " + type + "& _args, ";
  w.add(head + "_kernel(" + args +
        (w.on_cuda() ? "int _threads, ptrdiff_t _parts, "
                     : "ptrdiff_t _out_begin, ptrdiff_t _out_end, "
                       "ptrdiff_t _in_begin, ptrdiff_t _in_end, ") +
        "catena_slot* _partials) {\n");
  add_reduction_head(w, text, form);
  if (w.on_cuda()) {
    add_cuda_reduction(w, text, form, position);
  } else if (form.by_columns) {
    add_columns(w, text, form, position);
  } else {
    add_rows(w, text, form, position);
  }
  w.add("}\n\n");
  // Combines the parts of each output in order.
  w.add(head + "_combine(" + args +
        (w.on_cuda() ? "" : "ptrdiff_t _out_begin, ptrdiff_t _out_end, ") +
        "const catena_slot* _partials, ptrdiff_t _parts) {\n");
  add_reduction_head(w, text, form);
  if (w.on_cuda()) {
    w.add(
        "  const ptrdiff_t _out_begin = static_cast<ptrdiff_t>(blockIdx.x) * "
        "blockDim.x + threadIdx.x;\n"
        "  const ptrdiff_t _out_end = _args.outputs;\n"
        "  const ptrdiff_t _step = static_cast<ptrdiff_t>(blockDim.x) * "
        "gridDim.x;\n");
  } else {
    w.add("  const ptrdiff_t _step = 1;\n");
  }
  w.add(
      "  for (ptrdiff_t _o = _out_begin; _o < _out_end; _o += _step) {\n"
      "    _type_reduce _sum = _start();\n"
      "    for (ptrdiff_t _part = 0; _part < _parts; ++_part) {\n"
      "      _sum = _reduce(_sum, *reinterpret_cast<const _type_reduce*>("
      "_partials + _part * _args.outputs + _o));\n"
      "    }\n"
      "    _finish(_o, _sum);\n"
      "  }\n"
      "}\n");
  UserKernelProgram program = w.take();
  program.reduction = true;
  return program;
}

}  // namespace catena::array
