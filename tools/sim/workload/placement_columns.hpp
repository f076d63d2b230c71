// The placement requests of a job (columns.hpp, kPlacementColumns), from texts to a demand and back.
//
// An error is the first wrong column, as "column: why". Requests that contradict each other, or that the
// empty cluster could not hold, are errors too; the message says what the cluster has.
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
  // The error, or empty. A job that asks for devices is not movable and is guaranteed yield 1.
  [[nodiscard]] std::string read(const TextOf& text, Demand& demand) const;

 private:
  std::vector<Node> nodes_;
  std::vector<std::string> models_;
};

// Empty if the demand requests nothing there.
[[nodiscard]] std::string placement_text(const Demand& demand, const std::vector<std::string>& models,
                                         std::string_view column);

}  // namespace aliquot
