// One connection from handshake to goodbye, as a coroutine on its worker's thread.
#pragma once

#include "net/asio.h"
#include "net/connection_gate.h"

namespace tpu_admission::net {

class Worker;

// Ends when the peer leaves, a deadline strikes, an answer says `Connection: close`, or the worker
// closes it; the pass goes back to the gate then at the latest.
Awaitable<void> ServeConnection(Worker& worker, Socket socket, ConnectionGate::Pass pass);

}  // namespace tpu_admission::net
