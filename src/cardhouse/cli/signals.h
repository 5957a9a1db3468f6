#pragma once

#include "cardhouse/base/deadline.h"

namespace cardhouse::cli {

/// From now on the first Ctrl-C, SIGTERM or SIGHUP (a terminal that was closed) only makes interrupted() true; a second
/// one ends the process at once.
void catch_interrupts();
bool interrupted();
/// The same for computations: they end soon after the first Ctrl-C.
CancellationToken interrupt_token();

/// From now on writing past the allowed size of a file is an error of that write, not the end of the process.
void ignore_file_size_signal();

}  // namespace cardhouse::cli
