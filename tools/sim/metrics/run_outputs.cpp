#include "tools/sim/metrics/run_outputs.hpp"

#include <array>
#include <charconv>

#include "manager/store/state_codec.hpp"
#include "monitor/codec_step.hpp"
#include "tools/sim/decimal.hpp"

namespace aliquot {
namespace {

std::string to_text(Yield yield) {
  return aliquot::to_text(Decimal{Int128{yield.raw} * (kPico / kMillion)});
}

}  // namespace

std::string to_text(const Placement& placement) {
  std::string text;
  for (std::size_t i = 0; i < placement.size();) {
    std::size_t end = i + 1;
    while (end < placement.size() && placement[end].units == placement[i].units &&
           placement[end].node.raw == placement[end - 1].node.raw + 1)
      ++end;
    if (!text.empty()) text += ' ';
    text += std::to_string(placement[i].node.raw);
    if (end - i > 1) (text += '-') += std::to_string(placement[end - 1].node.raw);
    if (placement[i].units != 1) (text += 'x') += std::to_string(placement[i].units);
    i = end;
  }
  return text;
}

std::string to_text(const std::vector<DeviceSet>& devices) {
  std::string text;
  for (std::size_t i = 0; i < devices.size();) {
    std::size_t end = i + 1;
    while (end < devices.size() && devices[end] == devices[i]) ++end;
    std::array<char, 16> digits;
    const char* last = std::to_chars(digits.data(), digits.data() + digits.size(), devices[i], 16).ptr;
    text.append(text.empty() ? "" : " ").append(static_cast<const char*>(digits.data()), last);
    if (end - i > 1) (text += '*') += std::to_string(end - i);
    i = end;
  }
  return text;
}

Result<EventsOut> EventsOut::create(const std::string& path, bool with_devices) {
  auto sink = TextSink::create(path);
  if (!sink) return tl::unexpected(sink.error());
  return EventsOut(std::move(*sink), with_devices);
}

EventsOut::EventsOut(TextSink sink, bool with_devices)
    : sink_(std::move(sink)), with_devices_(with_devices) {
  sink_.write(std::string(kEventColumns) + (with_devices ? kDevicesColumn : "") + "\n");
}

void EventsOut::write(Instant now, const std::vector<JobEvent>& events) {
  std::string text;
  for (const JobEvent& row : events) {
    text += aliquot::to_text(now - Instant{}) + ',' + std::to_string(row.job.raw) + ',' + row.what + ',';
    text += aliquot::to_text(row.placement) + ',' + to_text(row.yield) + ',' + to_text(row.rate) + ',';
    text += aliquot::to_text(row.stall) + ',' + row.cause;
    if (with_devices_) text += ',' + aliquot::to_text(row.devices);
    text += '\n';
  }
  sink_.write(text);
}

Result<std::unique_ptr<JournalOut>> JournalOut::create(const std::string& path) {
  auto sink = TextSink::create(path);
  if (!sink) return tl::unexpected(sink.error());
  return std::unique_ptr<JournalOut>(new JournalOut(std::move(*sink)));
}

void JournalOut::begin(const CoreState& state) {
  sink_.write(R"({"snapshot":)" + encode_state(state) + "}\n");
}

void JournalOut::on_step(const Step& step, const ClusterView& /*after*/) {
  sink_.write(encode_step(step) + "\n");
}

}  // namespace aliquot
