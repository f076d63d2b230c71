// Reads the members of one JSON object by name and kind. Keeps the first error, with the name of its
// member, so that the caller reads all members and checks wrong() once.
#pragma once

#include <algorithm>
#include <optional>

#include "tools/sim/decimal.hpp"
#include "tools/sim/workload/json_pieces.hpp"

namespace aliquot {

class JsonMembers {
 public:
  static constexpr std::size_t kLongestText = 1'000;

  // The piece must outlive this.
  explicit JsonMembers(const JsonPiece& map) : map_(map) {
    if (map.kind != JsonPiece::Kind::map) reject("should be an object, {...}");
  }
  // Of a member that may be a text or a number: as it is written.
  [[nodiscard]] std::string text_or_number(const char* name) {
    const JsonPiece* value = map_.find(name);
    return value && value->kind == JsonPiece::Kind::number ? value->text : text(name, true);
  }
  // Printable and not too long; empty if it is not there and need not be.
  [[nodiscard]] std::string text(std::string_view name, bool required) {
    const std::string& found = any_text(name, required);
    if (found.size() <= kLongestText && std::ranges::none_of(found, is_control)) return found;
    reject(std::string(name) + ": has control characters, or more than " + std::to_string(kLongestText) +
           " characters");
    return {};
  }
  [[nodiscard]] const std::string& any_text(std::string_view name, bool required) {
    static const std::string none;
    const JsonPiece* value = map_.find(name);
    if (value && value->kind == JsonPiece::Kind::text) return value->text;
    if (value || required) reject(std::string(name) + ": should be a text");
    return none;
  }
  // None if it is not there.
  [[nodiscard]] std::optional<Decimal> number(const char* name) {
    const JsonPiece* value = map_.find(name);
    if (!value) return std::nullopt;
    if (value->kind != JsonPiece::Kind::number) {
      reject(std::string(name) + ": should be a number");
      return std::nullopt;
    }
    const auto read = parse_decimal(value->text);
    if (read) return *read;
    reject(std::string(name) + ": " + read.error().message);
    return std::nullopt;
  }
  [[nodiscard]] Decimal number_within(const char* name, Decimal least, Decimal most,
                                      std::optional<Decimal> otherwise) {
    const auto value = number(name);
    if (!value && !otherwise) reject(std::string(name) + ": is missing");
    if (!value) return otherwise.value_or(least);
    if (*value < least || *value > most) {
      reject(std::string(name) + ": '" + to_text(*value) + "' is not within " + to_text(least) + " and " +
             to_text(most));
    }
    return std::clamp(*value, least, most);
  }
  void reject(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }
  [[nodiscard]] const std::string& wrong() const { return wrong_; }

 private:
  const JsonPiece& map_;
  std::string wrong_;
};

}  // namespace aliquot
