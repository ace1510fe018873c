// What the Secret holds, as certificates and keys.
//
//   ca.crt        every authority whose certificates may be in use: what caBundle is set to
//   ca.key        the key of the one that signs
//   next-ca.key   while the authority is replaced: the key of the one that will sign
//   tls.crt       the serving certificate
//   tls.key       its key
//
// Which certificate of ca.crt a key belongs to is found by trying.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tpu_admission/pki/certificate.h"

namespace tpu_admission::controller {

// Keys and decoded values of a Secret. Those that are not listed above are nobody's business here.
using SecretData = std::map<std::string, std::string>;

struct Authority {
  pki::Certificate certificate;
  std::string private_key;

  pki::KeyPair pair() const { return {certificate.pem, private_key}; }
  friend bool operator==(const Authority& a, const Authority& b) {
    return a.certificate.pem == b.certificate.pem;
  }
};

struct Serving {
  pki::Certificate certificate;
  std::string text;  // of tls.crt
  std::string private_key;
};

struct Material {
  std::vector<pki::Certificate> trusted;  // of ca.crt: readable authorities, each once
  std::optional<Authority> signer;
  std::optional<Authority> next;
  std::optional<Serving> serving;   // a pair that belongs together
  std::vector<std::string> faults;  // what is there and of no use, one line each

  // The text of ca.crt and of caBundle.
  std::string Bundle() const;
};

Material ReadMaterial(const SecretData& data);

// The five keys as they should be; a key without a value is to be removed.
SecretData WriteMaterial(const Material& material);

}  // namespace tpu_admission::controller
