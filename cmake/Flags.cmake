# How everything of ours is compiled: one interface target, weft-flags, that every program and
# library links. It is never installed, so nothing of this reaches the users' own builds.

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "How to build" FORCE)
endif()
# Our broken-rule checks stay in release builds; plain assert() in tests and examples has to as well.
string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_RELWITHDEBINFO "${CMAKE_C_FLAGS_RELWITHDEBINFO}")
string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(weft-flags INTERFACE)
# A function that nobody declared is no C since 1999, yet gcc 12 only warns, and the linker is vague.
target_compile_options(weft-flags INTERFACE -Werror=implicit-function-declaration
    -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    $<$<BOOL:${WEFT_WERROR}>:-Werror>)
# Sites name files as the reader knows them. Tests (WEFT_IS_TEST of the target) find their data by their
# own names: those stay whole.
set(is_test $<BOOL:$<TARGET_PROPERTY:WEFT_IS_TEST>>)
target_compile_options(weft-flags INTERFACE
    $<$<NOT:${is_test}>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>)
# uv.h needs POSIX and the Linux-only files need more. Defined as nothing, so that a file may say
# `#define _GNU_SOURCE` itself without being warned of a redefinition.
target_compile_definitions(weft-flags INTERFACE _GNU_SOURCE=)

# Sanitizers stop at the first finding: one that is only printed is one that is not read.
if(WEFT_SANITIZE STREQUAL "address")
    set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(WEFT_SANITIZE STREQUAL "thread")
    set(sanitize -fsanitize=thread -fno-omit-frame-pointer)
elseif(NOT WEFT_SANITIZE STREQUAL "")
    message(FATAL_ERROR "WEFT_SANITIZE is address, thread or nothing, not '${WEFT_SANITIZE}'")
endif()
if(WEFT_SANITIZE)
    # A third less time to compile, and a report still names its lines.
    list(APPEND sanitize -O1 -g1)
endif()
# The library is instrumented as well, or the fuzzer would see nothing of it.
if(WEFT_FUZZ STREQUAL "light")
    list(APPEND sanitize -fsanitize-coverage=inline-8bit-counters,pc-table)
elseif(WEFT_FUZZ)
    list(APPEND sanitize -fsanitize=fuzzer-no-link)
endif()
if(WEFT_COVERAGE)
    # Atomic: threads that count the same line at once would otherwise leave nonsense behind.
    list(APPEND sanitize --coverage -fprofile-update=atomic -O0)
    target_compile_definitions(weft-flags INTERFACE WEFT_COVERAGE)
endif()
target_compile_options(weft-flags INTERFACE ${sanitize})
target_link_options(weft-flags INTERFACE ${sanitize})
# What a test calls is optimized as it is for everybody. The test itself runs a few times: to optimize
# it takes longer than it saves.
target_compile_options(weft-flags INTERFACE $<${is_test}:-O0>)
