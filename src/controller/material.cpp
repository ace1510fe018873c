#include "controller/material.h"

#include <algorithm>

namespace tpu_admission::controller {
namespace {

std::string ValueOf(const SecretData& data, const char* key) {
  const auto found = data.find(key);
  return found == data.end() ? "" : found->second;
}

bool Has(const std::vector<pki::Certificate>& certificates, const std::string& pem) {
  return std::any_of(certificates.begin(), certificates.end(),
                     [&](const pki::Certificate& each) { return each.pem == pem; });
}

void ReadTrusted(const SecretData& data, Material& material) {
  const std::string text = ValueOf(data, "ca.crt");
  for (pki::Certificate& certificate : pki::ReadBundle(text)) {
    if (certificate.is_authority && !Has(material.trusted, certificate.pem)) {
      material.trusted.push_back(std::move(certificate));
    }
  }
  if (!text.empty() && material.trusted.empty()) {
    material.faults.emplace_back("ca.crt holds no readable certificate authority");
  }
}

std::optional<Authority> ReadAuthority(const SecretData& data, const char* key,
                                       Material& material) {
  const std::string private_key = ValueOf(data, key);
  if (private_key.empty()) return std::nullopt;
  for (const pki::Certificate& certificate : material.trusted) {
    if (pki::BelongTogether(certificate.pem, private_key)) {
      return Authority{certificate, private_key};
    }
  }
  material.faults.push_back(std::string(key) + " belongs to no certificate of ca.crt");
  return std::nullopt;
}

void ReadServing(const SecretData& data, Material& material) {
  const std::string text = ValueOf(data, "tls.crt");
  const std::string private_key = ValueOf(data, "tls.key");
  if (text.empty() && private_key.empty()) return;
  auto certificate = pki::ReadCertificate(text);
  if (!certificate) {
    material.faults.emplace_back("tls.crt holds no readable certificate");
  } else if (!pki::BelongTogether(text, private_key)) {
    material.faults.emplace_back("tls.key does not belong to tls.crt");
  } else {
    material.serving = Serving{std::move(*certificate), text, private_key};
  }
}

}  // namespace

std::string Material::Bundle() const {
  std::string text;
  for (const pki::Certificate& certificate : trusted) text += certificate.pem;
  return text;
}

Material ReadMaterial(const SecretData& data) {
  Material material;
  ReadTrusted(data, material);
  material.signer = ReadAuthority(data, "ca.key", material);
  material.next = ReadAuthority(data, "next-ca.key", material);
  if (material.next && material.next == material.signer) material.next.reset();
  ReadServing(data, material);
  return material;
}

SecretData WriteMaterial(const Material& material) {
  return {{"ca.crt", material.Bundle()},
          {"ca.key", material.signer ? material.signer->private_key : ""},
          {"next-ca.key", material.next ? material.next->private_key : ""},
          {"tls.crt", material.serving ? material.serving->text : ""},
          {"tls.key", material.serving ? material.serving->private_key : ""}};
}

}  // namespace tpu_admission::controller
