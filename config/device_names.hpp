// What operators call the hardware that libvirt finds, a word for each sort:
//
//   A100=10de:20f1          PCI devices of this vendor and product
//   A100-1g=mdev:nvidia-474  mediated devices of this type
//
// A model may have several sorts, a sort has one model. Pure text: what there is, the nodes tell.
#pragma once

#include <string>
#include <vector>

#include "config/form.hpp"

namespace aliquot {

struct DeviceName {
  std::string model;  // as jobs ask for it
  std::string sort;   // "10de:20f1", "mdev:nvidia-474"
  friend bool operator==(const DeviceName&, const DeviceName&) = default;
};

[[nodiscard]] Form<DeviceName> device_name();

// What is wrong with all names together: a sort twice; empty: nothing.
[[nodiscard]] std::string fault_of(const std::vector<DeviceName>& names);

}  // namespace aliquot
