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

void ImageRequests::on(const Peer&, const ImageShow& request, const Answer& answer) const {
  answer(parts_.images.find(request.image).map([this](const StoredImage& image) {
    return image_show_answer(state(), image);
  }));
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
                                parts_.settings.images.max_total};
  const UserIds user{peer.uid, peer.gid, peer.groups};
  copies_.run([this, request, user, rules, answer]() -> std::function<void()> {
    auto image = parts_.images.add(request.image, request.file, user, LiveClock::wall_us(), rules);
    return [this, image = std::move(image), uid = user.uid, answer] { added(image, uid, answer); };
  });
}

void ImageRequests::added(const Result<StoredImage>& image, std::uint32_t uid, const Answer& answer) {
  adding_.erase(uid);
  if (image)
    parts_.log("image_added name=" + image->name.text + " sha256=" + image->sha256 +
               " bytes=" + std::to_string(image->size.raw) + " by_uid=" + std::to_string(uid));
  answer(image.map([this](const StoredImage& stored) { return image_show_answer(state(), stored); }));
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
