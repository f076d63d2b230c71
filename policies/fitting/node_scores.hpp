// The nodes that can take tasks of a job, each with a score: what policies that place one job at a time
// compare.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/fitting/fragmentation.hpp"

namespace aliquot {

enum class FitRule : std::uint8_t { best_fit, dot_product, fgd, fgd_fill };

// A node that can take some tasks of a job, with these devices.
struct ScoredNode {
  std::int64_t score = 0;  // the smaller the better; exact
  std::uint32_t node = 0;
  std::uint32_t tasks = 0;
  DeviceSet devices = 0;
  friend auto operator<=>(const ScoredNode&, const ScoredNode&) = default;
};

// By node; none where it can take no task.
using ScoresByNode = std::vector<std::optional<ScoredNode>>;

// What a policy remembers of its scores: for each demand the scores of all nodes at some time, and when
// something last changed on a node. No decision depends on it, because all of it can be worked out anew;
// so what is stored is one word.
class KnownScores : public PolicyState {
 public:
  // What all scores are relative to.
  struct Basis {
    FitRule rule = FitRule::best_fit;
    Cpu most_cpu{1};  // of a node
    Memory most_memory{1};
    std::int64_t most_parts = 1;
    std::size_t nodes = 0;
    friend bool operator==(const Basis&, const Basis&) = default;
  };
  struct Column {
    Demand demand;
    ScoresByNode nodes;
    std::uint64_t as_of = 0;
  };
  Basis basis;
  std::shared_ptr<const Fragmentation> fragmentation;  // for the rules of FGD
  std::vector<FreeOnNode> free;                        // by node
  std::vector<std::uint64_t> changed_at;               // by node
  std::uint64_t time = 0;                              // counted in changes
  std::vector<std::shared_ptr<const Column>> columns;

  [[nodiscard]] std::string encode() const override { return kWord; }
  // Null: it is no such text.
  [[nodiscard]] static std::shared_ptr<const PolicyState> decode(std::string_view text) {
    return text == kWord ? std::make_shared<KnownScores>() : nullptr;
  }

 private:
  static constexpr const char* kWord = "scores";
};

// For one decision: begins with what is free in the draft, and with the scores that its view remembers.
class NodeScores {
 public:
  NodeScores(const Draft& draft, FitRule rule);

  // Of each node the most tasks it can take, at most demand.tasks, and the devices with the best score. The
  // demand's spread is not considered. Valid until the next call.
  [[nodiscard]] const ScoresByNode& of(const Demand& demand);

  // Tasks of this demand go to the node.
  void take(std::uint32_t node, const Demand& demand, std::uint32_t tasks, DeviceSet devices);

  // For the next decision.
  [[nodiscard]] std::shared_ptr<const PolicyState> take_known() {
    return std::make_shared<KnownScores>(std::move(known_));
  }

 private:
  void read_changes(const Draft& draft);
  [[nodiscard]] std::optional<ScoredNode> best_on(std::uint32_t node, const Demand& demand) const;
  [[nodiscard]] std::int64_t score(const Demand& demand, std::uint32_t tasks, const FreeOnNode& before,
                                   const FreeOnNode& after) const;
  // In millionths of the largest node's.
  [[nodiscard]] std::int64_t share_of_cpu(Cpu cpu) const;
  [[nodiscard]] std::int64_t share_of_memory(Memory memory) const;
  [[nodiscard]] std::int64_t share_of_devices(std::int64_t parts) const;

  KnownScores known_;
};

}  // namespace aliquot
