// Streams a long JSON document whose top level is an object: passes on the values one level below it, piece
// by piece, so that memory does not grow with the file.
//
//   {"jobs": [{...}, {...}], "profiles": {"a": {...}}, "nb_res": 4}
//
// gives the pieces jobs[0], jobs[1], profiles "a", and nb_res itself. Numbers stay the texts they are
// written as, to be read exactly. The depth and size of a piece are limited.
// Errors: not JSON (with the line), a piece beyond its limits, an error of the taker.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tools/sim/workload/text_source.hpp"

namespace aliquot {

struct JsonMember;

struct JsonPiece {
  enum class Kind : std::uint8_t { nothing, boolean, number, text, list, map };
  Kind kind = Kind::nothing;
  std::string text;                 // of a text or number; "true" or "false"
  std::vector<JsonPiece> items;     // of a list
  std::vector<JsonMember> members;  // of a map, in the order of the file

  // Of a map, the first of that name; null if there is none.
  [[nodiscard]] const JsonPiece* find(std::string_view name) const;
};

struct JsonMember {
  std::string name;
  JsonPiece value;
};

[[nodiscard]] constexpr bool is_control(char c) { return (c >= 0 && c < ' ') || c == 0x7f; }

struct PlacedPiece {
  std::string section;      // key of the top level
  std::string key;          // below a map; empty below a list
  std::uint64_t index = 0;  // below a list or map, from 0
  std::uint64_t line = 0;   // in which it ends
  JsonPiece value;
};

// The taker's error ends the reading.
using PieceTaker = std::function<Result<void>(PlacedPiece&&)>;

[[nodiscard]] Result<void> read_json_pieces(TextSource& source, const std::string& path,
                                            const PieceTaker& take);

// The same of a short text, as one piece: JSON within a text of JSON.
[[nodiscard]] Result<JsonPiece> parse_json_piece(std::string_view text);

}  // namespace aliquot
