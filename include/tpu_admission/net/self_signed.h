// A certificate of its own making: for the demo (`dev run`) and for tests. A cluster gets its
// certificates from elsewhere.
#pragma once

#include <string>
#include <vector>

#include "tpu_admission/base/result.h"

namespace tpu_admission::net {

struct SelfSigned {
  std::string certificate;  // PEM; also the CA bundle that trusts it
  std::string private_key;  // PEM, ECDSA P-256, no passphrase
};

// Valid from five minutes ago (clocks differ) for `days` days, for each of `names`: DNS names or
// IP addresses, at least one. The first is the common name too (cut to 64 bytes).
Result<SelfSigned> MakeSelfSigned(const std::vector<std::string>& names, int days);

}  // namespace tpu_admission::net
