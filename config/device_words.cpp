#include "config/device_words.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

namespace aliquot {
namespace {

constexpr const char* kExpects =
    "a device: MODEL, MODEL*COUNT, MODEL@PCI-ADDRESS (0000:3b:00.0), MODEL@mdev:UUID, "
    "MODEL*COUNT@mdev:TYPE or from-libvirt";

tl::unexpected<Error> wrong(const std::string& text, const std::string& why) {
  return fail(ErrorKind::invalid_argument, "'" + text.substr(0, 80) + "': " + why + "; write " + kExpects);
}

bool is_token(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !text.empty() && text.size() <= 63 && std::all_of(text.begin(), text.end(), plain) &&
         text[0] != '-' && text[0] != '.' && text[0] != '_';
}

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// dddd:bb:ss.f, in lower-case hexadecimal digits, a slot below 20 and a function below 8.
bool is_pci_address(std::string_view text) {
  constexpr std::string_view shape = "xxxx:xx:xx.f";
  if (text.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const char c = text[i];
    if (shape[i] == 'x' ? !is_hex(c) : shape[i] == 'f' ? c < '0' || c > '7' : c != shape[i]) return false;
  }
  return text[8] <= '1';
}

Result<DeviceWord> parse_word(const std::string& text) {
  DeviceWord word;
  std::string_view rest = text;
  const std::size_t at = rest.find('@');
  const std::string_view place = at == std::string_view::npos ? "" : rest.substr(at + 1);
  if (at != std::string_view::npos && place.empty()) return wrong(text, "there is nothing after the @");
  rest = rest.substr(0, at);
  const std::size_t star = rest.find('*');
  word.model = rest.substr(0, star);
  if (!is_token(word.model))
    return wrong(text, "the model is no name of letters, digits, '.', '_' and '-'");
  if (star != std::string_view::npos) {
    const std::string_view count = rest.substr(star + 1);
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), word.count);
    if (error != std::errc{} || end != count.data() + count.size() || word.count < 1 ||
        word.count > kMostDevices)
      return wrong(text, "the count must be from 1 to " + std::to_string(kMostDevices));
  }
  if (word.model == kFromLibvirt && text != kFromLibvirt)
    return wrong(text, "from-libvirt stands for all devices of the node, with neither count nor place");
  if (place.starts_with("mdev:")) {
    const std::string_view which = place.substr(5);
    (is_uuid(which) ? word.uuid : word.mdev) = which;
    if (word.uuid.empty() && !is_token(which)) return wrong(text, "the type of mediated device is no name");
    if (!word.uuid.empty() && word.count != 1) return wrong(text, "one UUID is one device");
  } else if (!place.empty()) {
    word.pci = place;
    if (!is_pci_address(place)) return wrong(text, "the place is neither a PCI address nor mdev:TYPE");
    if (word.count != 1) return wrong(text, "at one PCI address there is one device");
  }
  return word;
}

std::string print_word(const DeviceWord& word) {
  std::string text = word.model;
  if (word.count != 1) text += '*' + std::to_string(word.count);
  if (!word.pci.empty()) text += '@' + word.pci;
  if (!word.mdev.empty()) text += "@mdev:" + word.mdev;
  if (!word.uuid.empty()) text += "@mdev:" + word.uuid;
  return text;
}

}  // namespace

Form<DeviceWord> device_word() {
  return {kExpects, R"("type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,62}([*][0-9]+)?(@.+)?$")",
          parse_word, print_word};
}

bool is_uuid(std::string_view text) {
  constexpr std::string_view shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  if (text.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] == '-' ? text[i] != '-' : !is_hex(text[i])) return false;
  return true;
}

bool asks_libvirt(const DeviceWord& word) { return word.model == kFromLibvirt || !word.mdev.empty(); }
bool asks_libvirt(const std::vector<DeviceWord>& words) {
  return std::any_of(words.begin(), words.end(), [](const DeviceWord& word) { return asks_libvirt(word); });
}

std::string place_of(const DeviceWord& word) {
  return word.uuid.empty() ? word.pci : std::string("mdev:").append(word.uuid);
}

std::string fault_of(const std::vector<DeviceWord>& words) {
  std::uint64_t slots = 0;
  std::set<std::string> places;
  for (const DeviceWord& word : words) {
    slots += word.count;
    if (word.model == kFromLibvirt && words.size() > 1)
      return "from-libvirt stands for all devices of the node: write it alone, or name each device";
    const std::string place = place_of(word);
    if (!place.empty() && !places.insert(place).second)
      return "the device " + place + " stands there twice; a device is given once";
  }
  if (slots <= kMostDevices) return {};
  return std::to_string(slots) + " devices; a node has at most " + std::to_string(kMostDevices);
}

std::vector<Device> slots_of(const std::vector<DeviceWord>& words, std::vector<std::string>& models) {
  std::vector<Device> slots;
  for (const DeviceWord& word : words) {
    if (asks_libvirt(word)) continue;
    const auto known = std::find(models.begin(), models.end(), word.model);
    const DeviceModel model{static_cast<std::uint16_t>(known - models.begin())};
    if (known == models.end()) models.push_back(word.model);
    slots.insert(slots.end(), word.count, Device{model});
  }
  return slots;
}

std::vector<std::string> slot_places(const std::vector<DeviceWord>& words) {
  std::vector<std::string> places;
  bool any = false;
  for (const DeviceWord& word : words) {
    if (asks_libvirt(word)) continue;
    places.insert(places.end(), word.count, place_of(word));
    any = any || !places.back().empty();
  }
  return any ? places : std::vector<std::string>();
}

}  // namespace aliquot
