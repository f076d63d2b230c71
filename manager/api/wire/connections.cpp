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

Result<std::string> Connections::greet(Id connection) {
  std::string& ticket = all_[connection].ticket;
  if (ticket.empty()) ticket = secret();
  if (ticket.empty()) return fail(ErrorKind::unavailable, "the kernel has no random bytes; try again");
  return ticket;
}

Result<void> Connections::prove(Id connection, const std::string& ticket) const {
  const auto at = all_.find(connection);
  if (at != all_.end() && !at->second.ticket.empty() && equal(at->second.ticket, ticket)) return {};
  return fail(ErrorKind::forbidden,
              ticket.empty()
                  ? "this request needs a ticket; ask `hello` on this connection first and put its "
                    "`ticket` into the header"
                  : "the ticket is not this connection's; ask `hello` again");
}

Result<void> Connections::begin(Id connection) {
  std::uint32_t& in_flight = all_[connection].in_flight;
  if (in_flight >= in_flight_limit_)
    return fail(ErrorKind::refused, "this connection has " + std::to_string(in_flight) +
                                        " requests in flight; wait for answers first");
  ++in_flight;
  return {};
}

void Connections::end(Id connection) {
  const auto at = all_.find(connection);
  if (at != all_.end() && at->second.in_flight > 0) --at->second.in_flight;
}

void Connections::forget(Id connection) { all_.erase(connection); }

}  // namespace aliquot
