#!/usr/bin/env bash
# The command itself: help, version, dispatch, errors, completion.
. "$WEFT_SOURCE/tests/lib/shell.sh"
weft=$WEFT_BUILD/weft
version=$(sed -n 's/^#define WEFT_VERSION_STRING "\(.*\)"/\1/p' "$WEFT_SOURCE/include/weft/version.h")

for word in --version -V version; do
    it "prints its version with $word"
    run "$weft" "$word"
    expect status 0
    expect stdout "weft $version"
    expect stderr ""
done

it "lists every command in its help"
run "$weft" --help
expect status 0
expect stderr ""
overview=$stdout
names=$("$weft" help --list)
for name in $names; do
    expect_part stdout "  $name "
done

for arguments in "" -h help; do
    it "prints the same help with '$arguments'"
    # shellcheck disable=SC2086  # nothing is no argument
    run "$weft" $arguments
    expect status 0
    expect stdout "$overview"
done

for name in $names; do
    it "explains $name in three ways"
    run "$weft" help "$name"
    expect status 0
    expect_part stdout "usage: weft $name"
    explained=$stdout
    for option in --help -h; do
        run "$weft" "$name" "$option"
        expect status 0
        expect stdout "$explained"
    done

    it "has $name in its manual page"
    grep -q "^\.It Cm $name" "$WEFT_SOURCE/docs/man/weft.1" || fail "weft.1 does not mention $name"
    page=$WEFT_SOURCE/docs/man/weft-$name.1
    case $name in help | version) continue ;; esac

    it "has every option of $name in a page of its own"
    while read -r option; do
        grep -qE "Fl Fl $option( |\$)" "$page" || fail "$page does not explain --$option"
    done < <(sed -nE 's/^ +(-., )?--([a-z0-9-]+).*/\2/p' <<<"$explained")
done

it "names the command that was probably meant"
run "$weft" verison
expect status 2
expect stdout ""
expect stderr "weft: unknown command 'verison'
did you mean 'version'?
see weft --help"

it "leaves out the middle of a complaint that is very long"
run "$weft" "$(printf 'x%.0s' {1..9000})"
expect status 2
expect_part stderr "weft: unknown command 'xxx"
expect_part stderr $'xxx ... xxx'
expect_part stderr $'xxx\'\nsee weft --help'
[ "${#stderr}" -lt 5000 ] || fail "it has ${#stderr} bytes"

it "lets no name drive a terminal when it complains"
run "$weft" $'esc\e[2J\nc1\xc2\x9b\xff\xe2\x80\xae ä'
expect status 2
expect_part stderr "weft: unknown command 'esc?[2J?c1??? ä'"

# Others write to the same descriptor, and would come out in the middle.
if command -v strace >/dev/null && ! grep -q "__[at]san_init" "$weft" &&
    strace -o "$scratch/.trace" true 2>/dev/null; then
    it "writes a complaint in one piece"
    run strace -qq -e trace=write -o "$scratch/.trace" "$weft" xyzzy
    expect status 2
    grep -qF "write(2, \"weft: unknown command 'xyzzy'\\n\", 30)" "$scratch/.trace" ||
        fail "$(<"$scratch/.trace")"
fi

it "does not guess when nothing is near"
run "$weft" xyzzy
expect status 2
expect stderr "weft: unknown command 'xyzzy'
see weft --help"

it "guesses in help too"
run "$weft" help hlep
expect status 2
expect_part stderr "did you mean 'help'?"

it "stays calm about long, empty and odd command names"
for word in "" "$(printf 'x%.0s' {1..5000})" $'\xff\xfe' "help "; do
    run "$weft" "$word"
    expect status 2
    expect stdout ""
    expect_part stderr "weft: unknown command '"
done

it "refuses options that it does not know"
run "$weft" --versoin
expect status 2
expect stderr "weft: unknown option '--versoin'
see weft --help"
run "$weft" help --all
expect status 2
expect stderr "weft: unknown option '--all'
see weft help help"

it "refuses arguments that mean nothing"
run "$weft" version now
expect status 2
expect stderr "weft: unexpected 'now'
see weft help version"
run "$weft" help help version
expect status 2

if [ -w /dev/full ]; then
    it "says so when its output cannot be written"
    run bash -c '"$1" --help >/dev/full' - "$weft"
    expect status 1
    expect stderr "weft: cannot write to standard output: No space left on device"
    run bash -c '"$1" --version >&-' - "$weft"
    expect status 1
    expect_part stderr "weft: cannot write to standard output"
fi

# What bash offers for the words given, the last being the one that is typed.
complete_words() {
    PATH="$WEFT_BUILD:$PATH" bash --norc -c '
        . "$0"
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _weft
        printf "%s\n" "${COMPREPLY[@]}"
    ' "$WEFT_SOURCE/apps/completion/weft.bash" "$@"
}

it "completes command names"
run complete_words weft ver
expect stdout version
expect stderr ""
run complete_words weft ''
for name in $names --help --version; do
    expect_part stdout "$name"
done

it "completes the argument of help"
run complete_words weft help he
expect stdout help
run complete_words weft help --l
expect stdout --list

it "completes the options of a command"
run complete_words weft spider --max-p
expect stdout "--max-pages
--max-per-host
--max-params"
run complete_words weft spider --http
expect stdout --http1

it "completes the values of an option that has a few, however they are written"
run complete_words weft spider --scope ''
expect stdout "host
domain
path
hosts"
run complete_words weft spider --progress pl
expect stdout plain
run complete_words weft spider --progress = l
expect stdout live
run complete_words weft spider --progress =
expect_part stdout none

it "knows the same values as the command"
for option in scope progress; do
    run "$weft" spider "--$option=nonsense"
    expect status 2
    said=$(sed -n "s/.*--$option takes \(.*\), not.*/\1/p" <<<"$stderr")
    run complete_words weft spider "--$option" ''
    said=${said/ or /, }
    expect stdout "${said//, /$'\n'}"
done

it "completes folders where a folder is wanted"
mkdir -p "$scratch/there/folder one" && : >"$scratch/there/file"
for option in --output -o; do
    run complete_words weft spider "$option" "$scratch/there/f"
    expect stdout "$scratch/there/folder one"
done
run complete_words weft spider -q "$scratch/there/f" # takes no value
expect stdout ""

it "leaves values that are files, and numbers, to file names"
run complete_words weft spider --netrc ''
expect stdout ""
run complete_words weft spider --rate ''
expect stdout ""
for words in 'spider -i' 'spider --input' 'concat -o' 'trace -o'; do
    # shellcheck disable=SC2086  # several words
    run complete_words weft $words -
    expect stdout "" # an option is none of them
done
run complete_words weft spider -q --http
expect stdout --http1

it "completes in a shell as people use it"
# shellcheck disable=SC2016  # it is for that shell
run env PATH="$WEFT_BUILD:$PATH" bash --norc -ic '. "$0"; complete -p weft; COMP_WORDS=(weft spider --scope d)
    COMP_CWORD=3; _weft; echo "${COMPREPLY[@]}"' "$WEFT_SOURCE/apps/completion/weft.bash"
expect_part stdout domain

it "leaves other arguments to file names"
run complete_words weft version ''
expect stdout ""

it "registers its completion"
run bash --norc -c '. "$0"; complete -p weft' "$WEFT_SOURCE/apps/completion/weft.bash"
expect status 0
expect_part stdout "-F _weft weft"
