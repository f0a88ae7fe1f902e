# The devices of all default routes.
devices() {
    for family in 4 6; do
        ip -$family -o route show table all exact default | awk '
            $1 == "default" {
                for (i = 2; i < NF; i++) if ($i == "dev") print $(i + 1)
            }'
    done | sort -u
}

# Kind and handle of the root discipline; 0: is the handle of the kernel's
# choice.
root_of() { # DEVICE
    tc qdisc show dev "$1" | awk '$4 == "root" { print $2, $3; exit }'
}

# Whether every queue of a device has this discipline.
has_qdisc() { # DEVICE KIND
    tc qdisc show dev "$1" | awk -v kind="$2" '
        $4 == "root" && $2 == "mq" { next }
        $4 == "root" || $4 == "parent" { all++; if ($2 == kind) some++ }
        END { exit !(all && some == all) }'
}

set_qdisc() { # KIND
    for device in $(devices); do
        if has_qdisc "$device" "$1"; then continue; fi
        root=$(root_of "$device")
        case $root in
        *' 0:') ;;
        *) fail "$device has a configured discipline ($root); add $1 by hand" ;;
        esac
        save qdisc "$device" "$root"
        if [ "${root%% *}" = mq ]; then # one for each hardware queue
            tc qdisc replace dev "$device" root handle 1: mq ||
                fail "$device refuses mq"
            queue=1
            while tc qdisc replace dev "$device" \
                parent "1:$(printf %x $queue)" "$1" 2>/dev/null; do
                queue=$((queue + 1))
            done
            [ $queue != 1 ] || fail "$device refuses $1"
        else
            tc qdisc replace dev "$device" root "$1" ||
                fail "$device refuses $1"
        fi
    done
}

check_qdisc() { # KIND
    devices=$(devices)
    for device in $devices; do
        if has_qdisc "$device" "$1"; then
            say "set:     $device has $1"
        else
            say "not set: $device has $(root_of "$device")"
            missing=yes
        fi
    done
    if [ -z "$devices" ]; then
        say "not set: no default route, so no device"
        missing=yes
    fi
}

# Without a root discipline of its own a device gets the kernel's choice again.
revert_qdisc() { # KIND
    [ -e "$state/qdisc" ] || return 0
    while IFS='	' read -r device root; do
        if [ "$(root_of "$device")" != "$root" ]; then
            tc qdisc del dev "$device" root || missing=yes
        fi
    done <"$state/qdisc"
}
