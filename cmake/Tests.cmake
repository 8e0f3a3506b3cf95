# Every folder below tests/ is a room; lib (what tests are made with), install and fuzz are not.
#
#   tests/<room>/<name>.c    a cmocka program, ctest <room>/<name>; and again with the ready queue
#                            in shuffled order, once a seed: <room>/<name>@<seed>, label shuffled.
#                            Under a sanitizer only that, with a seed that no other build has
#   tests/<room>/<name>.sh   a script, with WEFT_BUILD and WEFT_SOURCE in its environment; one that
#                            cannot run here exits with 77
#
# One of a test's first ten lines may say more about it (in a script with # in front):
#   /* ctest: labels=threads,valgrind timeout=120 shuffle=no also=WEFT_TEST_NO_DIRECT needs=hooks */
# also:   run it once more with this in its environment: <room>/<name>@also
# needs:  hooks    is not run (ctest says so) if the library is built with WEFT_NO_HOOKS
# labels: threads  also run under ThreadSanitizer
#         valgrind also run under valgrind: some of each room; those that are
#         valgrind-long by `make torture`
#         model    seeded comparison with a simple model; longer under `make torture`
#         stress   a load test; longer under `make torture`
#         browser  a page in a real browser: only in the plain build
set(WEFT_SHUFFLE_SEEDS 1 2)
if(WEFT_SANITIZE)
    set(WEFT_SHUFFLE_SEEDS 3)
endif()
set(WEFT_TEST_TIMEOUT 60)

pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka)
find_package(Threads REQUIRED)

