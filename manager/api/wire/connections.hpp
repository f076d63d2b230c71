// The server's state for each client connection, by ZeroMQ routing id: its credentials, its ticket, and the
// number of its requests in flight. Bounded: the least recently used connection is forgotten first.
//
// Why tickets. Credentials are read from the file descriptor that a message names. By then that descriptor
// may have been closed and reused for the connection of another client. `hello` therefore records the
// credentials and answers with a secret, which only the requesting connection can receive; a request that
// repeats the secret comes from the process whose credentials were recorded. A routing id chosen by a
// client gets no ticket, because another client could take it over.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "manager/api/wire/auth.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

class Connections {
 public:
  Connections(std::size_t at_most, std::uint32_t in_flight_limit)
      : at_most_(at_most), in_flight_limit_(in_flight_limit) {}

  // Records the credentials of a `hello`; returns the ticket for the reply.
  [[nodiscard]] Result<std::string> greet(const std::string& routing_id, Credentials credentials);
  // The credentials of the holder of this ticket; forbidden if it was not issued to this connection.
  [[nodiscard]] Result<Credentials> proved(const std::string& routing_id, const std::string& ticket);

  // Counts a request in flight; refused above the limit.
  [[nodiscard]] Result<void> begin(const std::string& routing_id);
  void end(const std::string& routing_id);

  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] std::uint32_t in_flight() const { return in_flight_; }

 private:
  struct Connection {
    Credentials credentials;
    std::string ticket;  // empty: no `hello` yet
    std::uint32_t in_flight = 0;
    std::uint64_t heard = 0;
  };
  Connection& heard_of(const std::string& routing_id);
  void forget_one();

  std::size_t at_most_;
  std::uint32_t in_flight_limit_;
  std::uint32_t in_flight_ = 0;
  std::uint64_t clock_ = 0;
  std::map<std::string, Connection> all_;
  std::map<std::uint64_t, std::string> by_age_;
};

}  // namespace aliquot
