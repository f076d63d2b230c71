#include "manager/api/wire/connections.hpp"

#include <sys/random.h>

#include <array>

namespace aliquot {

namespace {

// 128 random bits from the kernel; empty on failure.
std::string secret() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  std::string hex;
  for (const unsigned char byte : bytes) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

// Comparison in constant time.
bool equal(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

Connections::Connection& Connections::heard_of(const std::string& routing_id) {
  const auto [at, fresh] = all_.try_emplace(routing_id);
  Connection& connection = at->second;
  if (!fresh) by_age_.erase(connection.heard);
  connection.heard = ++clock_;
  by_age_[connection.heard] = routing_id;
  if (fresh && all_.size() > at_most_) forget_one();
  return connection;
}

// Forgets the least recently used connection without requests in flight; never the newest.
void Connections::forget_one() {
  for (auto at = by_age_.begin(); at != std::prev(by_age_.end()); ++at) {
    const auto old = all_.find(at->second);
    if (old->second.in_flight > 0) continue;
    all_.erase(old);
    by_age_.erase(at);
    return;
  }
}

Result<std::string> Connections::greet(const std::string& routing_id, Credentials credentials) {
  // ZeroMQ's own routing ids begin with a zero byte; a client cannot choose one that does.
  if (routing_id.empty() || routing_id[0] != '\0')
    return fail(ErrorKind::forbidden,
                "this connection chose its own routing id; leave ZMQ_ROUTING_ID unset, so that no other "
                "can take it over");
  Connection& connection = heard_of(routing_id);
  if (!connection.ticket.empty()) return connection.ticket;
  std::string ticket = secret();
  if (ticket.empty()) return fail(ErrorKind::unavailable, "the kernel has no random bytes; try again");
  connection.credentials = credentials;
  connection.ticket = ticket;
  return ticket;
}

Result<Credentials> Connections::proved(const std::string& routing_id, const std::string& ticket) {
  const auto at = all_.find(routing_id);
  if (at != all_.end() && !at->second.ticket.empty() && equal(at->second.ticket, ticket))
    return at->second.credentials;
  return fail(ErrorKind::forbidden,
              ticket.empty()
                  ? "this request needs a ticket; ask `hello` on this connection first and put its "
                    "`ticket` into the header"
                  : "the ticket is not this connection's; ask `hello` again");
}

Result<void> Connections::begin(const std::string& routing_id) {
  Connection& connection = heard_of(routing_id);
  if (connection.in_flight >= in_flight_limit_)
    return fail(ErrorKind::refused, "this connection has " + std::to_string(connection.in_flight) +
                                        " requests in flight; wait for answers first");
  ++connection.in_flight;
  ++in_flight_;
  return {};
}

void Connections::end(const std::string& routing_id) {
  const auto at = all_.find(routing_id);
  if (at == all_.end() || at->second.in_flight == 0) return;
  --at->second.in_flight;
  --in_flight_;
}

}  // namespace aliquot
