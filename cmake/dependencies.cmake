# Each is hidden behind the one room that uses it; docs/architecture.md says why it is here.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(Qhull REQUIRED)
# NLopt comes as two packages, "nlopt" and "nlopt_cxx"; the first in the alphabet is the one that is meant.
set(CMAKE_FIND_PACKAGE_SORT_ORDER NAME)
set(CMAKE_FIND_PACKAGE_SORT_DIRECTION ASC)
find_package(NLopt REQUIRED NO_MODULE)
unset(CMAKE_FIND_PACKAGE_SORT_ORDER)
unset(CMAKE_FIND_PACKAGE_SORT_DIRECTION)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
find_package(METIS REQUIRED) # by FindMETIS.cmake beside this file
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
enable_language(C) # FindHDF5 probes with a C compiler
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(CLI11 REQUIRED)
find_package(Boost 1.74 REQUIRED) # headers only: Beast and Asio
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
