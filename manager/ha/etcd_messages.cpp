#include "manager/ha/etcd_messages.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

namespace aliquot::ha {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

Json to_json(const Put& put) {
  Json request{{"key", encode_base64(put.key)}, {"value", encode_base64(put.value)}};
  if (put.lease != 0) request["lease"] = std::to_string(put.lease);
  return {{"requestPut", std::move(request)}};
}

Json to_json(const Get& get) {
  Json request{{"key", encode_base64(get.key)}};
  if (!get.end.empty()) request["range_end"] = encode_base64(get.end);
  if (get.limit != 0) request["limit"] = std::to_string(get.limit);
  if (get.keys_only) request["keys_only"] = true;
  if (get.newest_first) {
    request["sort_order"] = "DESCEND";
    request["sort_target"] = "KEY";
  }
  return {{"requestRange", std::move(request)}};
}

Json to_json(const Erase& erase) {
  Json request{{"key", encode_base64(erase.key)}};
  if (!erase.end.empty()) request["range_end"] = encode_base64(erase.end);
  return {{"requestDeleteRange", std::move(request)}};
}

Json to_json(const std::vector<Operation>& operations) {
  Json list = Json::array();
  for (const Operation& operation : operations)
    list.push_back(std::visit([](const auto& one) { return to_json(one); }, operation));
  return list;
}

tl::unexpected<Error> not_understood(const std::string& what) {
  return fail(ErrorKind::unsupported, "etcd gave an answer that is not understood (" + what +
                                          "): name an etcd of version 3.4 or newer");
}

Result<Json> parsed(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return not_understood("no JSON object");
  return json;
}

// Of a number that may be text, and is left out when it is 0; none: it is something else.
std::optional<std::int64_t> number(const Json& object, const char* name) {
  const auto at = object.find(name);
  if (at == object.end()) return 0;
  if (at->is_number_integer()) return at->get<std::int64_t>();
  if (!at->is_string()) return std::nullopt;
  const std::string& text = at->get_ref<const std::string&>();
  std::int64_t value = 0;
  const auto [stopped, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc{} || stopped != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string text_of(const Json& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

const Json& part(const Json& object, const char* name) {
  static const Json nothing = Json::object();
  const auto at = object.find(name);
  return at != object.end() && at->is_object() ? *at : nothing;
}

Result<KeyValue> decode_key_value(const Json& json) {
  if (!json.is_object()) return not_understood("a key is no object");
  auto key = decode_base64(text_of(json, "key"));
  auto value = decode_base64(text_of(json, "value"));
  const auto created = number(json, "create_revision");
  const auto modified = number(json, "mod_revision");
  if (!key || !value || !created || !modified) return not_understood("a key and its value");
  return KeyValue{std::move(*key), std::move(*value), *created, *modified};
}

Result<std::vector<KeyValue>> decode_range(const Json& json) {
  std::vector<KeyValue> found;
  const auto rows = json.find("kvs");
  if (rows == json.end()) return found;
  if (!rows->is_array()) return not_understood("kvs is no list");
  for (const Json& row : *rows) {
    auto one = decode_key_value(row);
    if (!one) return tl::unexpected<Error>(one.error());
    found.push_back(std::move(*one));
  }
  return found;
}

Result<LeaseAnswer> decode_lease(const Json& json) {
  const auto id = number(json, "ID");
  const auto ttl = number(json, "TTL");
  if (!id || !ttl) return not_understood("a lease");
  return LeaseAnswer{*id, *ttl};
}

}  // namespace

std::string end_of_prefix(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xff) prefix.pop_back();
  if (prefix.empty()) return std::string(1, '\0');  // to etcd, the end of all keys
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t here = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i)
      three = three << 8 | (i < here ? static_cast<unsigned char>(bytes[at + i]) : 0);
    for (std::size_t i = 0; i < 4; ++i)
      text.push_back(i <= here ? kDigits[three >> (18 - 6 * i) & 63] : '=');
  }
  return text;
}

Result<std::string> decode_base64(std::string_view text) {
  static constexpr auto kValues = [] {
    std::array<std::int8_t, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < kDigits.size(); ++i)
      values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::int8_t>(i);
    return values;
  }();
  if (text.size() % 4 != 0) return not_understood("base64 of a wrong length");
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pad = i >= text.size() - padding;
    const int value = pad ? 0 : kValues[static_cast<unsigned char>(text[i])];
    if (value < 0) return not_understood("no base64");
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if (i % 4 != 3) continue;
    for (int shift = 16; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(bits >> shift & 0xff));
    bits = 0;
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

