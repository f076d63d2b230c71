#include "manager/image_requests.hpp"

#include "manager/api/answers/image_answers.hpp"
#include "manager/clock.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kUsersAtOnce = 64;

}  // namespace

void ImageRequests::on(const Peer&, const ImageList&, const Answer& answer) const {
  answer(image_list_answer(state(), parts_.images.all()));
}

std::string ImageRequests::show(const Peer& peer, const StoredImage& image) const {
  // The owners of the jobs stand in the state.
  const Sight sight(parts_.settings.api.privacy, peer, [](JobId) { return std::nullopt; });
  return image_show_answer(state(), image, sight);
}

void ImageRequests::on(const Peer& peer, const ImageShow& request, const Answer& answer) const {
  answer(
      parts_.images.find(request.image).map([&](const StoredImage& image) { return show(peer, image); }));
}

void ImageRequests::on(const Peer& peer, const ImageAdd& request, const Answer& answer) {
  if (adding_.contains(peer.uid))
    return answer(fail(ErrorKind::unavailable,
                       "an image of yours is being copied; add the next one when it is in `aliquot image "
                       "list`"));
  if (adding_.size() >= kUsersAtOnce)
    return answer(fail(ErrorKind::unavailable, "the images of " + std::to_string(adding_.size()) +
                                                   " users wait to be copied; ask again in a minute"));
  adding_.insert(peer.uid);
  const ImageStore::Rules rules{parts_.settings.files.roots, parts_.settings.images.max_size,
                                parts_.settings.images.max_per_user, parts_.settings.images.max_total};
  const UserIds user{peer.uid, peer.gid, peer.groups};
  copies_.run([this, request, user, rules, peer, answer]() -> std::function<void()> {
    auto image =
        parts_.images.add({request.image, request.file, request.uefi}, user, LiveClock::wall_us(), rules);
    return [this, image = std::move(image), peer, answer] { added(peer, image, answer); };
  });
}

void ImageRequests::added(const Peer& peer, const Result<StoredImage>& image, const Answer& answer) {
  adding_.erase(peer.uid);
  if (image)
    parts_.log("image_added name=" + image->name.text + " sha256=" + image->sha256 +
               " bytes=" + std::to_string(image->size.raw) + " by_uid=" + std::to_string(peer.uid));
  answer(image.map([&](const StoredImage& stored) { return show(peer, stored); }));
}

void ImageRequests::on(const Peer& peer, const ImageRemove& request, const Answer& answer) {
  const auto image = parts_.images.find(request.image);
  if (!image) return answer(tl::unexpected<Error>(image.error()));
  if (auto free = can_remove(state(), *image, peer); !free)
    return answer(tl::unexpected<Error>(free.error()));
  parts_.files.run([this, name = image->name, uid = peer.uid, answer]() -> std::function<void()> {
    auto removed = parts_.images.remove(name);
    return [this, name, uid, answer, removed = std::move(removed)] {
      if (!removed) return answer(tl::unexpected<Error>(removed.error()));
      parts_.log("image_removed name=" + name.text + " by_uid=" + std::to_string(uid));
      answer(image_removed_answer(name));
    };
  });
}

}  // namespace aliquot
