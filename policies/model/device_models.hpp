// Models of devices as users write them: "V100M16|V100M32", any of which will do.
//
// The names are those of ClusterView::device_models. At most DeviceModels::kMost of them; the order means
// nothing, and a name that stands there twice counts once. An empty text names none: any model will do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/model/device.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

struct NamedModels {
  DeviceModels models;
  std::string unknown{};  // the first name that is not known; empty: all are, and `models` is complete
};

// An error: too many names, or an empty one. Whoever asks says what there is instead of an unknown one.
[[nodiscard]] Result<NamedModels> read_models(std::string_view text, const std::vector<std::string>& known);

// Each name once, in the order of `known`; a number without a name is left out.
[[nodiscard]] std::vector<std::string> names_of(const DeviceModels& models,
                                                const std::vector<std::string>& known);

// "V100M16|V100M32"; empty: any. What read_models reads back.
[[nodiscard]] std::string text_of(const DeviceModels& models, const std::vector<std::string>& known);

}  // namespace aliquot
