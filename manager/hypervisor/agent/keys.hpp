// The keys by which a manager and the agents of its nodes know each other.
#pragma once

#include "manager/keys/curve_keys.hpp"

namespace aliquot::agent {

using Key = CurveKey;
using KeyPair = CurveKeys;
using aliquot::make_keys;
using aliquot::parse_key;
using aliquot::read_keys;
using aliquot::to_text;
using aliquot::write_keys;

}  // namespace aliquot::agent
