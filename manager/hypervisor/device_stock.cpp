#include "manager/hypervisor/device_stock.hpp"

#include <algorithm>
#include <set>

namespace aliquot {
namespace {

constexpr std::uint32_t kBridge =
    0x06;  // PCI base class: bridges may share a group, they are not passed through

bool is_free(const NodeDevice& device) { return device.driver.empty() || device.driver == "vfio-pci"; }

std::string name_of(const NodeDevice& device, const std::vector<DeviceName>& names) {
  const auto named = std::find_if(names.begin(), names.end(),
                                  [&](const DeviceName& name) { return name.sort == device.sort; });
  return named == names.end() ? std::string() : named->model;
}

// Empty: nothing.
std::string what_hinders(const NodeDevice& device, const std::vector<NodeDevice>& found) {
  if (device.is_mdev()) return {};
  if (!device.iommu_group)
    return "no IOMMU group: switch the IOMMU on in the firmware and for the kernel (intel_iommu=on)";
  if (!is_free(device))
    return "the host's driver " + device.driver + " has it: bind it to vfio-pci" +
           (device.mdev_types.empty() ? "" : ", or make mediated devices of it");
  for (const NodeDevice& other : found)
    if (other.iommu_group == device.iommu_group && !other.is_mdev() && other.pci_class >> 16 != kBridge &&
        !is_free(other))
      return "it shares IOMMU group " + std::to_string(*device.iommu_group) + " with " + other.place +
             ", which the host's driver " + other.driver + " has: bind that to vfio-pci too";
  return {};
}

class Count {
 public:
  Count(const std::vector<DeviceName>& names, const std::vector<NodeDevice>& found) : found_(found) {
    for (const NodeDevice& device : found) {
      const std::string name = aliquot::name_of(device, names);
      if (!device.is_accelerator() && !device.is_mdev() && name.empty()) continue;
      names_.push_back(name);
      lines_.push_back({device, {}, {}});
    }
  }

  void take(const DeviceWord& word) {
    if (word.model == kFromLibvirt) return take_all();
    if (!word.mdev.empty()) return take_of_type(word);
    words_.push_back(word);
    const std::string place = place_of(word);
    if (place.empty()) return;
    if (StockLine* line = line_at(place)) return give(*line, word.model);
    // Configured by its place: not an accelerator, or not found.
    const auto seen = std::find_if(found_.begin(), found_.end(),
                                   [&](const NodeDevice& device) { return device.place == place; });
    NodeDevice unseen;
    unseen.place = place;
    lines_.push_back({seen == found_.end() ? unseen : *seen, word.model, {}});
    names_.emplace_back();
    if (seen == found_.end()) lines_.back().why_not = "libvirt does not find it on the node";
  }

  Stock close() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      StockLine& line = lines_[i];
      if (!line.model.empty() || !line.why_not.empty()) continue;
      line.why_not = what_hinders(line.device, found_);
      if (!line.why_not.empty()) continue;
      line.why_not = names_[i].empty() ? "no name: add MODEL=" + line.device.sort + " to device_models"
                                       : "the node's `devices` do not name it: add " + names_[i] + "@" +
                                             line.device.place;
    }
    return {std::move(words_), std::move(lines_)};
  }

 private:
  // A device that the configuration names by its place becomes a slot in any case; the reason is shown.
  void give(StockLine& line, const std::string& model) {
    line.model = model;
    line.why_not = what_hinders(line.device, found_);
  }

  void take_all() {
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (!names_[i].empty() && what_hinders(lines_[i].device, found_).empty()) add(lines_[i], names_[i]);
  }

  void take_of_type(const DeviceWord& word) {
    std::uint32_t missing = word.count;
    for (StockLine& line : lines_) {
      if (missing == 0) break;
      if (line.device.sort != "mdev:" + word.mdev || !line.model.empty()) continue;
      add(line, word.model);
      --missing;
    }
    if (missing == 0) return;
    NodeDevice unseen;
    unseen.sort = "mdev:" + word.mdev;
    lines_.push_back({unseen,
                      {},
                      std::to_string(missing) + " of " + std::to_string(word.count) +
                          " configured have not been made: make them with mdevctl"});
    names_.emplace_back();
  }

  void add(StockLine& line, const std::string& model) {
    if (words_.size() >= kMostDevices) {
      line.why_not = "a node has at most " + std::to_string(kMostDevices) + " devices";
      return;
    }
    DeviceWord word{model};
    if (line.device.is_mdev())
      word.uuid = line.device.place.substr(std::string_view("mdev:").size());
    else
      word.pci = line.device.place;
    words_.push_back(word);
    line.model = model;
  }

  StockLine* line_at(const std::string& place) {
    const auto at = std::find_if(lines_.begin(), lines_.end(),
                                 [&](const StockLine& line) { return line.device.place == place; });
    return at == lines_.end() ? nullptr : &*at;
  }

  const std::vector<NodeDevice>& found_;
  std::vector<std::string> names_;  // by line
  std::vector<StockLine> lines_;
  std::vector<DeviceWord> words_;
};

}  // namespace

Stock take_stock(const std::vector<DeviceWord>& configured, const std::vector<DeviceName>& names,
                 const std::vector<NodeDevice>& found) {
  Count count(names, found);
  // Entries with a type take from the rest, after the devices that are named by their UUID.
  for (const DeviceWord& word : configured)
    if (!asks_libvirt(word)) count.take(word);
  for (const DeviceWord& word : configured)
    if (asks_libvirt(word)) count.take(word);
  return count.close();
}

}  // namespace aliquot
