// The submissions with an idempotency key that have been taken and are not answered yet. A repeated request
// joins the first one and gets its answer, so that requests that arrive together make one job too. A key
// that has been answered is in the store (Store::answered).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "manager/api/wire/job_server.hpp"
#include "manager/store/store.hpp"

namespace aliquot {

// A client that waits for an answer, and until when.
struct WaitingClient {
  using Time = std::chrono::steady_clock::time_point;
  ClientToken token;
  Time deadline = Time::max();
};

class KeysInWork {
 public:
  enum class Role {
    first,    // nothing is known of this key here
    joined,   // the answer to the first request will be sent to this client too
    differs,  // another request is in work with this key
  };
  [[nodiscard]] Role take(const IdempotencyKey& key, const std::string& body_sha256,
                          const WaitingClient& client);
  // True if no client waits for the answer any more.
  [[nodiscard]] bool expired(const IdempotencyKey& key, WaitingClient::Time now) const;
  // The clients that wait for the answer, the first one included. The key is not in work any more.
  [[nodiscard]] std::vector<ClientToken> finish(const IdempotencyKey& key);

 private:
  struct Work {
    std::string body_sha256;
    std::vector<WaitingClient> clients;
  };
  std::map<IdempotencyKey, Work> works_;
};

}  // namespace aliquot
