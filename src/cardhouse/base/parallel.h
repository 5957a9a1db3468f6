#pragma once

#include <functional>

namespace cardhouse {

/// Runs task(0) … task(count − 1), in any order, on at most `threads` threads. Tasks must not share mutable data, so
/// that the result does not depend on the number of threads.
void parallel_for(int count, int threads, const std::function<void(int)>& task);

}  // namespace cardhouse
