// What every node offers to a demand, and how good that is: the leaf under all placing one by one.
//
// Between two decisions few nodes change: what was reckoned for a node and a demand is kept until the
// node's rest, or the sample of typical tasks, is another. That changes no result.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "policies/fitting/fit_score.hpp"

namespace aliquot {

// A node that can take some tasks of a job, and how.
struct Offer {
  std::int64_t score = 0;  // the smaller the better
  std::uint32_t node = 0;
  std::uint32_t tasks = 0;
  DeviceSet devices = 0;
  friend auto operator<=>(const Offer&, const Offer&) = default;
};

class NodeOffers {
 public:
  explicit NodeOffers(FitRule rule) : score_(rule) {}

  // Begins with what is free now. To be called first.
  void follow(const ClusterView& view);

  // What each node offers, by node; none where it offers nothing. At most demand.tasks tasks; its spread
  // is not looked at. Valid until the next call.
  [[nodiscard]] const std::vector<std::optional<Offer>>& to(const Demand& demand);
  // Tasks of this demand go there.
  void take(std::uint32_t node, const Demand& demand, std::uint32_t tasks, DeviceSet devices);

 private:
  // The offers to one demand; those of nodes that have changed since are reckoned again.
  struct Column {
    Demand demand;
    std::vector<std::optional<Offer>> offers;
    std::vector<std::uint64_t> of_version;  // by node
  };
  [[nodiscard]] std::optional<Offer> reckon(std::uint32_t node, const Demand& demand);

  FitScore score_;
  std::vector<NodeRest> rests_;
  std::vector<std::uint64_t> versions_;  // of the rests, by node
  std::uint64_t version_ = 0;
  std::vector<Column> columns_;
};

}  // namespace aliquot
