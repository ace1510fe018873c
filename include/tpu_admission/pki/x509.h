// Certificates and keys in OpenSSL's own form, for the layers that speak TLS. No layer but this one
// reads them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tpu_admission/pki/certificate.h"

struct x509_st;      // OpenSSL's X509
struct evp_pkey_st;  // and EVP_PKEY

namespace tpu_admission::pki {

struct Release {
  void operator()(x509_st* certificate) const;
  void operator()(evp_pkey_st* key) const;
};
using X509Ptr = std::unique_ptr<x509_st, Release>;
using KeyPtr = std::unique_ptr<evp_pkey_st, Release>;

// What a server proves itself by.
struct ServerIdentity {
  X509Ptr leaf;
  std::vector<X509Ptr> issuers;
  KeyPtr key;
  Validity validity;    // of the leaf
  std::string subject;  // of the leaf: one line, never empty
};

// `certificate` is a PEM chain, leaf first: at most 10 certificates and 64 KiB, since clients
// refuse a longer handshake. `private_key` is a PEM key without a passphrase, that of the leaf and
// whole. Validity is not judged.
Result<ServerIdentity> ReadServerIdentity(const std::string& certificate,
                                          const std::string& private_key);

// Every readable certificate in `pem`, as ReadBundle().
std::vector<X509Ptr> ReadTrusted(const std::string& pem);

// The newest reason in this thread's queue of OpenSSL's errors, which is emptied.
std::string OpenSslError();

}  // namespace tpu_admission::pki
