#include "manager/api/wire/fields.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "manager/api/wire/message_text.hpp"
#include "policies/model/nearest.hpp"

namespace aliquot::wire {

using nlohmann::json;

namespace {

std::string found(const json& value) {
  if (value.is_string()) return in_quotes(value.get_ref<const std::string&>());
  if (value.is_structured()) return std::string("an ") + value.type_name();
  return in_quotes(value.dump());
}

}  // namespace

Fields::Fields(const json& object, std::string where) : object_(object), where_(std::move(where)) {}

bool Fields::has(const std::string& key) const { return object_.contains(key); }

const json* Fields::find(const std::string& key, Need need) {
  known_.push_back(key);
  const auto at = object_.find(key);
  if (at != object_.end()) return &*at;
  if (need == Need::required) fault(key, "is missing; give it");
  return nullptr;
}

std::optional<std::int64_t> Fields::optional_integer(const std::string& key, std::int64_t low,
                                                     std::int64_t high) {
  if (!has(key)) {
    known_.push_back(key);
    return std::nullopt;
  }
  return integer(key, low, high, low, Need::optional);
}

bool Fields::is_null(const std::string& key) {
  const auto at = object_.find(key);
  if (at == object_.end() || !at->is_null()) return false;
  known_.push_back(key);
  return true;
}

std::int64_t Fields::integer(const std::string& key, std::int64_t low, std::int64_t high,
                             std::int64_t otherwise, Need need) {
  const json* value = find(key, need);
  if (value == nullptr) return otherwise;
  const std::string wanted =
      "; it must be a whole number from " + std::to_string(low) + " to " + std::to_string(high);
  if (!value->is_number_integer()) {
    fault(key, "is " + found(*value) + wanted);
    return otherwise;
  }
  const bool beyond = value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX;
  const std::int64_t number = beyond ? INT64_MAX : value->get<std::int64_t>();
  if (!beyond && number >= low && number <= high) return number;
  fault(key, "is " + found(*value) + wanted);
  return otherwise;
}

bool Fields::boolean(const std::string& key, bool otherwise) {
  const json* value = find(key, Need::optional);
  if (value == nullptr) return otherwise;
  if (value->is_boolean()) return value->get<bool>();
  fault(key, "is " + found(*value) + "; it must be true or false");
  return otherwise;
}

std::string Fields::text(const std::string& key, std::size_t at_least, std::size_t at_most, Need need) {
  const json* value = find(key, need);
  if (value == nullptr) return {};
  if (!value->is_string()) {
    fault(key, "is " + found(*value) + "; it must be text");
    return {};
  }
  const auto& text = value->get_ref<const std::string&>();
  if (text.size() < at_least) {
    fault(key, "is empty; give it or leave it out");
  } else if (text.size() > at_most) {
    fault_kind(
        ErrorKind::too_large, key,
        "has " + std::to_string(text.size()) + " bytes; at most " + std::to_string(at_most) + " are taken");
  } else if (text.find('\0') != std::string::npos) {
    fault(key, "has a NUL inside; leave it out");
  } else {
    return text;
  }
  return {};
}

std::vector<const json*> Fields::objects(const std::string& key, std::size_t at_least,
                                         std::size_t at_most) {
  const json* value = find(key, Need::required);
  if (value == nullptr) return {};
  if (!value->is_array() || value->size() < at_least || value->size() > at_most) {
    fault(key, (value->is_array() ? "has " + std::to_string(value->size()) + " entries"
                                  : "is " + found(*value)) +
                   "; it must be a list of " + std::to_string(at_least) + " to " + std::to_string(at_most) +
                   " objects");
    return {};
  }
  std::vector<const json*> all;
  for (const json& entry : *value) {
    if (!entry.is_object()) {
      fault(key + "[" + std::to_string(all.size()) + "]", "is " + found(entry) + "; it must be an object");
      return {};
    }
    all.push_back(&entry);
  }
  return all;
}

std::vector<std::int64_t> Fields::integers(const std::string& key, std::int64_t least, std::int64_t most,
                                           std::size_t at_most) {
  const json* value = find(key, Need::optional);
  if (value == nullptr) return {};
  const auto fits = [&](const json& entry) {
    return entry.is_number_integer() && entry >= least && entry <= most;
  };
  if (value->is_array() && value->size() <= at_most && std::ranges::all_of(*value, fits))
    return value->get<std::vector<std::int64_t>>();
  fault(key, "is " + found(*value) + "; it must be a list of at most " + std::to_string(at_most) +
                 " whole numbers from " + std::to_string(least) + " to " + std::to_string(most));
  return {};
}

std::vector<std::string> Fields::texts(const std::string& key, std::size_t at_least, std::size_t at_most,
                                       std::size_t bytes_in_all) {
  const json* value = find(key, Need::required);
  if (value == nullptr) return {};
  if (!value->is_array()) {
    fault(key, "is " + found(*value) + "; it must be a list of text");
    return {};
  }
  if (value->size() < at_least || value->size() > at_most) {
    fault(key, "has " + std::to_string(value->size()) + " entries; it must have from " +
                   std::to_string(at_least) + " to " + std::to_string(at_most));
    return {};
  }
  std::vector<std::string> all;
  std::size_t bytes = 0;
  for (const json& entry : *value) {
    const std::string position = key + "[" + std::to_string(all.size()) + "]";
    if (!entry.is_string()) {
      fault(position, "is " + found(entry) + "; it must be text");
      return {};
    }
    all.push_back(entry.get<std::string>());
    bytes += all.back().size() + 1;
    if (all.back().find('\0') != std::string::npos) fault(position, "has a NUL inside; leave it out");
  }
  if (bytes > bytes_in_all)
    fault_kind(
        ErrorKind::too_large, key,
        "has " + std::to_string(bytes) + " bytes; at most " + std::to_string(bytes_in_all) + " are taken");
  return all;
}

std::string Fields::one_of(const std::string& key, const std::vector<std::string>& words, Need need) {
  const std::string word = text(key, 1, 256, need);
  if (word.empty() || std::find(words.begin(), words.end(), word) != words.end()) return word;
  fault(key, "is " + in_quotes(word) + "; known are " + comma_list(words) + did_you_mean(word, words));
  return {};
}

const json* Fields::object(const std::string& key, Need need) {
  const json* value = find(key, need);
  if (value == nullptr || value->is_object()) return value;
  fault(key, "is " + found(*value) + "; it must be an object, {...}");
  return nullptr;
}

void Fields::fault(const std::string& key, const std::string& what) {
  fault_kind(ErrorKind::invalid_argument, key, what);
}

void Fields::fault_kind(ErrorKind kind, const std::string& key, const std::string& what) {
  if (!fault_) fault_ = Error{kind, "field `" + where_ + key + "` " + what};
}

void Fields::take_fault(const Result<void>& inner) {
  if (!fault_ && !inner) fault_ = inner.error();
}

Result<void> Fields::finish() const {
  // A misspelt field explains a missing one, so it is reported first.
  for (const auto& entry : object_.items()) {
    if (std::find(known_.begin(), known_.end(), entry.key()) != known_.end()) continue;
    const std::string hint = did_you_mean(entry.key(), known_);
    return fail(ErrorKind::invalid_argument, "field " + in_quotes(where_ + entry.key()) +
                                                 " is not known here" +
                                                 (!hint.empty()    ? hint
                                                  : known_.empty() ? "; none is taken"
                                                                   : "; known are " + comma_list(known_)));
  }
  if (fault_) return tl::unexpected<Error>(*fault_);
  return {};
}

}  // namespace aliquot::wire
