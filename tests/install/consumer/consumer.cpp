#include <cardhouse/scenes/library.h>
#include <cardhouse/world/world.h>

#include <iostream>

int main() {
  cardhouse::World world(cardhouse::make_scene("box_stack", {{"count", "3"}}));
  for (int i = 0; i < 10; ++i) world.step();
  std::cout << "certified: " << world.last_report().certified << "\n";
}
