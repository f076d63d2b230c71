#include "policies/placement/rooms.hpp"

#include <algorithm>
#include <limits>

#include "policies/placement/cells.hpp"

namespace aliquot::ip {

namespace {

constexpr std::uint32_t kFieldMost = (1U << 20) - 1;

std::uint64_t key_of(std::uint32_t first, std::uint32_t second, std::uint32_t third) {
  const auto field = [](std::uint32_t value) { return std::uint64_t{std::min(value, kFieldMost)}; };
  return field(first) << 40 | field(second) << 20 | field(third);
}

std::uint32_t slots_of(const Cell& free, const Request& request) {
  std::uint32_t slots = request.cpu == 1   ? free.cpu
                        : request.cpu == 0 ? request.units
                                           : free.cpu / request.cpu;
  if (request.memory > 0) slots = std::min(slots, free.memory / request.memory);
  return slots;
}

std::uint32_t ceil_of(std::uint32_t a, std::uint32_t b) { return a / b + (a % b > 0 ? 1 : 0); }

// So many units on a node are as good as more.
std::uint32_t enough_of(const Request& request) {
  if (request.per_node > 0) return request.per_node;
  if (request.min_nodes > 1) return ceil_of(request.units, request.min_nodes);
  return request.units;
}

bool contradicts_itself(const Request& r) {
  if (r.units == 0) return true;
  if (r.min_nodes > r.units) return true;
  if (r.max_nodes > 0 && r.min_nodes > r.max_nodes) return true;
  if (r.per_node == 0) return false;
  const std::uint32_t nodes = ceil_of(r.units, r.per_node);
  return nodes < r.min_nodes || (r.max_nodes > 0 && nodes > r.max_nodes);
}

}  // namespace

Rooms rooms_of(const Instance& instance) {
  Rooms rooms;
  for (const NodeClass& c : instance.classes) {
    if (c.count == 0) continue;
    const auto same =
        std::find_if(rooms.begin(), rooms.end(), [&](const Room& r) { return r.free == c.free; });
    if (same != rooms.end()) {
      same->count += c.count;
    } else {
      rooms.push_back({c.free, c.count});
    }
  }
  return rooms;
}

std::uint32_t units_held(const Instance& instance, const Cell& free, const Request& request) {
  if (request.devices > 0 && !pick(instance.kinds[free.kind], free, request)) return 0;
  const std::uint32_t slots = std::min(slots_of(free, request), request.units);
  return request.per_node > 0 ? std::min(slots, request.per_node) : slots;
}

std::uint32_t Placer::place(Rooms& rooms, std::uint32_t name, Style style, std::vector<Take>* takes) {
  const Request& request = instance_.requests[name];
  work_ += 3 * rooms.size() + 20;
  if (contradicts_itself(request) || !gather(rooms, request, style)) return 0;
  const std::uint32_t nodes = request.per_node > 0 ? fixed(request) : choose(request);
  if (nodes > 0) apply(rooms, name, takes);
  return nodes;
}

bool Placer::gather(const Rooms& rooms, const Request& request, Style style) {
  options_.clear();
  puts_.clear();
  const std::uint32_t enough = enough_of(request);
  const bool with_slices = instance_.least_slice < kWholeDevice;
  std::uint64_t room_for = 0;
  for (std::uint32_t i = 0; i < rooms.size(); ++i) {
    const Cell& free = rooms[i].free;
    const std::uint32_t slots = slots_of(free, request);
    if (slots == 0) continue;
    Pick device = 0;
    std::uint32_t devices = with_slices ? free.device_parts() : free.whole_devices();
    if (request.devices > 0) {
      const auto picked = pick(instance_.kinds[free.kind], free, request);
      if (!picked) continue;
      device = *picked;
      // A slice goes where a device is cut already, and the least of that is left over.
      if (request.is_slice()) devices = cut_parts(device);
    }
    const std::uint32_t few = kFieldMost - std::min(slots, enough);
    std::uint64_t key = key_of(devices, few, slots);
    if (style == Style::few_nodes) key = key_of(few, devices, slots);
    if (style == Style::spare_devices && request.devices > 0) key = key_of(few, devices, slots);
    if (style == Style::fill_up && request.devices == 0) key = key_of(devices, slots, 0);
    const std::uint32_t useful = std::min(slots, request.units);
    options_.push_back({key, i, useful, rooms[i].count, 0, devices, device});
    room_for += std::uint64_t{useful} * rooms[i].count;
  }
  if (room_for < request.units) return false;
  std::sort(options_.begin(), options_.end(), [](const Option& a, const Option& b) {
    return a.key != b.key ? a.key < b.key : a.room < b.room;
  });
  return true;
}

void Placer::put(std::size_t option, std::uint32_t units, std::uint32_t nodes) {
  options_[option].used += nodes;
  puts_.push_back({static_cast<std::uint32_t>(option), units, nodes});
}

void Placer::forget_puts() {
  for (Option& option : options_) option.used = 0;
  puts_.clear();
}

// The last node, which is not filled: where the fewest devices are in the way, then the tightest.
bool Placer::put_rest(std::uint32_t units) {
  std::size_t best = options_.size();
  for (std::size_t o = 0; o < options_.size(); ++o) {
    const Option& option = options_[o];
    if (option.used == option.count || option.slots < units) continue;
    const auto rank = [](const Option& of) { return std::pair(of.devices, of.slots); };
    if (best == options_.size() || rank(option) < rank(options_[best])) best = o;
  }
  if (best == options_.size()) return false;
  put(best, units, 1);
  return true;
}

// So many units on each node.
std::uint32_t Placer::fixed(const Request& request) {
  std::uint32_t missing = request.units / request.per_node;
  const std::uint32_t rest = request.units % request.per_node;
  for (std::size_t o = 0; o < options_.size() && missing > 0; ++o) {
    if (options_[o].slots < request.per_node) continue;
    const std::uint32_t nodes = std::min(options_[o].count, missing);
    put(o, request.per_node, nodes);
    missing -= nodes;
  }
  if (missing > 0 || (rest > 0 && !put_rest(rest))) return 0;
  return ceil_of(request.units, request.per_node);
}

// Node after node, each filled; what is left over goes to one that it fits.
std::uint32_t Placer::fill(const Request& request) {
  std::uint32_t left = request.units;
  std::uint32_t nodes = 0;
  for (std::size_t o = 0; o < options_.size() && left > 0; ++o) {
    const Option& option = options_[o];
    const std::uint32_t whole = std::min(option.count, left / option.slots);
    if (whole > 0) put(o, option.slots, whole);
    left -= whole * options_[o].slots;
    nodes += whole;
    if (left == 0 || whole == options_[o].count) continue;
    return put_rest(left) ? nodes + 1 : 0;
  }
  return left == 0 ? nodes : 0;
}

std::uint32_t Placer::choose(const Request& request) {
  std::uint32_t nodes = fill(request);
  if (request.max_nodes > 0 && nodes > request.max_nodes) {
    forget_puts();
    std::stable_sort(options_.begin(), options_.end(),
                     [](const Option& a, const Option& b) { return a.slots > b.slots; });
    nodes = fill(request);
    if (nodes > request.max_nodes) return 0;
  }
  if (nodes == 0 || nodes >= request.min_nodes) return nodes;
  forget_puts();
  return exactly(request, request.min_nodes);
}

// More nodes than its units need: the first that can hold an even share, else the roomiest; and then
// evenly. That leaves room of the same shape everywhere.
std::uint32_t Placer::exactly(const Request& request, std::uint32_t nodes) {
  const std::uint32_t share = ceil_of(request.units, nodes);
  std::uint32_t missing = nodes;
  std::uint64_t room_for = 0;
  for (std::size_t o = 0; o < options_.size() && missing > 0; ++o) {
    if (options_[o].slots < share) continue;
    const std::uint32_t some = std::min(options_[o].count, missing);
    put(o, 0, some);
    missing -= some;
    room_for += std::uint64_t{options_[o].slots} * some;
  }
  if (missing > 0) {
    forget_puts();
    std::stable_sort(options_.begin(), options_.end(),
                     [](const Option& a, const Option& b) { return a.slots > b.slots; });
    missing = nodes;
    room_for = 0;
    for (std::size_t o = 0; o < options_.size() && missing > 0; ++o) {
      const std::uint32_t some = std::min(options_[o].count, missing);
      put(o, 0, some);
      missing -= some;
      room_for += std::uint64_t{options_[o].slots} * some;
    }
  }
  if (missing > 0 || room_for < request.units) return 0;
  level(request);
  return nodes;
}

// Pours the units into the nodes of the puts up to a common level: none of them stays without.
void Placer::level(const Request& request) {
  const auto held_at = [&](std::uint32_t most) {
    std::uint64_t held = 0;
    for (const Put& p : puts_) held += std::uint64_t{std::min(options_[p.option].slots, most)} * p.nodes;
    return held;
  };
  std::uint32_t low = 1;
  std::uint32_t high = request.units;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (held_at(middle) >= request.units) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  auto excess = static_cast<std::uint32_t>(held_at(low) - request.units);
  const std::size_t before = puts_.size();
  for (std::size_t p = 0; p < before; ++p) {
    const std::uint32_t slots = options_[puts_[p].option].slots;
    puts_[p].units = std::min(slots, low);
    const std::uint32_t lowered = slots < low ? 0 : std::min(excess, puts_[p].nodes);
    if (lowered == 0) continue;
    excess -= lowered;
    puts_[p].nodes -= lowered;
    puts_.push_back({puts_[p].option, low - 1, lowered});
  }
}

void Placer::apply(Rooms& rooms, std::uint32_t name, std::vector<Take>* takes) {
  const Request& request = instance_.requests[name];
  bool emptied = false;
  for (const Put& p : puts_) {
    if (p.nodes == 0) continue;
    const Option& option = options_[p.option];
    rooms[option.room].count -= p.nodes;
    emptied = emptied || rooms[option.room].count == 0;
    Cell left = rooms[option.room].free;
    if (takes) takes->push_back({name, left, option.device, p.units, p.nodes});
    ip::take(instance_, request, p.units, option.device, left);
    const auto same =
        std::find_if(rooms.begin(), rooms.end(), [&](const Room& room) { return room.free == left; });
    if (same != rooms.end()) {
      same->count += p.nodes;
    } else {
      rooms.push_back({left, p.nodes});
    }
  }
  if (emptied) std::erase_if(rooms, [](const Room& room) { return room.count == 0; });
}

}  // namespace aliquot::ip
