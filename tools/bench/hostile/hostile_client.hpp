// A client of the manager that means no good: it does one thing (HostileAct), as fast as it can, and
// connects again whenever it is thrown out. Never waits: one thread drives many.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace aliquot::siege {

struct Target {
  std::string api;  // paths of the sockets
  std::string events;
  std::uint16_t http = 0;
};

struct HostileAct {
  enum class Door { api, events, http };
  enum class Reads { all, nothing, trickle };
  std::string name;
  Door door = Door::api;
  Reads reads = Reads::all;
  std::string first;  // sent once a connection
  // What it sends then, over and over; `ticket` is empty until the manager gave one. Empty: nothing now.
  std::function<std::string(const std::string& ticket)> next;
  std::chrono::milliseconds pause{0};               // between two of these
  std::chrono::milliseconds stays{24 * 3'600'000};  // before it connects anew
};

// All that is known: each client takes one, in turn.
[[nodiscard]] std::vector<HostileAct> hostile_acts();

class HostileClient {
 public:
  HostileClient(HostileAct act, const Target& target) : act_(std::move(act)), target_(target) {}
  HostileClient(const HostileClient&) = delete;
  HostileClient& operator=(const HostileClient&) = delete;
  ~HostileClient();

  // Does what can be done now; false if that was nothing.
  bool take_turn();
  [[nodiscard]] const std::string& name() const { return act_.name; }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] std::uint64_t connections() const { return connections_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool connect_anew();
  bool read_some();
  bool write_some();
  void leave();

  HostileAct act_;
  const Target& target_;
  int fd_ = -1;
  std::string pending_;  // to be sent
  std::size_t at_ = 0;   // of pending_
  std::string ticket_;
  std::string heard_;  // until there is a ticket in it
  Clock::time_point next_;
  Clock::time_point since_;
  std::uint64_t sent_ = 0;  // bytes
  std::uint64_t connections_ = 0;
};

}  // namespace aliquot::siege
