// What became of an exception.
#pragma once

#include <exception>

#include "tpu_admission/net/server.h"

namespace tpu_admission::net {

inline void ReportException(const std::exception_ptr& thrown, ServerObserver& observer) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    observer.OnHandlerException(error.what());
  } catch (...) {
    observer.OnHandlerException("an exception that is no std::exception");
  }
}

}  // namespace tpu_admission::net
