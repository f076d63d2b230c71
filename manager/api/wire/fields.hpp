// Reads and validates the fields of one JSON object from a client. finish() refuses fields that no getter
// has read. The first fault is kept; it names the field, what is wrong, and what is allowed. Getters called
// after a fault return defaults, which are never used because finish() reports the fault.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot::wire {

enum class Need { required, optional };

class Fields {
 public:
  // `object` must outlive this; `where` precedes field names in messages ("program." for the field
  // program).
  explicit Fields(const nlohmann::json& object, std::string where = "");

  [[nodiscard]] bool has(const std::string& key) const;

  std::int64_t integer(const std::string& key, std::int64_t low, std::int64_t high, std::int64_t otherwise,
                       Need need);
  std::optional<std::int64_t> optional_integer(const std::string& key, std::int64_t low, std::int64_t high);
  // The field is there, and null: then it has been read.
  bool is_null(const std::string& key);
  bool boolean(const std::string& key, bool otherwise);
  // Length limits in bytes of UTF-8; NUL characters are refused.
  std::string text(const std::string& key, std::size_t at_least, std::size_t at_most, Need need);
  std::vector<std::string> texts(const std::string& key, std::size_t at_least, std::size_t at_most,
                                 std::size_t bytes_in_all);
  // Whole numbers from `least` to `most`, `at_most` of them; none where the key is not there.
  std::vector<std::int64_t> integers(const std::string& key, std::int64_t least, std::int64_t most,
                                     std::size_t at_most);
  std::string one_of(const std::string& key, const std::vector<std::string>& words, Need need);
  // Objects, to be read one by one.
  std::vector<const nlohmann::json*> objects(const std::string& key, std::size_t at_least,
                                             std::size_t at_most);
  // The object under `key`, or nullptr (and a fault if it is required).
  const nlohmann::json* object(const std::string& key, Need need);

  void fault(const std::string& key, const std::string& what);
  void take_fault(const Result<void>& inner);

  // An error for the first fault, or for a field that no getter has read.
  [[nodiscard]] Result<void> finish() const;

 private:
  const nlohmann::json* find(const std::string& key, Need need);
  void fault_kind(ErrorKind kind, const std::string& key, const std::string& what);

  const nlohmann::json& object_;
  std::string where_;
  std::vector<std::string> known_;
  std::optional<Error> fault_;
};

}  // namespace aliquot::wire
