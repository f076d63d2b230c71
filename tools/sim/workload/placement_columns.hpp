// The columns of a workload that say where a job may stand (columns.hpp, kPlacementColumns): their texts
// <-> a demand.
//
// Errors: what is wrong with the first of them, as "column: why"; a job that contradicts itself, or that
// the empty cluster could not hold, is wrong too, in one clause that says what there is.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "policies/model/view.hpp"

namespace aliquot {

class PlacementColumns {
 public:
  PlacementColumns() = default;
  // The empty cluster.
  PlacementColumns(std::vector<Node> nodes, std::vector<std::string> models)
      : nodes_(std::move(nodes)), models_(std::move(models)) {}

  using TextOf = std::function<const std::string&(std::string_view column)>;
  // Empty: all is well. A job that asks for devices is not movable and has all the CPU it needs.
  [[nodiscard]] std::string read(const TextOf& text, Demand& demand) const;

 private:
  std::vector<Node> nodes_;
  std::vector<std::string> models_;
};

// Empty where the demand does not ask.
[[nodiscard]] std::string placement_text(const Demand& demand, const std::vector<std::string>& models,
                                         std::string_view column);

}  // namespace aliquot
