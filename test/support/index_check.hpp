// Is the index of a view what rebuild() would make of it?
#pragma once

#include "policies/model/view.hpp"

namespace aliquot::test {

inline bool index_agrees(const ClusterView& view) {
  ViewIndex fresh;
  fresh.rebuild(view);
  return view.index == fresh;
}

}  // namespace aliquot::test
