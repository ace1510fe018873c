// Certificates of our own making: make, read and judge them. PEM in, PEM out; no clock, no files.
// Keys are ECDSA P-256, PKCS#8 without a passphrase. Times have whole seconds.
#pragma once

#include <string>
#include <vector>

#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/result.h"

namespace tpu_admission::pki {

struct Validity {
  Clock::Wall not_before;
  Clock::Wall not_after;

  bool Contains(Clock::Wall time) const { return not_before <= time && time < not_after; }
  friend bool operator==(const Validity&, const Validity&) = default;
};

struct KeyPair {
  std::string certificate;  // PEM
  std::string private_key;  // PEM
};

// A certificate as it was read.
struct Certificate {
  std::string pem;  // this one alone, as OpenSSL writes it: equal certificates have equal text
  Validity validity;
  bool is_authority = false;  // an authority that signed itself, undamaged
  std::vector<std::string> dns_names;
};

// A self-signed authority that signs end certificates only. `name` is its common name, with a
// random number behind it: two authorities of one name would be hard to tell apart.
Result<KeyPair> MakeAuthority(const std::string& name, Validity validity);

// A serving certificate for `dns_names` (at least one), signed by `authority`.
Result<KeyPair> Issue(const KeyPair& authority, const std::vector<std::string>& dns_names,
                      Validity validity);

// The first certificate in `pem`.
Result<Certificate> ReadCertificate(const std::string& pem);

// Every readable certificate in `pem`, in its order; the rest of the text is skipped.
std::vector<Certificate> ReadBundle(const std::string& pem);

// Whether the key is that of the certificate, and whole. False too if either is unreadable.
bool BelongTogether(const std::string& certificate, const std::string& private_key);

// Whether a client that trusts only `bundle` takes `certificate` for the server `dns_name` at
// `time`; if not, why.
Status Verify(const std::string& certificate, const std::string& bundle,
              const std::string& dns_name, Clock::Wall time);

}  // namespace tpu_admission::pki
