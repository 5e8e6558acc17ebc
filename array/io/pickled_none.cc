#include "catena/array/io/pickled_none.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/io/little_endian.h"

namespace catena::array {
namespace {

// Reads a pickle as a list of words, one for each step of Python's machine,
// which does not tell protocols apart: numbers and names as text, strings in
// quotes. What is stored in the machine's memo is no step.
class PickleReader {
 public:
  explicit PickleReader(std::string_view pickle) : fields_(pickle) {}

  // nullopt for a pickle that is damaged, or has other steps than arrays of
  // None.
  std::optional<std::string> read() {
    if (fields_.u8() != 0x80) return std::nullopt;
    const int protocol = fields_.u8();
    if (protocol < 2 || protocol > 5) return std::nullopt;
    bool goes_on = true;
    while (goes_on && is_sound()) goes_on = step();
    if (!is_sound() || !fields_.empty()) return std::nullopt;
    std::string text;
    for (const std::string& word : words_) text += word + ' ';
    return text;
  }

 private:
  bool is_sound() const { return is_sound_ && fields_.ok(); }

  std::string line() {
    // Where no line ends, this is more than there are.
    const std::string_view text = fields_.bytes(fields_.rest().find('\n'));
    fields_.bytes(1);
    return std::string(text);
  }

  void add(std::string word) { words_.push_back(std::move(word)); }

  void add_string(size_t size) {
    const std::string_view text = fields_.bytes(size);
    is_sound_ &= text.find('\'') == std::string_view::npos;
    add("'" + std::string(text) + "'");
  }

  void store(uint32_t place) {
    is_sound_ &= !words_.empty();
    if (is_sound_) memo_[place] = words_.back();
  }

  // Only strings are in use again.
  void load(uint32_t place) {
    const auto found = memo_.find(place);
    is_sound_ &= found != memo_.end() && found->second.starts_with('\'');
    if (is_sound_) add(found->second);
  }

  // Two strings become a name.
  void name_from_strings() {
    const size_t count = words_.size();
    is_sound_ &= count >= 2 && words_[count - 1].starts_with('\'') &&
                 words_[count - 2].starts_with('\'');
    if (!is_sound_) return;
    const auto unquoted = [](const std::string& word) {
      return word.substr(1, word.size() - 2);
    };
    const std::string name =
        unquoted(words_[count - 2]) + "." + unquoted(words_[count - 1]);
    words_.resize(count - 2);
    add(name);
  }

  // Returns false for the last.
  bool step() {
    const auto opcode = static_cast<char>(fields_.u8());
    switch (opcode) {
      case '.':
        return false;
      case '\x95':  // a frame of so many bytes
        is_sound_ &= fields_.u64() <= fields_.size();
        break;
      case 'q':
        store(fields_.u8());
        break;
      case 'r':
        store(fields_.u32());
        break;
      case '\x94':
        store(static_cast<uint32_t>(memo_.size()));
        break;
      case 'h':
        load(fields_.u8());
        break;
      case 'j':
        load(fields_.u32());
        break;
      case 'c': {
        const std::string module = line();
        add(module + "." + line());
        break;
      }
      case '\x93':
        name_from_strings();
        break;
      case 'K':
        add(std::to_string(fields_.u8()));
        break;
      case 'M':
        add(std::to_string(fields_.u16()));
        break;
      case 'J':
        add(std::to_string(static_cast<int32_t>(fields_.u32())));
        break;
      case '\x88':
        add("1");
        break;
      case '\x89':
        add("0");
        break;
      case 'U':
      case 'C':
      case '\x8c':
        add_string(fields_.u8());
        break;
      case 'T':
      case 'B':
      case 'X':
        add_string(fields_.u32());
        break;
      case '\x85':
      case '\x86':
      case '\x87':
        add("tuple" + std::to_string(opcode - '\x84'));
        break;
      case 'N':
      case '(':
      case ')':
      case 't':
      case ']':
      case 'a':
      case 'R':
      case 'b':
        add(std::string(1, opcode));
        break;
      default:
        is_sound_ = false;
    }
    return true;
  }

  LittleEndianFields fields_;
  bool is_sound_ = true;
  std::vector<std::string> words_;
  std::map<uint32_t, std::string> memo_;
};

void replace_once(std::string& text, std::string_view from,
                  std::string_view to) {
  const size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
}

}  // namespace

bool is_pickled_none(std::string_view pickle) {
  // _reconstruct(ndarray, (0,), b"b"), with the state (1, (), dtype, False,
  // [None]); the dtype is dtype("O8", False, True) with a state of its own.
  constexpr std::string_view kSteps =
      "numpy.core.multiarray._reconstruct numpy.ndarray 0 tuple1 'b' tuple3 R "
      "( 1 ) numpy.dtype 'O8' 0 1 tuple3 R "
      "( 3 '|' N N N -1 -1 63 t b 0 ] N a t b ";
  std::optional<std::string> steps = PickleReader(pickle).read();
  if (!steps) return false;
  // Python 3 has no bytes in protocol 2.
  replace_once(*steps, "_codecs.encode 'b' 'latin1' tuple2 R ", "'b' ");
  // NumPy 2, and systems of 32 bits.
  replace_once(*steps, "numpy._core.", "numpy.core.");
  replace_once(*steps, " 'O4' ", " 'O8' ");
  return *steps == kSteps;
}

}  // namespace catena::array
