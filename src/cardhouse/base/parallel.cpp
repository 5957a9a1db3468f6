#include "cardhouse/base/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace cardhouse {

void parallel_for(int count, int threads, const std::function<void(int)>& task) {
  if (threads <= 1 || count <= 1) {
    for (int i = 0; i < count; ++i) task(i);
    return;
  }
  // More threads than cores gain nothing, and the library complains about them.
  tbb::task_arena arena(std::min(threads, tbb::this_task_arena::max_concurrency()));
  arena.execute([&] { tbb::parallel_for(0, count, [&](int i) { task(i); }); });
}

}  // namespace cardhouse
