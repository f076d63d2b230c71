#include "manager/keys_in_work.hpp"

#include <algorithm>

namespace aliquot {

KeysInWork::Role KeysInWork::take(const IdempotencyKey& key, const std::string& body_sha256,
                                  const WaitingClient& client) {
  const auto [at, first] = works_.try_emplace(key, Work{body_sha256, {}});
  Work& work = at->second;
  if (work.body_sha256 != body_sha256) return Role::differs;
  work.clients.push_back(client);
  return first ? Role::first : Role::joined;
}

bool KeysInWork::expired(const IdempotencyKey& key, WaitingClient::Time now) const {
  const auto at = works_.find(key);
  return at != works_.end() && std::all_of(at->second.clients.begin(), at->second.clients.end(),
                                           [now](const WaitingClient& c) { return c.deadline <= now; });
}

std::vector<ClientToken> KeysInWork::finish(const IdempotencyKey& key) {
  std::vector<ClientToken> clients;
  const auto at = works_.find(key);
  if (at == works_.end()) return clients;
  for (WaitingClient& client : at->second.clients) clients.push_back(std::move(client.token));
  works_.erase(at);
  return clients;
}

}  // namespace aliquot
