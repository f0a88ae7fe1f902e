set_value() { # FILE VALUE
    old=$(cat "$1" 2>/dev/null) || fail "this kernel has no $1"
    [ "$old" != "$2" ] || return 0
    save value "$1" "$old"
    { printf '%s\n' "$2" >"$1"; } 2>/dev/null ||
        fail "this kernel does not take $2 in $1"
}

check_value() { # FILE VALUE
    now=$(cat "$1" 2>/dev/null)
    if [ "$now" = "$2" ]; then
        say "set:     $1 is $2"
    else
        say "not set: $1 is $now"
        missing=yes
    fi
}

revert_value() { # FILE VALUE
    [ -e "$state/value" ] || return 0
    while IFS='	' read -r file old; do
        [ "$file" != "$1" ] || printf '%s\n' "$old" >"$1" || missing=yes
    done <"$state/value"
}
