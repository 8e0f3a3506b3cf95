# Files that a program carries with it, as C.
#
# weft_embed(<variable> <symbol> <file>...) makes a source that defines `const struct embedded
# <symbol>[]` (apps/embedded.h), one entry a file and a NULL name at the end, and puts its path into
# <variable>. It is made again when one of the files changes. Needs nothing but CMake: run as a script
# this file is what does it.
function(weft_embed variable symbol)
    set(output "${PROJECT_BINARY_DIR}/apps/${symbol}.c")
    set(script "${PROJECT_SOURCE_DIR}/cmake/Embed.cmake")
    list(JOIN ARGN "|" files)
    add_custom_command(OUTPUT "${output}" VERBATIM
        COMMAND "${CMAKE_COMMAND}" -Doutput=${output} -Dsymbol=${symbol} -Dfiles=${files} -P ${script}
        DEPENDS ${ARGN} "${script}" COMMENT "Embedding ${symbol}")
    set(${variable} "${output}" PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
    set(arrays "")
    set(table "")
    set(number 0)
    string(REPLACE "|" ";" files "${files}")
    foreach(file IN LISTS files)
        get_filename_component(name "${file}" NAME)
        file(READ "${file}" bytes HEX)
        string(LENGTH "${bytes}" size)
        math(EXPR size "${size} / 2")
        string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
        string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
        string(APPEND arrays "static const unsigned char file_${number}[] = {\n${bytes}0};\n")
        string(APPEND table "    {\"${name}\", (const char *)file_${number}, ${size}},\n")
        math(EXPR number "${number} + 1")
    endforeach()
    file(WRITE "${output}" "/* Made by cmake/Embed.cmake. */\n#include \"embedded.h\"\n\n${arrays}\n"
        "const struct embedded ${symbol}[] = {\n${table}    {0, 0, 0},\n};\n")
endif()