file(GLOB helpers CONFIGURE_DEPENDS tests/lib/*.c)
add_library(weft-check STATIC ${helpers})
target_include_directories(weft-check PUBLIC tests/lib include src)
set_target_properties(weft-check PROPERTIES WEFT_IS_TEST ON)
target_link_libraries(weft-check PUBLIC libweft-test-static libweft-static PkgConfig::cmocka Threads::Threads weft-flags)

# What only ThreadSanitizer needs, so that its stage builds that and no more.
add_custom_target(tests-threads)

# Read a test's ctest line into <prefix>_labels, _timeout, _shuffle, _also and _disabled.
function(weft_test_traits source prefix)
    file(STRINGS ${source} head LIMIT_COUNT 10)
    string(REGEX MATCH "ctest:[^*;]*" line "${head}")
    set(labels "")
    set(timeout ${WEFT_TEST_TIMEOUT})
    set(shuffle yes)
    set(also "")
    set(needs "")
    set(disabled FALSE)
    string(REGEX REPLACE "[ \t]+" ";" words "${line}")
    foreach(word IN LISTS words)
        if(word MATCHES "^(labels|timeout|shuffle|also|needs)=(.+)$")
            string(REPLACE "," ";" ${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
        elseif(NOT word MATCHES "^(ctest:)?$")
            message(FATAL_ERROR "${source}: '${word}' is not a test trait")
        endif()
    endforeach()
    if(needs STREQUAL "hooks" AND CMAKE_C_FLAGS MATCHES "-DWEFT_NO_HOOKS")
        set(disabled TRUE)
    endif()
    foreach(trait labels timeout shuffle also disabled)
        set(${prefix}_${trait} "${${trait}}" PARENT_SCOPE)
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
endfunction()

function(weft_add_test_program source)
    file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}/tests" ${source})
    string(REGEX REPLACE "\\.c$" "" name ${path})
    string(REPLACE "/" "-" target test-${name})
    weft_add_program(${target} tests/${name} ${source})
    target_link_libraries(${target} PRIVATE weft-check weft-apps)
    set_target_properties(${target} PROPERTIES WEFT_IS_TEST ON)

    weft_test_traits(${source} its)
    if("threads" IN_LIST its_labels)
        add_dependencies(tests-threads ${target})
    endif()
    foreach(label IN LISTS its_labels)
        set_property(GLOBAL APPEND PROPERTY weft_labelled_${label} tests/${name})
    endforeach()
    if(NOT (WEFT_SANITIZE AND its_shuffle))
        add_test(NAME ${name} COMMAND ${target})
        set_tests_properties(${name} PROPERTIES TIMEOUT ${its_timeout} COST ${its_timeout}
            LABELS "${its_labels}" DISABLED ${its_disabled})
    endif()
    if(its_also)
        add_test(NAME ${name}@also COMMAND ${target})
        set_tests_properties(${name}@also PROPERTIES TIMEOUT ${its_timeout}
            LABELS "${its_labels}" ENVIRONMENT ${its_also}=1 DISABLED ${its_disabled})
    endif()
    if(its_shuffle)
        foreach(seed IN LISTS WEFT_SHUFFLE_SEEDS)
            add_test(NAME ${name}@${seed} COMMAND ${target})
            set_tests_properties(${name}@${seed} PROPERTIES TIMEOUT ${its_timeout} COST ${its_timeout}
                LABELS "${its_labels};shuffled" ENVIRONMENT WEFT_SHUFFLE=${seed}
                DISABLED ${its_disabled})
        endforeach()
    endif()
endfunction()

function(weft_add_test_script source)
    file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}/tests" ${source})
    string(REGEX REPLACE "\\.sh$" "" name ${path})
    weft_test_traits(${source} its)
    add_test(NAME ${name} COMMAND bash ${source})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${its_timeout} COST ${its_timeout} LABELS "${its_labels}"
        DISABLED ${its_disabled}
        SKIP_RETURN_CODE 77 ENVIRONMENT "WEFT_BUILD=${PROJECT_BINARY_DIR};WEFT_SOURCE=${PROJECT_SOURCE_DIR}")
endfunction()

file(GLOB programs CONFIGURE_DEPENDS tests/*/*.c)
file(GLOB scripts CONFIGURE_DEPENDS tests/*/*.sh)
list(FILTER programs EXCLUDE REGEX "/tests/(lib|install|fuzz)/")
list(FILTER scripts EXCLUDE REGEX "/tests/(lib|fuzz)/")
if(WEFT_SANITIZE OR WEFT_COVERAGE)
    # What is installed is a plain build; outside programs know nothing of sanitizers.
    list(FILTER scripts EXCLUDE REGEX "/tests/install/")
endif()
foreach(source IN LISTS programs)
    weft_add_test_program(${source})
endforeach()
foreach(source IN LISTS scripts)
    weft_add_test_script(${source})
endforeach()

# What the tools run by themselves, without ctest: <build>/valgrind.list, model.list …
foreach(label valgrind valgrind-long model stress)
    get_property(labelled GLOBAL PROPERTY weft_labelled_${label})
    list(JOIN labelled "\n" labelled)
    file(WRITE "${PROJECT_BINARY_DIR}/${label}.list" "${labelled}\n")
endforeach()

# The fuzzers' corpora are tests too: what once was found is looked at again, with any compiler. (Where
# there are fuzzers, they do that themselves.)
if(WEFT_FUZZ)
    return()
endif()
file(GLOB fuzzers CONFIGURE_DEPENDS tests/fuzz/*.c)
set_source_files_properties(${fuzzers} PROPERTIES COMPILE_OPTIONS -Wno-missing-prototypes)
foreach(source IN LISTS fuzzers)
    get_filename_component(name ${source} NAME_WE)
    set(corpus "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name}")
    weft_find_links(${source} links)
    if(IS_DIRECTORY "${corpus}" AND NOT links STREQUAL "NOTFOUND")
        weft_add_program(replay-${name} tests/fuzz/${name} ${source} tests/fuzz/lib/replay.c)
        target_include_directories(replay-${name} PRIVATE src)
        target_link_libraries(replay-${name} PRIVATE weft-apps ${links})
        add_test(NAME fuzz/${name} COMMAND replay-${name} "${corpus}")
        set_tests_properties(fuzz/${name} PROPERTIES TIMEOUT ${WEFT_TEST_TIMEOUT} LABELS fuzz)
    endif()
endforeach()
