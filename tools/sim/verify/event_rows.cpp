#include "tools/sim/verify/event_rows.hpp"

#include <charconv>

#include "tools/sim/decimal.hpp"
#include "tools/sim/workload/csv_line.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

// Repeated here on purpose: nothing is shared with the writer.
constexpr std::string_view kHeader = "time,job,what,nodes,yield,rate,stall,cause";
constexpr std::string_view kHeaderWithDevices = "time,job,what,nodes,yield,rate,stall,cause,devices";
constexpr std::size_t kFields = 8;

Result<Instant> parse_instant(std::string_view text) {
  const auto value = parse_decimal(text);
  if (!value) return tl::unexpected(value.error());
  if (value->pico < 0) return fail(ErrorKind::invalid_argument, "is negative");
  return Instant{} + to_duration(*value);
}

Result<Yield> parse_yield(std::string_view text) {
  const auto value = parse_decimal(text);
  if (!value) return tl::unexpected(value.error());
  constexpr Int128 unit = kPico / kMillion;
  if (value->pico < 0 || value->pico > kPico || value->pico % unit != 0)
    return fail(ErrorKind::invalid_argument, "should be from 0 to 1, with at most six decimals");
  return Yield{static_cast<std::int64_t>(value->pico / unit)};
}

Result<std::uint64_t> parse_number(std::string_view text, std::uint64_t most) {
  return parse_count(text, most);
}

}  // namespace

Result<Placement> parse_placement(std::string_view text) {
  Placement placement;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    std::string_view item = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    std::uint64_t units = 1;
    if (const std::size_t x = item.find('x'); x != std::string_view::npos) {
      const auto count = parse_number(item.substr(x + 1), kMostTasks);
      if (!count || *count == 0) return fail(ErrorKind::invalid_argument, "is no placement");
      units = *count;
      item = item.substr(0, x);
    }
    const std::size_t dash = item.find('-');
    const auto first = parse_number(item.substr(0, dash), kMostNodes);
    const auto last =
        dash == std::string_view::npos ? first : parse_number(item.substr(dash + 1), kMostNodes);
    const bool rises = first && (placement.empty() || *first > placement.back().node.raw);
    if (!first || !last || *last < *first || !rises)
      return fail(ErrorKind::invalid_argument, "is no placement: increasing nodes like 0-3x2 7");
    for (std::uint64_t node = *first; node <= *last; ++node)
      placement.push_back({NodeId{static_cast<std::uint32_t>(node)}, static_cast<std::uint32_t>(units)});
  }
  return placement;
}

Result<std::vector<DeviceSet>> parse_devices(std::string_view text, std::size_t nodes) {
  std::vector<DeviceSet> devices;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    std::string_view item = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    std::uint64_t times = 1;
    if (const std::size_t star = item.find('*'); star != std::string_view::npos) {
      const auto count = parse_number(item.substr(star + 1), kMostNodes);
      times = count ? *count : 0;
      item = item.substr(0, star);
    }
    DeviceSet slots = 0;
    const auto [last, error] = std::from_chars(item.data(), item.data() + item.size(), slots, 16);
    const bool whole = error == std::errc{} && last == item.data() + item.size();
    if (!whole || times == 0 || times > nodes - devices.size())
      return fail(ErrorKind::invalid_argument, "are no sets of slots: like 3*2 1, one for each node");
    devices.insert(devices.end(), times, slots);
  }
  return devices;
}

Result<EventRows> EventRows::open(const std::string& path) {
  auto source = TextSource::open(path);
  if (!source) return tl::unexpected(source.error());
  EventRows rows(std::move(*source), path);
  const auto header = rows.source_.next();
  if (!header) return tl::unexpected(header.error());
  if (!*header) return fail(ErrorKind::invalid_argument, path + ": the file is empty");
  rows.with_devices_ = **header == kHeaderWithDevices;
  if (**header != kHeader && !rows.with_devices_)
    return rows.bad("the header should be " + std::string(kHeader));
  return rows;
}

tl::unexpected<Error> EventRows::bad(const std::string& why) const {
  return fail(ErrorKind::invalid_argument, path_ + ":" + std::to_string(source_.line()) + ": " + why);
}

Result<std::optional<EventRow>> EventRows::next() {
  const auto line = source_.next();
  if (!line) return tl::unexpected(line.error());
  if (!*line) return std::nullopt;
  const auto fields = split_csv(**line);
  if (!fields) return bad(fields.error().message);
  const std::size_t wanted = kFields + (with_devices_ ? 1 : 0);
  if (fields->size() != wanted)
    return bad(std::to_string(fields->size()) + " fields instead of " + std::to_string(wanted));
  EventRow row;
  row.line = source_.line();
  row.what = (*fields)[2];
  row.cause = (*fields)[7];
  const auto time = parse_instant((*fields)[0]);
  if (!time) return bad("time: " + time.error().message);
  const auto job = parse_count((*fields)[1], kLargestJobId);
  if (!job) return bad("job: " + job.error().message);
  const auto placement = parse_placement((*fields)[3]);
  if (!placement) return bad("nodes: " + placement.error().message);
  const auto yield = parse_yield((*fields)[4]);
  if (!yield) return bad("yield: " + yield.error().message);
  const auto rate = parse_yield((*fields)[5]);
  if (!rate) return bad("rate: " + rate.error().message);
  const auto stall = parse_instant((*fields)[6]);
  if (!stall) return bad("stall: " + stall.error().message);
  row.time = *time;
  row.job = {*job};
  row.placement = *placement;
  row.yield = *yield;
  row.rate = *rate;
  row.stall = *stall - Instant{};
  if (!with_devices_) return row;
  auto devices = parse_devices((*fields)[kFields], row.placement.size());
  if (!devices) return bad("devices: " + devices.error().message);
  row.devices = std::move(*devices);
  return row;
}

}  // namespace aliquot
