#include "manager/api/answers/key_answers.hpp"

#include <nlohmann/json.hpp>

#include "manager/api/answers/answer_values.hpp"
#include "manager/api/wire/key_role.hpp"
#include "manager/api/wire/strict_json.hpp"

namespace aliquot {

using nlohmann::json;

namespace {

constexpr std::int64_t kLongestTokenS = 31 * 24 * 3600;

json date(std::int64_t unix_s) { return wire::iso_time(unix_s * kMillion); }

// How clients find the manager, and know it.
Result<json> with_server(JobServer& server, json body) {
  const auto own = server.keys().server_keys();
  if (!own) return tl::unexpected<Error>(own.error());
  const auto or_null = [](const std::string& address) {
    return address.empty() ? json() : json("tcp://" + address);
  };
  body["server_key"] = to_text(own->public_key);
  body["address"] = or_null(server.remote_address());
  body["events_address"] = or_null(server.remote_events_address());
  return body;
}

}  // namespace

Result<std::string> key_answer(JobServer& server, const KeyAdd& request, std::int64_t now_unix_s) {
  const bool is_token = !request.token_sha256.empty();
  const auto public_key = parse_key(is_token ? request.token_sha256 : request.public_key);
  if (!public_key) return tl::unexpected<Error>(public_key.error());
  if (is_token && (!request.expires_unix_s || *request.expires_unix_s > now_unix_s + kLongestTokenS))
    return fail(ErrorKind::invalid_argument, "a token expires within 31 days; say when");
  if (request.expires_unix_s && *request.expires_unix_s <= now_unix_s)
    return fail(ErrorKind::invalid_argument,
                "the key would have expired already; name a later date with --expires");
  const ClientKey key{request.user, request.role,           is_token ? CurveKey{} : *public_key,
                      now_unix_s,   request.expires_unix_s, request.token_sha256};
  if (auto added = server.keys().add(request.name, key); !added)
    return tl::unexpected<Error>(added.error());
  return with_server(server, {{"key", request.name}, {"done", "added"}}).map(wire::to_line);
}

Result<std::string> key_answer(JobServer& server, const KeyList&, std::int64_t now_unix_s) {
  json keys = json::array();
  for (const auto& [name, key] : server.keys().keys())
    keys.push_back({{"key", name},
                    {"user", key.user},
                    {"role", std::string(word_of(key.role))},
                    {"public_key", key.token_sha256.empty() ? json(to_text(key.public_key)) : json()},
                    {"created_at", date(key.created_unix_s)},
                    {"expires_at", key.expires_unix_s ? date(*key.expires_unix_s) : json()},
                    {"in_force", server.keys().is_in_force(name, now_unix_s)}});
  return with_server(server, {{"keys", std::move(keys)}}).map(wire::to_line);
}

Result<std::string> key_answer(JobServer& server, const KeyRevoke& request, std::int64_t /*now_unix_s*/) {
  const auto revoked = server.keys().revoke(request.name);
  server.close_those_without_key();  // it may be revoked here, and not stored
  if (!revoked) return tl::unexpected<Error>(revoked.error());
  return wire::to_line({{"key", request.name}, {"done", "revoked"}});
}

}  // namespace aliquot
