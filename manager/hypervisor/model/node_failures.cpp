#include "manager/hypervisor/model/node_failures.hpp"

#include <cmath>

namespace aliquot::model {
namespace {

// What a number is drawn for; other purposes are those of timed_actions.cpp.
enum Purpose : std::uint64_t { until_failure = 100, until_repair };

// By inversion; at least a microsecond, at most 1,000 times the mean.
Duration exponential(std::uint64_t draw, Duration mean) {
  const double uniform = (static_cast<double>(draw >> 11) + 0.5) * 0x1p-53;  // in (0, 1)
  const double times = std::min(-std::log(uniform), 1000.0);
  return {1 + static_cast<std::int64_t>(times * static_cast<double>(mean.raw))};
}

}  // namespace

Outage draw_failure(const Chance& chance, const ModelOptions& options, NodeId node, std::uint32_t number,
                    Instant since) {
  const auto drawn = [&](Purpose purpose, Duration mean) {
    return exponential(chance.draw(node.raw, number, purpose), mean);
  };
  return {node, since + drawn(until_failure, options.mtbf), drawn(until_repair, options.mttr), true,
          number};
}

}  // namespace aliquot::model
