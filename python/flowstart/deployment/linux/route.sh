# Routes are edited in the words of `ip route`. `ip route change` replaces a
# route in one step, so that there always is one, and fails where there is none.

# Routes one a line, without marks that are only printed; lifetimes in seconds.
routes() { # FAMILY TABLE [SELECTOR] PREFIX
    family_=$1 table_=$2
    shift 2
    ip "-$family_" -o route show table "$table_" "$@" | awk '
    $1 != "default" && $1 !~ /[.:]/ { next } # unreachable, local, ...
    {
        gsub(/\\/, " ")
        route = $1
        is_object = / nhid /
        for (i = 2; i <= NF; i++) {
            if ($i ~ /^(dead|linkdown|unresolved)$/) continue
            if ($i ~ /^(rt_)?(offload|trap)(_failed)?$/) continue
            if ($i == "error") { i++; continue }
            # The next hops belong to the object.
            if (is_object && $i == "nexthop") break
            if (is_object && ($i == "via" || $i == "dev")) {
                i += $(i + 1) ~ /^inet6?$/ ? 2 : 1
                continue
            }
            if ($(i - 1) == "expires") sub(/sec$/, "", $i)
            # rto_min is always locked, and `ip` does not take the word.
            if ($i == "lock" && $(i - 1) == "rto_min") continue
            route = route " " $i
        }
        print route
    }'
}

# A route with another value of an attribute, or without it.
with() { # ATTRIBUTE VALUE ROUTE...
    with_=$1 value_=$2 route_=
    shift 2
    while [ $# -gt 0 ]; do
        case $1 in
        "$with_")
            [ "$2" != lock ] || shift
            shift
            ;;
        nexthop) # attributes come before the next hops
            route_="$route_${value_:+ $with_ $value_} $*"
            value_=
            break
            ;;
        *) route_="$route_ $1" ;;
        esac
        shift
    done
    say "${route_# }${value_:+ $with_ $value_}"
}

value_of() { # ATTRIBUTE ROUTE...
    attribute_=$1
    shift
    while [ $# -gt 1 ]; do
        if [ "$1" = "$attribute_" ]; then
            if [ "$2" = lock ]; then say "lock $3"; else say "$2"; fi
            return
        fi
        shift
    done
}

# What setting the attribute does not change: all words but its own and the
# lifetime.
key() { # ROUTE...
    with expires '' $(with "$attribute" '' "$@") |
        tr ' ' '\n' | sort | tr '\n' ' '
}

# Whether the kernel has a route from a router's advertisement: RTF_ADDRCONF of
# linux/ipv6_route.h. Netlink cannot set this flag, without which the kernel
# keeps the route when the router leaves.
is_advertised() { # FAMILY ROUTE...
    [ "$1" = 6 ] || return 1
    case $2 in
    default) bits_=0 ;;
    */*) bits_=${2#*/} ;;
    *) bits_=128 ;;
    esac
    route_="$bits_ $(value_of dev "$@") $(value_of metric "$@")"
    while read -r _ bits_ _ _ _ metric_ _ _ flags_ dev_; do
        if [ "$((0x$bits_)) $dev_ $((0x$metric_))" = "$route_" ] &&
            [ $((0x$flags_ & 0x40000)) != 0 ]; then
            return 0
        fi
    done </proc/net/ipv6_route
    return 1
}

is_ours() { # FAMILY ROUTE...
    family_=$1
    shift
    cut -f 1 "$state/route" 2>/dev/null |
        grep -qxF -e "$family_ add $(key "$@")"
}

# The routes to a prefix that others have made.
existing() { # FAMILY [SELECTOR] PREFIX
    routes_=$(routes "$1" all "$2" "$3")
    while read -r line_; do
        [ -z "$line_" ] || is_ours "$1" $line_ || say "$line_"
    done <<EOF
$routes_
EOF
}

# In each table those with the longest prefix: the routes that packets take.
longest() {
    awk '{
        table = "main"
        for (i = 2; i < NF; i++) if ($i == "table") table = $(i + 1)
        bits = $1 == "default" ? 0 : split($1, part, "/") > 1 ? part[2] : 128
        if (!(table in most) || bits > most[table]) {
            most[table] = bits
            kept[table] = ""
        }
        if (bits == most[table]) kept[table] = kept[table] $0 "\n"
    } END { for (table in kept) printf "%s", kept[table] }'
}

# What is done for a prefix: `change ROUTE` where it has one, else `add ROUTE`.
plan() { # FAMILY PREFIX
    case $2 in
    default) ;;
    *:*) [ "$1" = 6 ] || return 0 ;;
    *) [ "$1" = 4 ] || return 0 ;;
    esac
    routes_=$(existing "$1" exact "$2")
    if [ -z "$routes_" ] && [ "$2" != default ]; then
        existing "$1" match "$2" | longest | while read -r _ route_; do
            say "add $2 $(with proto '' $route_)"
        done
        return
    fi
    while read -r line_; do
        if [ -z "$line_" ]; then
            continue
        elif is_advertised "$1" $line_; then # a copy of it that is preferred
            metric_=$(($(value_of metric $line_) - 1))
            say "add $(with metric $metric_ $(with proto '' $line_))"
        else
            say "change $line_"
        fi
    done <<EOF
$routes_
EOF
}

