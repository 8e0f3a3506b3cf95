#!/usr/bin/env bash
# ctest: timeout=180
# Installs into a folder of its own and builds small programs against what is there, as a user
# would: by pkg-config, shared and static, in C and in C++, and by the CMake package.
. "$WEFT_SOURCE/tests/lib/shell.sh"
prefix=$scratch/prefix
version=$(sed -n 's/^#define WEFT_VERSION_STRING "\(.*\)"/\1/p' "$WEFT_SOURCE/include/weft/version.h")

it "installs"
run cmake --install "$WEFT_BUILD" --prefix "$prefix"
expect status 0
for file in bin/weft include/weft.h include/weft/op.h share/man/man1/weft.1 \
    share/bash-completion/completions/weft share/weft/weft-gdb.py; do
    [ -f "$prefix/$file" ] || fail "$file is not there"
done
run "$prefix/bin/weft" --version
expect stdout "weft $version"

# Moved once: nothing that is installed may remember where it was installed to.
mv "$prefix" "$scratch/moved"
prefix=$scratch/moved
pc=$(find "$prefix" -name weft.pc)
libraries=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH=${pc%/*}

it "has a pkg-config file with the version of the header"
run pkg-config --modversion weft
expect stdout "$version"

# build NAME COMPILER... : links with what follows, runs, and looks at what it says.
build() {
    local program=$scratch/$1
    shift
    run "$@" -o "$program"
    expect status 0
    run env LD_LIBRARY_PATH="$libraries" "$program"
    expect status 0
    expect stdout "weft $version"
}

# The flags are words: they are meant to be split.
read -r -a cflags < <(pkg-config --cflags weft)
read -r -a shared < <(pkg-config --libs weft)
read -r -a static < <(pkg-config --static --libs weft)
warn=(-Wall -Wextra -Werror)
source=$WEFT_SOURCE/tests/install/outside

it "serves a C program through the shared library"
build c-shared gcc -std=gnu11 "${warn[@]}" "${cflags[@]}" "$source.c" "${shared[@]}"
run readelf -d "$scratch/c-shared"
expect_part stdout "libweft.so.${version%.*}]"

it "serves a C program through the shared library of HTTP"
read -r -a http < <(pkg-config --cflags --libs weft-http)
build http-shared gcc -std=gnu11 "${warn[@]}" "${source}_http.c" "${http[@]}"

it "links nobody to what is loaded on demand"
for file in "$scratch/http-shared" "$prefix/bin/weft" "$libraries"/libweft*.so; do
    run readelf -d "$file"
    [[ $stdout != *libcurl* && $stdout != *libicu* ]] || fail "$file is linked to: $stdout"
done
run grep -lE 'curl|icu' "$libraries"/pkgconfig/weft*.pc "$libraries"/cmake/weft*/*
expect stdout ""

it "serves a C++ program through the shared library"
build cxx-shared g++ -std=c++11 "${warn[@]}" "${cflags[@]}" "$source.cpp" "${shared[@]}"

it "serves a CMake project through its package"
run cmake -S "$WEFT_SOURCE/tests/install" -B "$scratch/project" -G Ninja \
    -DCMAKE_PREFIX_PATH="$prefix"
expect status 0
run cmake --build "$scratch/project"
expect status 0
for program in outside outside-static outside-http outside-http-static; do
    run "$scratch/project/$program"
    expect status 0
    expect stdout "weft $version"
done

# With the shared library gone, -lweft is the static one: what --static is meant for.
rm "$libraries"/libweft*.so*

it "serves a C program through the static library"
build c-static gcc -std=gnu11 "${warn[@]}" "${cflags[@]}" "$source.c" "${static[@]}"

it "serves a C program through the static library of HTTP"
read -r -a http < <(pkg-config --cflags --static --libs weft-http)
build http-static gcc -std=gnu11 "${warn[@]}" "${source}_http.c" "${http[@]}"

it "serves a C++ program through the static library"
build cxx-static g++ -std=c++11 "${warn[@]}" "${cflags[@]}" "$source.cpp" "${static[@]}"
