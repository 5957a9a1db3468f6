# A room is one folder of src/cardhouse and one object library, cardhouse_<name>. It may include the rooms that it
# names, and what those may include; tools/check_rooms.py holds the includes to this table.
set(CARDHOUSE_ROOMS "" CACHE INTERNAL "")

# Compiles the files of a target in batches of about the same size: most of a file's time is its headers' and Eigen's
# templates, which a batch shares. Names in anonymous namespaces of one room must differ.
function(cardhouse_in_batches target most)
  get_target_property(files ${target} SOURCES)
  list(FILTER files INCLUDE REGEX "\\.cpp$")
  list(LENGTH files count)
  math(EXPR batches "(${count} + ${most} - 1) / ${most}")
  math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${CARDHOUSE_UNITY} UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# Rooms that read, write and draw spend their time in libraries and on the disk: optimising them fully takes a fifth
# longer to compile and saves nothing. The same bits come out, since no floating-point rule depends on it.
function(cardhouse_optimise_little target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

function(cardhouse_room name)
  cmake_parse_arguments(ROOM "OPTIMISED_LITTLE" "" "MAY_INCLUDE;USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.h)
  if(sources)
    add_library(cardhouse_${name} OBJECT ${sources} ${headers})
    target_include_directories(cardhouse_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
    target_link_libraries(cardhouse_${name} PUBLIC Eigen3::Eigen PRIVATE cardhouse_options ${ROOM_USES})
    cardhouse_in_batches(cardhouse_${name} 20)
    if(ROOM_OPTIMISED_LITTLE)
      cardhouse_optimise_little(cardhouse_${name})
    endif()
  endif()
  set_property(GLOBAL PROPERTY cardhouse_room_${name}_may_include "${ROOM_MAY_INCLUDE}")
  set_property(GLOBAL PROPERTY cardhouse_room_${name}_uses "${ROOM_USES}")
  set_property(GLOBAL APPEND PROPERTY cardhouse_rooms ${name})
endfunction()

# All the rooms that the named ones may include, themselves among them.
function(cardhouse_closure result)
  set(open ${ARGN})
  set(closed "")
  while(open)
    list(POP_FRONT open room)
    if(NOT room IN_LIST closed)
      list(APPEND closed ${room})
      get_property(next GLOBAL PROPERTY cardhouse_room_${room}_may_include)
      list(APPEND open ${next})
    endif()
  endwhile()
  set(${result} ${closed} PARENT_SCOPE)
endfunction()

# Links a target with the named rooms and all that they may include.
function(cardhouse_link_rooms target)
  cardhouse_closure(rooms ${ARGN})
  foreach(room IN LISTS rooms)
    if(TARGET cardhouse_${room})
      get_property(uses GLOBAL PROPERTY cardhouse_room_${room}_uses)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:cardhouse_${room}>)
      target_link_libraries(${target} PUBLIC ${uses})
    endif()
  endforeach()
endfunction()