# Refuses routes that `ip route change` and `replace` could confuse.
refuse_twins() { # FAMILY PREFIX PLAN
    twins=$({
        existing "$1" exact "$2"
        say "$3" | sed -n 's/^add //p'
    } | awk '{
        key = $1
        for (i = 2; i < NF; i++)
            if ($i ~ /^(table|metric|tos)$/) key = key " " $i " " $(i + 1)
        if (seen[key]++) { print key; exit }
    }')
    [ -z "$twins" ] ||
        fail "IPv$1 has two routes \`$twins\`; give them different metrics"
}

# Writes a route into a table that no rule uses. Unless what `ip` prints is what
# was written, it cannot write this route, and the one in use is not touched.
rehearse() { # FAMILY ROUTE...
    family_=$1 scratch=1718382964
    shift
    route_=$(with table '' "$@")
    printed=
    leftover="ip -$family_ route del table $scratch $route_"
    if ip "-$family_" route add table $scratch $route_; then
        printed=$(routes "$family_" $scratch)
        $leftover
    fi
    leftover=
    [ "$(key $printed)" = "$(key $route_)" ] ||
        fail "\`ip\` cannot write this route: $*"
}

set_route() { # PREFIX ATTRIBUTE VALUE
    attribute=$2
    for family in 4 6; do
        planned=$(plan $family "$1")
        refuse_twins $family "$1" "$planned"
        while read -r action route; do
            [ -z "$action" ] || set_one $family "$action" "$3" $route
        done <<EOF
$planned
EOF
        drop_others $family "$1" "$planned"
    done
}

set_one() { # FAMILY ACTION VALUE ROUTE...
    family=$1 action=$2 new=$3
    shift 3
    key=$(key "$@")
    save route "$family $action $key" "$*"
    old=$(copy_of "$family" "$key" "$1")
    if [ "$(value_of "$attribute" $old)" = "$new" ]; then
        # A copy is written again where its model has got a longer lifetime.
        ends=$(value_of expires "$@") end=$(value_of expires $old)
        [ $((ends + 0)) -gt $((end + 60)) ] || return 0
    fi
    new=$(with "$attribute" "$new" "$@")
    rehearse "$family" $new
    [ "$action" = change ] || action=replace
    ip "-$family" route $action $new || fail "failed: route $action $new"
}

# The route of a key, as it is now.
copy_of() { # FAMILY KEY PREFIX
    routes "$1" all exact "$3" | while read -r line_; do
        [ "$(key $line_)" != "$2" ] || say "$line_"
    done
}

# Deletes routes that were added for ones that are gone.
drop_others() { # FAMILY PREFIX PLAN
    [ -e "$state/route" ] || return 0
    while IFS='	' read -r saved route; do
        case $saved in
        "$1 add "*) [ "${route%% *}" = "$2" ] || continue ;;
        *) continue ;;
        esac
        wanted=
        while read -r action line; do
            if [ "$action" = add ] && [ "$1 add $(key $line)" = "$saved" ]; then
                wanted=yes
            fi
        done <<EOF
$3
EOF
        [ "$wanted" ] || delete "$1" "${saved#* * }" "$2"
    done <"$state/route"
}

delete() { # FAMILY KEY PREFIX
    line=$(copy_of "$1" "$2" "$3")
    [ -z "$line" ] || ip "-$1" route del $line
}

check_route() { # PREFIX ATTRIBUTE VALUE
    attribute=$2 count=0
    for family in 4 6; do
        while read -r action route; do
            [ "$action" ] || continue
            count=$((count + 1))
            now=$(copy_of $family "$(key $route)" "$1")
            if [ "$now" ] && [ "$(value_of "$2" $now)" = "$3" ]; then
                say "set:     IPv$family $now"
            else
                say "not set: IPv$family $route"
                missing=yes
            fi
        done <<EOF
$(plan $family "$1")
EOF
    done
    if [ $count = 0 ]; then
        say "not set: no route to $1"
        missing=yes
    fi
    check_lookup "$1" "$2" "$3"
}

# What a new connection would have.
check_lookup() { # PREFIX ATTRIBUTE VALUE
    case $1 in
    default) addresses='192.0.2.1 2001:db8::1' ;;
    *) addresses=${1%/*} ;;
    esac
    for address in $addresses; do
        found=$(ip -o route get "$address" 2>/dev/null) || continue
        value=$(value_of "$2" $found)
        say "ip route get $address: $2 ${value:-not set}"
    done
}

# Each route gets the saved value of the attribute. All else stays as it is now,
# as a manager may have changed it since.
revert_route() { # PREFIX ATTRIBUTE VALUE
    attribute=$2
    [ -e "$state/route" ] || return 0
    while IFS='	' read -r saved route; do
        [ "${route%% *}" = "$1" ] || continue
        family=${saved%% *} key=${saved#* * }
        case $saved in
        ?" add "*) delete "$family" "$key" "$1" ;;
        *)
            now=$(copy_of "$family" "$key" "$1")
            if [ -z "$now" ]; then
                say "gone since, not restored: IPv$family $route"
            else
                restore_route "$family" "$2" "$(value_of "$2" $route)" $now
            fi
            ;;
        esac
    done <"$state/route"
}

restore_route() { # FAMILY ATTRIBUTE VALUE ROUTE...
    family_=$1 attribute_=$2 old=$3
    shift 3
    [ "$(value_of "$attribute_" "$@")" != "$old" ] || return 0
    # Without attributes, a route with a next-hop object gets those of any other
    # route with it (fib_create_info in net/ipv4/fib_semantics.c). 0 stands for
    # none.
    case " $* " in *' nhid '*) old=${old:-0} ;; esac
    ip "-$family_" route change $(with "$attribute_" "$old" "$@") || missing=yes
}
