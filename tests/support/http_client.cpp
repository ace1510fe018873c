#include "support/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <utility>

namespace tpu_admission::support {
namespace {

using Time = std::chrono::steady_clock::time_point;
constexpr std::chrono::seconds kPatience{10};

Time Deadline() { return std::chrono::steady_clock::now() + kPatience; }

int ConnectTo(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(fd);
    return -1;
  }
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

// The fields of "Name: value\r\n..."
std::map<std::string, std::string> FieldsOf(std::string_view head) {
  std::map<std::string, std::string> fields;
  std::size_t line = head.find("\r\n");
  while (line != std::string_view::npos) {
    const std::size_t start = line + 2;
    line = head.find("\r\n", start);
    const std::string_view field = head.substr(start, line - start);
    const std::size_t colon = field.find(": ");
    if (colon != std::string_view::npos) {
      fields.emplace(field.substr(0, colon), field.substr(colon + 2));
    }
  }
  return fields;
}

unsigned NumberIn(std::string_view text) {
  unsigned number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

HttpClient::HttpClient(std::uint16_t port, Transport transport, const TlsOffer& offer)
    : fd_(ConnectTo(port)) {
  connected_ = fd_ >= 0 && (transport == Transport::kPlain || Handshake(offer));
}

HttpClient::HttpClient(HttpClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      connected_(std::exchange(other.connected_, false)),
      tls_(std::move(other.tls_)),
      received_(std::move(other.received_)) {}

bool HttpClient::Handshake(const TlsOffer& offer) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes with write()
  const std::unique_ptr<SSL_CTX, decltype([](SSL_CTX* context) { SSL_CTX_free(context); })> context(
      SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_security_level(context.get(), 0);  // old versions are ours to offer
  SSL_CTX_set_min_proto_version(context.get(), offer.min_version);
  SSL_CTX_set_max_proto_version(context.get(), offer.max_version);
  if (!offer.ciphers.empty()) SSL_CTX_set_cipher_list(context.get(), offer.ciphers.c_str());
  if (!offer.groups.empty()) SSL_CTX_set1_groups_list(context.get(), offer.groups.c_str());
  if (!offer.alpn.empty()) {
    SSL_CTX_set_alpn_protos(context.get(),
                            reinterpret_cast<const unsigned char*>(offer.alpn.data()),
                            static_cast<unsigned>(offer.alpn.size()));
  }
  tls_.reset(SSL_new(context.get()));
  SSL_set_fd(tls_.get(), fd_);
  const timeval patience{.tv_sec = kPatience.count(), .tv_usec = 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  ERR_clear_error();
  return SSL_connect(tls_.get()) == 1;
}

bool HttpClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    ERR_clear_error();
    const int sent = tls_ ? SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()))
                          : static_cast<int>(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool HttpClient::WaitFor(short events, Time until) const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      until - std::chrono::steady_clock::now());
  pollfd entry{.fd = fd_, .events = events, .revents = 0};
  return left.count() > 0 && ::poll(&entry, 1, static_cast<int>(left.count())) > 0;
}

int HttpClient::ReadMore(Time until) {
  char block[16384];
  if (!(tls_ && SSL_has_pending(tls_.get())) && !WaitFor(POLLIN, until)) return -1;
  ERR_clear_error();
  const int bytes = tls_ ? SSL_read(tls_.get(), block, sizeof block)
                         : static_cast<int>(::recv(fd_, block, sizeof block, 0));
  if (bytes <= 0) return 0;
  received_.append(block, static_cast<std::size_t>(bytes));
  return bytes;
}

std::optional<HttpAnswer> HttpClient::Receive(bool to_head) {
  const Time until = Deadline();
  std::size_t head = std::string::npos;
  while ((head = received_.find("\r\n\r\n")) == std::string::npos) {
    if (ReadMore(until) <= 0) return std::nullopt;
  }
  if (!received_.starts_with("HTTP/1.1 ")) return std::nullopt;
  HttpAnswer answer;
  answer.status = NumberIn(std::string_view(received_).substr(9, 3));
  answer.fields = FieldsOf(std::string_view(received_).substr(0, head + 2));
  const bool bodiless = to_head || answer.status < 200;
  const std::size_t length = bodiless ? 0 : NumberIn(answer.fields["Content-Length"]);
  while (received_.size() < head + 4 + length) {
    if (ReadMore(until) <= 0) return std::nullopt;
  }
  answer.body = received_.substr(head + 4, length);
  received_.erase(0, head + 4 + length);
  return answer;
}

bool HttpClient::IsClosed(std::chrono::milliseconds limit) {
  const Time until = std::chrono::steady_clock::now() + limit;
  int read = 1;
  while (read > 0) read = ReadMore(until);
  return read == 0;
}

void HttpClient::Close() {
  if (fd_ < 0) return;
  if (tls_ && connected_) {
    ERR_clear_error();
    SSL_shutdown(tls_.get());
  }
  ::close(std::exchange(fd_, -1));
}

void HttpClient::Reset() {
  const linger abort{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &abort, sizeof abort);
  ::close(std::exchange(fd_, -1));
}

std::string Post(std::string_view path, std::string_view body, std::string_view more_fields) {
  std::string request = "POST ";
  request.append(path).append(" HTTP/1.1\r\nHost: webhook.tpu.svc:443\r\n");
  request.append("User-Agent: kube-apiserver-admission\r\nContent-Length: ");
  request.append(std::to_string(body.size()));
  request.append("\r\nAccept: application/json, */*\r\nContent-Type: application/json\r\n");
  request.append("Accept-Encoding: gzip\r\n").append(more_fields).append("\r\n").append(body);
  return request;
}

}  // namespace tpu_admission::support
