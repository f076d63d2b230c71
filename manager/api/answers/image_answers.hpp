// The answers about the images of the image store, as JSON bodies, and which jobs use an image. Pure;
// docs/protocol.md lists the keys.
#pragma once

#include <string>
#include <vector>

#include "manager/api/answers/sight.hpp"
#include "manager/api/wire/request.hpp"
#include "manager/core/state.hpp"
#include "monitor/record/image.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Jobs that have not ended and boot the image, by id.
[[nodiscard]] std::vector<JobId> jobs_with(const CoreState& state, const StoredImage& image);

// Errors: forbidden, the user is neither the owner nor an operator; conflict, jobs use it, which are named.
[[nodiscard]] Result<void> can_remove(const CoreState& state, const StoredImage& image, const Peer& peer);

[[nodiscard]] std::string image_list_answer(const CoreState& state, const std::vector<StoredImage>& images);
// Names the jobs whose programs the client may see; counts all.
[[nodiscard]] std::string image_show_answer(const CoreState& state, const StoredImage& image,
                                            const Sight& sight = {});
[[nodiscard]] std::string image_removed_answer(const ImageName& name);

}  // namespace aliquot
