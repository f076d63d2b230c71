#include "monitor/codec_fields.hpp"

#include <algorithm>
#include <limits>

namespace aliquot::codec {

namespace {

// The length of the UTF-8 sequence at the front of `text` (RFC 3629: no surrogates, nothing overlong,
// nothing above U+10FFFF); 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::string from_hex(const std::string& hex) {
  if (hex.size() % 2 != 0) broken("'hex' has an odd number of digits");
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = hex_digit(hex[i]);
    const int low = hex_digit(hex[i + 1]);
    if (high < 0 || low < 0) broken("'hex' holds something else than the digits 0-9 and a-f");
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

}  // namespace

void broken(const std::string& what) { throw Broken(what, ""); }

void broken_at(const std::string& step, const Broken& inner) {
  const bool index = inner.where().empty() || inner.where().front() == '[';
  throw Broken(inner.what(), step + (index ? "" : ".") + inner.where());
}

void write_string(Json& out, const std::string& text) {
  if (is_utf8(text)) {
    out = text;
    return;
  }
  constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(text.size() * 2);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    hex.push_back(digits[byte / 16]);
    hex.push_back(digits[byte % 16]);
  }
  out = Json::object({{"hex", std::move(hex)}});
}

void read_string(const Json& in, std::string& text) {
  if (in.is_string()) {
    text = in.get_ref<const std::string&>();
  } else if (in.is_object() && in.size() == 1 && in.contains("hex") && in["hex"].is_string()) {
    text = from_hex(in["hex"].get_ref<const std::string&>());
  } else {
    broken("a string is wanted");
  }
}

void write_wide(Json& out, Int128 value) {
  const bool negative = value < 0;
  __extension__ using Magnitude = unsigned __int128;
  Magnitude rest = negative ? -static_cast<Magnitude>(value) : static_cast<Magnitude>(value);
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  if (negative) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  out = std::move(digits);
}

void read_wide(const Json& in, Int128& value) {
  if (!in.is_string()) broken("a decimal number in a string is wanted");
  std::string_view digits = in.get_ref<const std::string&>();
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  if (digits.empty()) broken("a decimal number in a string is wanted");
  value = 0;  // counted downwards: the lowest number has no positive counterpart
  for (const char c : digits) {
    if (c < '0' || c > '9') broken("a decimal number in a string is wanted");
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_sub_overflow(value, c - '0', &value)) {
      broken("the number is out of range");
    }
  }
  if (!negative && __builtin_sub_overflow(Int128{0}, value, &value)) broken("the number is out of range");
}

std::int64_t signed_integer(const Json& in) {
  if (!in.is_number_integer()) broken("an integer is wanted");
  if (in.is_number_unsigned() && in.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
    broken("the number " + in.dump() + " is out of range");
  }
  return in.get<std::int64_t>();
}

std::uint64_t unsigned_integer(const Json& in) {
  if (!in.is_number_integer()) broken("an integer is wanted");
  if (!in.is_number_unsigned() && in.get<std::int64_t>() < 0) {
    broken("the number " + in.dump() + " is out of range");
  }
  return in.get<std::uint64_t>();
}

void Reader::finish() const {
  if (seen_.size() == in_.size()) return;
  for (const auto& [key, value] : in_.items()) {
    if (std::find(seen_.begin(), seen_.end(), key) == seen_.end()) broken("unknown key '" + key + "'");
  }
}

Result<Json> parse(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& why) {
    return fail(ErrorKind::invalid_argument, std::string("not JSON: ") + why.what());
  }
}

Error refusal(const Broken& why) {
  const std::string where = why.where().empty() ? "" : why.where() + ": ";
  return {ErrorKind::invalid_argument, where + why.what()};
}

}  // namespace aliquot::codec

namespace aliquot {

std::string to_line(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace aliquot
