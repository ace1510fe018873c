// OpenSSL's objects with an owner, and its PEM texts.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

#include "tpu_admission/base/lifetime.h"
#include "tpu_admission/pki/x509.h"

namespace tpu_admission::pki {

template <auto Free>
struct FreeWith {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};

template <typename T, auto Free>
using Owned = std::unique_ptr<T, FreeWith<Free>>;

using BioPtr = Owned<BIO, BIO_free>;

inline BioPtr BioOf(const std::string& text TPU_ADMISSION_LIFETIME_BOUND) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

inline std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

// Without it OpenSSL would ask the terminal for the passphrase of what is encrypted.
inline int NoPassphrase(char*, int, int, void*) { return -1; }

// The next certificate, or null; leaves no error behind.
inline X509Ptr ReadX509(BIO* bio) {
  X509Ptr certificate(PEM_read_bio_X509(bio, nullptr, NoPassphrase, nullptr));
  ERR_clear_error();
  return certificate;
}

inline KeyPtr ReadKey(const std::string& pem) {
  KeyPtr key(PEM_read_bio_PrivateKey(BioOf(pem).get(), nullptr, NoPassphrase, nullptr));
  ERR_clear_error();
  return key;
}

// Whether the key is that of the certificate, and whole.
bool IsKeyOf(const X509* certificate, EVP_PKEY* key);

Validity ValidityOf(const X509* certificate);

}  // namespace tpu_admission::pki
