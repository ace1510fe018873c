#include "support/scripted_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace tpu_admission::support {
namespace {

SSL_CTX* ContextOf(const pki::KeyPair& pair, int newest_tls) {
  SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
  SSL_CTX_set_min_proto_version(context, TLS1_1_VERSION);
  SSL_CTX_set_max_proto_version(context, newest_tls);
  if (newest_tls < TLS1_2_VERSION) SSL_CTX_set_security_level(context, 0);
  BIO* bio = BIO_new_mem_buf(pair.certificate.data(), static_cast<int>(pair.certificate.size()));
  X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(context, certificate);
  while (X509* issuer = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr)) {
    SSL_CTX_add0_chain_cert(context, issuer);
  }
  X509_free(certificate);
  BIO_free(bio);
  bio = BIO_new_mem_buf(pair.private_key.data(), static_cast<int>(pair.private_key.size()));
  EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
  SSL_CTX_use_PrivateKey(context, key);
  EVP_PKEY_free(key);
  BIO_free(bio);
  return context;
}

std::size_t BodyBytes(const std::string& head) {
  const std::string field = "Content-Length: ";
  const std::size_t at = head.find(field);
  return at == head.npos ? 0 : std::stoul(head.substr(at + field.size()));
}

}  // namespace

ScriptedServer::ScriptedServer(const pki::KeyPair& pair, Script script, int newest_tls,
                               std::uint16_t port)
    : script_(std::move(script)), context_(ContextOf(pair, newest_tls)) {
  std::signal(SIGPIPE, SIG_IGN);  // clients go away
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    ADD_FAILURE() << "cannot listen";
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

ScriptedServer::~ScriptedServer() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  CloseConnections();
  for (std::thread& thread : threads_) thread.join();
  ::close(listener_);
  SSL_CTX_free(context_);
}

void ScriptedServer::CloseConnections() {
  std::lock_guard lock(mutex_);
  for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
}

std::vector<ScriptedRequest> ScriptedServer::requests() const {
  std::lock_guard lock(mutex_);
  return requests_;
}

std::string ScriptedServer::sni() const {
  std::lock_guard lock(mutex_);
  return sni_;
}

void ScriptedServer::Accept() {
  for (;;) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    {
      std::lock_guard lock(mutex_);
      open_.push_back(fd);
    }
    threads_.emplace_back([this, fd] { Serve(fd); });
  }
}

void ScriptedServer::Serve(int fd) {
  SSL* const tls = SSL_new(context_);
  SSL_set_fd(tls, fd);
  if (SSL_accept(tls) == 1) {
    ++connections_;
    const char* const name = SSL_get_servername(tls, TLSEXT_NAMETYPE_host_name);
    {
      std::lock_guard lock(mutex_);
      sni_ = name == nullptr ? "" : name;
    }
    std::string received;
    while (const auto request = Read(tls, received)) {
      {
        std::lock_guard lock(mutex_);
        requests_.push_back(*request);
      }
      const std::optional<std::string> answer = script_(*request);
      if (!answer) break;
      if (answer->empty()) continue;
      if (SSL_write(tls, answer->data(), static_cast<int>(answer->size())) <= 0) break;
    }
  }
  {
    std::lock_guard lock(mutex_);
    std::erase(open_, fd);
  }
  SSL_free(tls);
  ::close(fd);
}

std::optional<ScriptedRequest> ScriptedServer::Read(SSL* tls, std::string& received) const {
  for (;;) {
    const std::size_t end = received.find("\r\n\r\n");
    if (end != received.npos) {
      ScriptedRequest request{received.substr(0, end + 2), {}};
      const std::size_t body = BodyBytes(request.head);
      if (received.size() >= end + 4 + body) {
        request.body = received.substr(end + 4, body);
        received.erase(0, end + 4 + body);
        return request;
      }
    }
    char block[4096];
    const int bytes = SSL_read(tls, block, sizeof block);
    if (bytes <= 0) return std::nullopt;
    received.append(block, static_cast<std::size_t>(bytes));
  }
}

std::string HttpStatus(int status, const std::string& body, const std::string& fields) {
  return "HTTP/1.1 " + std::to_string(status) + " Whatever\r\n" + fields +
         "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

std::string HttpOk(const std::string& body, const std::string& fields) {
  return HttpStatus(200, body, fields);
}

}  // namespace tpu_admission::support
