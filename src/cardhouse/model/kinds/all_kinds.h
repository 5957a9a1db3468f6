#pragma once

#include "cardhouse/model/kinds/equations.h"

namespace cardhouse {

const BodyEquations& spatial_equations();
const BodyEquations& planar_equations();
const BodyEquations& particle_equations();
const BodyEquations& network_equations();

}  // namespace cardhouse
