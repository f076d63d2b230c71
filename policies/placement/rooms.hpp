// What is free, counted by cells, and how one request is put into it.
//
// The state of a collective placement is not a list of nodes but a short list of (what is free, on how many
// nodes): placing a job touches a few counters, whatever the number of nodes. Nothing here chooses between
// requests.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/placement/answer.hpp"

namespace aliquot::ip {

struct Room {
  Cell free;
  std::uint32_t count = 0;
};
using Rooms = std::vector<Room>;

[[nodiscard]] Rooms rooms_of(const Instance& instance);

// Units that one such node could hold, whatever is asked for in all; 0 also without the devices.
[[nodiscard]] std::uint32_t units_held(const Instance& instance, const Cell& free, const Request& request);

// Which nodes first. A request that asks for devices goes to few nodes in any case: each takes devices.
enum class Style : std::uint8_t {
  spare_devices,  // those with the fewest free devices, of these the emptiest
  fill_up,        // those with the fewest free devices, of these the fullest: keeps whole nodes whole
  few_nodes,      // the emptiest
};
inline constexpr std::array kStyles = {Style::spare_devices, Style::fill_up, Style::few_nodes};

// Refers to the instance, which must outlive it. Keeps buffers from request to request.
class Placer {
 public:
  explicit Placer(const Instance& instance) : instance_(instance) {}

  // Places all units of the request, or nothing. Returns the number of nodes; 0: there is no room. What was
  // taken is appended to `takes`, unless that is null. A request that contradicts itself (no units, fewest
  // nodes above most) finds no room. Where any room exists for the request alone, it is found; without
  // limits on the nodes Style::few_nodes then takes the fewest there are.
  std::uint32_t place(Rooms& rooms, std::uint32_t request, Style style, std::vector<Take>* takes = nullptr);

  // Counted work: cells looked at.
  [[nodiscard]] std::uint64_t work() const { return work_; }
  void add_work(std::uint64_t more) { work_ += more; }
  [[nodiscard]] const Instance& instance() const { return instance_; }

 private:
  struct Option {
    std::uint64_t key = 0;
    std::uint32_t room = 0;
    std::uint32_t slots = 0;  // units that one of these nodes could hold, at most those asked for
    std::uint32_t count = 0;
    std::uint32_t used = 0;
    std::uint32_t devices = 0;
    std::uint16_t device = 0;
  };
  struct Put {
    std::uint32_t option = 0;
    std::uint32_t units = 0;
    std::uint32_t nodes = 0;
  };

  bool gather(const Rooms& rooms, const Request& request, Style style);
  void put(std::size_t option, std::uint32_t units, std::uint32_t nodes);
  void forget_puts();
  bool put_rest(std::uint32_t units);
  std::uint32_t fixed(const Request& request);
  std::uint32_t fill(const Request& request);
  std::uint32_t exactly(const Request& request, std::uint32_t nodes);
  std::uint32_t choose(const Request& request);
  void level(const Request& request);
  void apply(Rooms& rooms, std::uint32_t request, std::vector<Take>* takes);

  const Instance& instance_;
  std::vector<Option> options_;
  std::vector<Put> puts_;
  std::uint64_t work_ = 0;
};

}  // namespace aliquot::ip
