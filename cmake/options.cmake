# What every target is compiled with.
add_library(cardhouse_options INTERFACE)
target_compile_options(cardhouse_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-align -Wunused -Woverloaded-virtual
  -Wconversion -Wno-sign-conversion -Wdouble-promotion -Wformat=2 -Wnull-dereference -Wimplicit-fallthrough
  # The same bits on every machine: no fused multiply-add that one compiler contracts and another does not.
  -ffp-contract=off)
if(CARDHOUSE_WERROR)
  target_compile_options(cardhouse_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees null dereferences and overruns inside Eigen's and the standard library's inlined code that cannot happen.
  target_compile_options(cardhouse_options INTERFACE -Wno-null-dereference -Wno-array-bounds -Wno-maybe-uninitialized
                                                     -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict)
endif()
if(CARDHOUSE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # What stands in one file's anonymous namespace is of no concern to the next file of its batch. (Clang-Tidy looks at the
  # files one by one, with all warnings.)
  target_compile_options(cardhouse_options INTERFACE -Wno-shadow -Wshadow=local -Wno-subobject-linkage)
endif()
if(CARDHOUSE_SANITIZE)
  # A bad pointer is the address sanitizer's to find when it is used; asking about each one beforehand as well makes
  # Eigen's code take up to two fifths longer to compile.
  target_compile_options(cardhouse_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                         -fno-sanitize=null,alignment,object-size,vptr,nonnull-attribute,returns-nonnull-attribute
                         -fno-omit-frame-pointer)
  target_link_options(cardhouse_options INTERFACE -fsanitize=address,undefined)
endif()
