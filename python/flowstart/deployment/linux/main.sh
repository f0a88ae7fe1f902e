# Where what was there is saved, and where `persist` puts its files.
state=${FLOWSTART_STATE:-/var/lib/flowstart}/$name
program=/usr/local/sbin/flowstart-$name
unit=/etc/systemd/system/flowstart-$name.service
hook=/etc/network/if-up.d/flowstart-$name

say() {
    printf '%s\n' "$*"
}

fail() {
    printf '%s: %s\n' "$name" "$*" >&2
    exit 1
}

# Saves a line about what was there; a line that is saved already stays.
save() { # FILE KEY LINE
    if ! cut -f 1 "$state/$1" 2>/dev/null | grep -qxF -e "$2"; then
        printf '%s\t%s\n' "$2" "$3" >>"$state/$1" ||
            fail "$state/$1 cannot be written"
    fi
}

# Changes everything, or restores everything after an error or a signal.
set_all() {
    mkdir -p "$state" || exit 1
    trap 'exit 1' HUP INT TERM
    trap 'trap "" HUP INT TERM; restore_after_error' EXIT
    steps set
    check || fail "what was set is not in effect"
    trap - EXIT HUP INT TERM
}

check() {
    missing=
    steps check
    [ -z "$witness" ] || ss -Htni state established | awk -v word="$witness" '
        / cwnd:/ { all++; for (i = 1; i <= NF; i++) if ($i == word) some++ }
        END { printf "ss -ti: %d of %d connections: %s\n", some, all, word }'
    [ -z "$missing" ]
}

restore_after_error() {
    say "$name: restoring what was there" >&2
    $leftover 2>/dev/null
    restore
}

restore() {
    missing=
    steps revert
    [ -z "$missing" ] || fail "not all is restored; what was there is in $state"
    rm -rf "$state"
}

persist() {
    [ -f "$0" ] || fail "persist needs this script as a file"
    cp "$0" "$program" && chmod 755 "$program" || exit 1
    if [ -d /run/systemd/system ]; then
        cat >"$unit" <<EOF
[Unit]
Description=$name, written by flowstart
After=network.target systemd-sysctl.service
[Service]
ExecStart=$program watch
Restart=always
RestartSec=5
[Install]
WantedBy=multi-user.target
EOF
        systemctl daemon-reload
        systemctl enable --now "flowstart-$name.service" || exit 1
        say "Persistent: $unit, also when a manager writes a route."
    elif [ -d "${hook%/*}" ]; then
        # An error must not keep an interface down: lo comes before any route.
        printf '#!/bin/sh\n%s set || :\n' "$program" >"$hook" || exit 1
        chmod 755 "$hook" || exit 1
        say "Persistent: $hook, after each ifup."
    else
        fail "no systemd, no ifupdown: run \`$program set\` at each boot"
    fi
}

unpersist() {
    if [ -e "$unit" ]; then
        systemctl disable --now "flowstart-$name.service"
        rm -f "$unit"
        systemctl daemon-reload
    fi
    rm -f "$program" "$hook"
}

# Sets again whenever a route that matters is written.
watch() {
    ip -o monitor route | {
        (set_all >/dev/null)
        while read -r line; do
            for prefix in default $networks; do
                case " $line " in
                *" $prefix "*) (set_all >/dev/null) ;;
                esac
            done
        done
    }
    exit 1
}

set -uf
leftover= # the command that removes what a signal would leave
LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin
export LC_ALL PATH
case ${1-} in
check | set | revert | persist | watch) ;;
*)
    say "usage: $0 check|set|revert|persist" >&2
    exit 2
    ;;
esac
[ "$1" = check ] || [ "$(id -u)" = 0 ] || fail "$1 needs root"
case $(ip -V 2>&1) in
*iproute2*) ;;
*) fail "\`ip\` of iproute2 is needed; that of busybox drops attributes" ;;
esac
case $1 in
check) check ;;
set) set_all ;;
revert)
    unpersist
    if [ -d "$state" ]; then restore; else say "Nothing is set: no $state."; fi
    ;;
persist) set_all && persist ;;
watch) watch ;;
esac
