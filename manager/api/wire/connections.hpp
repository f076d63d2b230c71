// The job server's state for each client connection: its ticket, and the number of its requests in flight.
//
// The kernel says which user made a connection (zmtp_server.hpp). A client shows with a ticket that it
// speaks for its user: it asks for it by `hello`, and repeats it with every request that needs an identity.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "policies/model/error.hpp"

namespace aliquot {

class Connections {
 public:
  using Id = std::uint64_t;  // of an open connection

  explicit Connections(std::uint32_t in_flight_limit) : in_flight_limit_(in_flight_limit) {}

  // The ticket for the reply to a `hello`.
  [[nodiscard]] Result<std::string> greet(Id connection);
  // Forbidden unless the ticket was issued to this connection.
  [[nodiscard]] Result<void> prove(Id connection, const std::string& ticket) const;

  // Counts a request in flight; refused above the limit.
  [[nodiscard]] Result<void> begin(Id connection);
  void end(Id connection);
  void forget(Id connection);

  [[nodiscard]] std::size_t size() const { return all_.size(); }

 private:
  struct Connection {
    std::string ticket;  // empty: no `hello` yet
    std::uint32_t in_flight = 0;
  };
  std::uint32_t in_flight_limit_;
  std::map<Id, Connection> all_;
};

}  // namespace aliquot
