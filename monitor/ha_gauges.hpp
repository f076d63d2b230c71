// The metrics of one of several managers (docs/high-availability.md), which the one that leads has beside
// all others, and a standby alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aliquot {

struct HaGauges {
  struct Member {  // of etcd
    std::string endpoint;
    std::optional<std::int64_t> db_bytes;  // none: it does not answer
    std::int64_t db_bytes_in_use = 0;      // of them
  };
  struct Lease {
    double seconds = 0;  // for so long it is granted
    double left = 0;     // and for so long it is surely held
  };
  bool is_standby = false;
  bool leader_known = false;
  bool follows = false;
  std::uint64_t epoch = 0;
  std::uint64_t batches_behind = 0;
  bool is_hot = false;              // of a standby
  std::optional<Lease> lease = {};  // of the leader
  std::vector<Member> etcd = {};    // what the leader knows of it
};

// In the text format of Prometheus.
[[nodiscard]] std::string text_of(const HaGauges& gauges);

struct HaGaugeRow {
  std::string_view name;
  std::string_view unit;
  std::string_view label;
  std::string_view help;
};
[[nodiscard]] std::span<const HaGaugeRow> ha_gauge_table();

}  // namespace aliquot
