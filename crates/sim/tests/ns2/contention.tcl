# Transfers of 200 packets that contend for the path of the Jump Start paper, or nearly, in alternating
# directions, each between hosts of its own; agents are made as they start. Writes when each ended, in
# seconds, to standard output.
#
#     ns contention.tcl RATE_BPS ACCESS_BPS ACCESS_S START...

# An agent takes its threshold and its clock from the class as it is made.
Agent/TCP set packetSize_ 1460
Agent/TCP set windowInit_ 3
Agent/TCP set window_ 10000
Agent/TCP set tcpTick_ 0.001

lassign $argv rate access_rate access_delay
set starts [lrange $argv 3 end]

set ns [new Simulator]
foreach node {left right} { set $node [$ns node] }
$ns duplex-link $left $right $rate 30ms DropTail
foreach {a b} [list $left $right $right $left] { $ns queue-limit $a $b 60 }
set running [llength $starts]

proc host {router} {
    global ns access_rate access_delay
    set node [$ns node]
    $ns duplex-link $node $router $access_rate $access_delay DropTail
    $ns queue-limit $node $router 1000000
    $ns queue-limit $router $node 1000000
    return $node
}

proc begin {flow} {
    global ns ends agents
    set tcp [new Agent/TCP/Sack1]
    set sink [new Agent/TCPSink/Sack1]
    $tcp set fid_ $flow
    lassign $ends($flow) from to
    $ns attach-agent $from $tcp
    $ns attach-agent $to $sink
    $ns connect $tcp $sink
    $tcp advance 200
}

Agent/TCP instproc done {} {
    global ns running
    puts "[$self set fid_] [format %.9f [$ns now]]"
    if {[incr running -1] == 0} { exit 0 }
}

for {set flow 0} {$flow < $running} {incr flow} {
    set pair [list [host $left] [host $right]]
    set ends($flow) [expr {$flow % 2 ? [lreverse $pair] : $pair}]
    $ns at [lindex $starts $flow] "begin $flow"
}
$ns run
