// A certificate of its own making, for servers of tests. It also is the CA bundle that trusts it.
#pragma once

#include <string>
#include <vector>

#include "tpu_admission/pki/certificate.h"

namespace tpu_admission::support {

// From five minutes ago, for that long.
pki::Validity ValidFor(std::chrono::seconds time);

// ECDSA P-256, for each of `names`: DNS names or IP addresses, at least one; the first is the
// common name too. What cannot be made ends the process.
pki::KeyPair MakeSelfSigned(const std::vector<std::string>& names,
                            pki::Validity validity = ValidFor(std::chrono::hours(24)));

}  // namespace tpu_admission::support