std::string encode_transaction(const EtcdTransaction& transaction) {
  Json compare = Json::array();
  for (const CreatedAt& condition : transaction.conditions)
    compare.push_back({{"key", encode_base64(condition.key)},
                       {"target", "CREATE"},
                       {"result", "EQUAL"},
                       {"create_revision", std::to_string(condition.revision)}});
  return Json{{"compare", std::move(compare)},
              {"success", to_json(transaction.then)},
              {"failure", to_json(transaction.otherwise)}}
      .dump();
}
std::string encode_lease_grant(std::int64_t ttl_s) { return Json{{"TTL", std::to_string(ttl_s)}}.dump(); }
std::string encode_lease(std::int64_t id) { return Json{{"ID", std::to_string(id)}}.dump(); }
std::string encode_compaction(std::int64_t revision) {
  return Json{{"revision", std::to_string(revision)}}.dump();
}
std::string encode_move_of_leadership(const std::string& to) { return Json{{"targetID", to}}.dump(); }
std::string encode_own_read(const std::string& key) {
  return Json{{"key", encode_base64(key)}, {"serializable", true}}.dump();
}

Result<TransactionAnswer> decode_transaction(std::string_view text) {
  const auto json = parsed(text);
  if (!json) return tl::unexpected<Error>(json.error());
  TransactionAnswer answer;
  const auto revision = number(part(*json, "header"), "revision");
  if (!revision || *revision == 0) return not_understood("a transaction without a revision");
  answer.revision = *revision;
  const auto succeeded = json->find("succeeded");
  answer.succeeded = succeeded != json->end() && succeeded->is_boolean() && succeeded->get<bool>();
  const auto responses = json->find("responses");
  if (responses == json->end()) return answer;
  if (!responses->is_array()) return not_understood("responses are no list");
  for (const Json& response : *responses) {
    if (!response.is_object() || !response.contains("response_range")) continue;
    auto found = decode_range(part(response, "response_range"));
    if (!found) return tl::unexpected<Error>(found.error());
    answer.found.push_back(std::move(*found));
  }
  return answer;
}

Result<LeaseAnswer> decode_lease_grant(std::string_view text) {
  const auto json = parsed(text);
  if (!json) return tl::unexpected<Error>(json.error());
  auto lease = decode_lease(*json);
  if (lease && (lease->id == 0 || lease->ttl_s <= 0)) return not_understood("a lease without an id");
  return lease;
}

Result<LeaseAnswer> decode_keep_alive(std::string_view text) {
  const auto json = parsed(text);
  if (!json) return tl::unexpected<Error>(json.error());
  return decode_lease(part(*json, "result"));
}

Result<MemberStatus> decode_status(std::string_view text) {
  const auto json = parsed(text);
  if (!json) return tl::unexpected<Error>(json.error());
  const auto bytes = number(*json, "dbSize");
  const auto used = number(*json, "dbSizeInUse");
  // Ids have 64 bits without a sign; 0 is left out.
  const std::string leader = text_of(*json, "leader");
  const std::string self = text_of(part(*json, "header"), "member_id");
  MemberStatus status{.version = text_of(*json, "version"),
                      .db_bytes = bytes.value_or(0),
                      .has_leader = !leader.empty(),
                      .leads = !leader.empty() && leader == self,
                      .id = self,
                      .db_bytes_in_use = used.value_or(0)};
  if (status.version.empty()) return not_understood("a status without a version");
  return status;
}

Result<std::size_t> decode_members(std::string_view text) {
  const auto json = parsed(text);
  if (!json) return tl::unexpected<Error>(json.error());
  const auto members = json->find("members");
  if (members == json->end() || !members->is_array()) return not_understood("a list without members");
  return members->size();
}

EtcdRefusal decode_refusal(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  EtcdRefusal refusal;
  if (!json.is_object()) {
    refusal.words = text.substr(0, std::min<std::size_t>(text.find_first_of("\r\n"), 200));
    return refusal;
  }
  refusal.code = static_cast<int>(number(json, "code").value_or(0));
  refusal.words = text_of(json, "message");
  if (refusal.words.empty()) refusal.words = text_of(json, "error");
  return refusal;
}

}  // namespace aliquot::ha
