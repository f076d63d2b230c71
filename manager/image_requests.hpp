// Handles the requests about the image store. Files are read and written by background tasks: an image is
// copied apart from all else, since that may take minutes. Belongs to the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "config/settings.hpp"
#include "manager/api/wire/request.hpp"
#include "manager/background_tasks.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/inbox.hpp"
#include "manager/intake/image_store.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

class ImageRequests {
 public:
  // All outlive this. `settings` may be replaced by a reload between two calls.
  struct Parts {
    const Scheduler& scheduler;
    ImageStore& images;
    BackgroundTasks& files;  // short
    Inbox& inbox;
    const Settings& settings;
    std::function<void(const std::string& line)> log;
  };
  explicit ImageRequests(Parts parts) : parts_(std::move(parts)), copies_(parts_.inbox) {}
  ImageRequests(const ImageRequests&) = delete;
  ImageRequests& operator=(const ImageRequests&) = delete;
  // Does not wait until an image is copied: there is then no such image.
  ~ImageRequests() { parts_.images.stop_copying(); }

  // A JSON body, or why there is none; now or later.
  using Answer = std::function<void(Result<std::string>)>;
  void on(const Peer& peer, const ImageList& request, const Answer& answer) const;
  void on(const Peer& peer, const ImageShow& request, const Answer& answer) const;
  // Each user may have one image copied at a time.
  void on(const Peer& peer, const ImageAdd& request, const Answer& answer);
  // Of the user who added it, or by an operator.
  void on(const Peer& peer, const ImageRemove& request, const Answer& answer);

 private:
  [[nodiscard]] const CoreState& state() const { return parts_.scheduler.cluster().state(); }
  [[nodiscard]] std::string show(const Peer& peer, const StoredImage& image) const;
  void added(const Peer& peer, const Result<StoredImage>& image, const Answer& answer);

  Parts parts_;
  std::set<std::uint32_t> adding_;  // users whose image is being copied, or waits for that
  BackgroundTasks copies_;
};

// A request that is answered here.
template <class R>
concept ImageRequest = requires(ImageRequests& images, const Peer& peer, const R& request,
                                const ImageRequests::Answer& answer) {
  images.on(peer, request, answer);
};

}  // namespace aliquot
