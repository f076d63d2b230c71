// What the server remembers of each connection, by ZeroMQ's routing id: who made it, its ticket, how many
// of its requests wait for an answer. Bounded: the connection unheard of for longest is forgotten first.
//
// Why a ticket. The credentials are read from the file descriptor that a message names, and by the time it
// is read that descriptor may be closed and belong to a newer connection of somebody else. So `hello` notes
// the credentials and answers with a secret, which only the connection that asked can receive; the requests
// that repeat it were sent by the process whose credentials were noted. Routing ids chosen by a client
// could be taken over by another and get no ticket.
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

  // Notes who said hello; the ticket to answer with.
  [[nodiscard]] Result<std::string> greet(const std::string& routing_id, Credentials credentials);
  // Who holds this ticket; forbidden if this connection was not given it.
  [[nodiscard]] Result<Credentials> proved(const std::string& routing_id, const std::string& ticket);

  // A request to be answered later; refused beyond the limit.
  [[nodiscard]] Result<void> begin(const std::string& routing_id);
  void end(const std::string& routing_id);

  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] std::uint32_t in_flight() const { return in_flight_; }

 private:
  struct Connection {
    Credentials credentials;
    std::string ticket;  // empty: has not said hello
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
