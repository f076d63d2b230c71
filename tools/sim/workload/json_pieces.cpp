#include "tools/sim/workload/json_pieces.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

namespace aliquot {
namespace {

using Kind = JsonPiece::Kind;

constexpr std::size_t kDeepest = 16;
constexpr std::size_t kLargest = 1'000'000;     // values of one piece
constexpr std::size_t kMostBytes = 64'000'000;  // of one piece

// The end of what was read, where it went wrong, fit for a message.
std::string shown(const std::string& token) {
  constexpr std::size_t most = 40;
  std::string text = token.substr(token.size() - std::min(token.size(), most));
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c - ' ') >= 0x5f; }, '?');
  return text;
}

// The bytes of the source one by one, as the parser's input; an error of the source ends them.
class ByteStream {
 public:
  ByteStream(TextSource& source, const std::string& path) : source_(source), path_(path) {}

  // -1 at the end.
  int peek() {
    if (at_ == chunk_.size() && !refill()) return -1;
    return static_cast<unsigned char>(chunk_[at_]);
  }
  void advance() {
    if (peek() == '\n') ++line_;
    if (at_ < chunk_.size()) ++at_;
  }
  // A piece begins.
  void begin_piece() { size_ = 0; }
  [[nodiscard]] std::uint64_t line() const { return line_; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  bool refill() {
    if (ended_) return false;
    const auto more = source_.next_bytes();
    if (!more) error_ = more.error();
    if (more && (size_ += more->size()) > kMostBytes) {
      error_ =
          Error{ErrorKind::too_large, path_ + ":" + std::to_string(line_) + ": one value is larger than " +
                                          std::to_string(kMostBytes) + " bytes"};
    }
    ended_ = error_ || more->empty();
    chunk_ = ended_ ? std::string_view() : *more;
    at_ = 0;
    return !ended_;
  }

  TextSource& source_;
  const std::string& path_;
  std::string_view chunk_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;  // of what was read since the piece began
  std::uint64_t line_ = 1;
  bool ended_ = false;
  std::optional<Error> error_;
};

struct ByteIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  ByteStream* stream = nullptr;  // null: the end
  char operator*() const { return static_cast<char>(stream->peek()); }
  ByteIterator& operator++() { return stream->advance(), *this; }
  ByteIterator operator++(int) { return ++*this; }
  [[nodiscard]] bool at_end() const { return stream == nullptr || stream->peek() < 0; }
  friend bool operator==(const ByteIterator& a, const ByteIterator& b) { return a.at_end() == b.at_end(); }
  friend bool operator!=(const ByteIterator& a, const ByteIterator& b) { return !(a == b); }
};

// The parser's events into pieces; `whole`: the document is one piece.
class Pieces {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = std::string;
  using binary_t = nlohmann::json::binary_t;

  Pieces(const PieceTaker& take, ByteStream* stream, bool whole)
      : take_(take), stream_(stream), whole_(whole) {}

  bool null() { return add({}); }
  bool boolean(bool value) { return add({Kind::boolean, value ? "true" : "false", {}, {}}); }
  bool number_integer(number_integer_t value) { return add_number(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) { return add_number(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) { return add_number(text); }
  bool string(string_t& value) { return add({Kind::text, std::move(value), {}, {}}); }
  bool binary(binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Kind::map); }
  bool start_array(std::size_t) { return open(Kind::list); }
  bool key(string_t& name) {
    (open_.empty() ? key_of_level() : open_.back().key) = std::move(name);
    return true;
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t, const std::string& token, const nlohmann::json::exception&) {
    return refuse("this is not JSON" + (token.empty() ? std::string() : " near '" + shown(token) + "'"));
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  struct Open {
    JsonPiece piece;
    std::string key;  // of the member that comes next
  };

  std::string& key_of_level() { return level_ == 1 ? section_ : key_; }
  bool refuse(const std::string& why) {
    if (!error_) error_ = Error{ErrorKind::invalid_argument, why};
    return false;
  }
  bool add_number(std::string text) { return add({Kind::number, std::move(text), {}, {}}); }

  bool open(Kind kind) {
    if (open_.size() >= kDeepest) return refuse("nested too deeply");
    const std::size_t holders = whole_ ? 0 : 2;
    if (open_.empty() && level_ < holders) {
      if (level_ == 0 && kind != Kind::map) return refuse("should be an object, {...}");
      ++level_;
      if (level_ == 2) index_ = 0, key_.clear();
      return true;
    }
    open_.push_back({{kind, {}, {}, {}}, {}});
    return true;
  }
  bool close() {
    if (open_.empty()) {
      --level_;
      return true;
    }
    JsonPiece done = std::move(open_.back().piece);
    open_.pop_back();
    return add(std::move(done));
  }
  bool add(JsonPiece piece) {
    if (++size_ > kLargest)
      return refuse("one value has more than " + std::to_string(kLargest) + " values within");
    if (open_.empty()) return hand_over(std::move(piece));
    Open& parent = open_.back();
    if (parent.piece.kind == Kind::list) {
      parent.piece.items.push_back(std::move(piece));
    } else {
      parent.piece.members.push_back({std::move(parent.key), std::move(piece)});
    }
    return true;
  }
  bool hand_over(JsonPiece piece) {
    size_ = 0;
    if (stream_) stream_->begin_piece();
    if (!whole_ && level_ == 0) return refuse("should be an object, {...}");
    const std::uint64_t line = stream_ ? stream_->line() : 1;
    const bool single = level_ < 2;  // nb_res itself
    const auto taken = take_({section_, single ? "" : key_, single ? 0 : index_++, line, std::move(piece)});
    if (!taken) error_ = taken.error();
    return taken.has_value();
  }

  const PieceTaker& take_;
  ByteStream* stream_;
  bool whole_;
  std::size_t level_ = 0;  // opened objects and lists that are no pieces
  std::string section_, key_;
  std::uint64_t index_ = 0;
  std::size_t size_ = 0;
  std::vector<Open> open_;
  std::optional<Error> error_;
};

}  // namespace

const JsonPiece* JsonPiece::find(std::string_view name) const {
  const auto found = std::ranges::find(members, name, &JsonMember::name);
  return found == members.end() ? nullptr : &found->value;
}

Result<void> read_json_pieces(TextSource& source, const std::string& path, const PieceTaker& take) {
  ByteStream stream(source, path);
  Pieces pieces(take, &stream, false);
  const bool read = nlohmann::json::sax_parse(ByteIterator{&stream}, ByteIterator{}, &pieces);
  if (stream.error()) return tl::unexpected(*stream.error());
  if (read) return {};
  const Error error = pieces.error().value_or(Error{ErrorKind::invalid_argument, "this is not JSON"});
  return fail(error.kind, path + ":" + std::to_string(stream.line()) + ": " + error.message);
}

Result<JsonPiece> parse_json_piece(std::string_view text) {
  JsonPiece found;
  const PieceTaker take = [&found](PlacedPiece&& piece) -> Result<void> {
    found = std::move(piece.value);
    return {};
  };
  Pieces pieces(take, nullptr, true);
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &pieces)) return found;
  return tl::unexpected(pieces.error().value_or(Error{ErrorKind::invalid_argument, "this is not JSON"}));
}

}  // namespace aliquot
