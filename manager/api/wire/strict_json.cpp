#include "manager/api/wire/strict_json.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "manager/api/wire/message_text.hpp"

namespace aliquot::wire {

namespace {

using nlohmann::json;

// Scans the text without storing it and stops at the first limit exceeded, so a hostile text never occupies
// memory as a tree.
class BoundsCheck final : public json::json_sax_t {
 public:
  BoundsCheck(const JsonBounds& bounds, std::string& fault) : bounds_(bounds), fault_(fault) {}

  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t&) override { return count(); }
  bool string(string_t&) override { return count(); }
  bool binary(binary_t&) override { return count(); }

  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second)
      return stop("has the field " + in_quotes(name) + " twice; give it once");
    return count();
  }

  bool parse_error(std::size_t position, const std::string& token, const json::exception& e) override {
    if (std::string_view(e.what()).find("UTF-8") != std::string_view::npos)
      return stop("is not UTF-8 at byte " + std::to_string(position) + "; encode text as UTF-8");
    if (std::string_view(e.what()).find("number overflow") != std::string_view::npos)
      return stop("has a number that is too large at byte " + std::to_string(position));
    return stop("is not JSON at byte " + std::to_string(position) + " near " + in_quotes(token) +
                "; send one JSON object");
  }

 private:
  bool count() {
    if (++values_ <= bounds_.values) return true;
    return stop("has more than " + std::to_string(bounds_.values) + " values; send less at once");
  }
  bool open() {
    keys_.emplace_back();
    if (keys_.size() > bounds_.depth)
      return stop("is nested deeper than " + std::to_string(bounds_.depth) + " levels; make it flatter");
    return count();
  }
  bool close() {
    keys_.pop_back();
    return true;
  }
  bool stop(std::string fault) {
    fault_ = std::move(fault);
    return false;
  }

  JsonBounds bounds_;
  std::string& fault_;
  std::size_t values_ = 0;
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

Result<json> parse_object(std::string_view text, std::string_view what, const JsonBounds& bounds) {
  const std::string subject(what);
  if (text.size() > bounds.bytes)
    return fail(ErrorKind::too_large, subject + " has " + std::to_string(text.size()) + " bytes; at most " +
                                          std::to_string(bounds.bytes) + " are taken");
  std::string fault;
  BoundsCheck check(bounds, fault);
  if (!json::sax_parse(text, &check)) return fail(ErrorKind::invalid_argument, subject + " " + fault);
  json value = json::parse(text, nullptr, false);
  if (!value.is_object())
    return fail(ErrorKind::invalid_argument,
                subject + " is a JSON " + value.type_name() + "; send an object, {...}");
  return value;
}

std::string to_line(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace aliquot::wire
