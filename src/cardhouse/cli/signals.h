#pragma once

namespace cardhouse::cli {

/// From now on the first Ctrl-C or SIGTERM only makes interrupted() true; a second one ends the process at once.
void catch_interrupts();
bool interrupted();

}  // namespace cardhouse::cli
