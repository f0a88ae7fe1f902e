# One transfer in ns-2; what enters the sender's link and the bottleneck goes to standard output as
# ns-2 traces it.
#
#     ns transfer.tcl AGENT OPENING PAYLOAD IW WINDOW DELACK_S PACKETS RATE_BPS DELAY_S LIMIT ACCESS_BPS ACCESS_S DROPS...
#
# Sender -(access)- router -(rate, delay, limit)- router -(access)- receiver. DELACK_S is 0 for an
# acknowledgement per packet. OPENING is `syn`, `delayed-syn` (its acknowledgement waits as others do)
# or `none` (data is packet 0). DROPS are positions among the flow's packets at the bottleneck, the
# SYN being number 0.

lassign $argv agent opening payload iw window delack packets rate delay limit access_rate access_delay
set drops [lrange $argv 12 end]

set ns [new Simulator]
foreach node {sender left right receiver} { set $node [$ns node] }
$ns duplex-link $sender $left $access_rate $access_delay DropTail
$ns duplex-link $left $right $rate $delay DropTail
$ns duplex-link $right $receiver $access_rate $access_delay DropTail
foreach {a b} [list $sender $left $left $sender $right $left $right $receiver $receiver $right] {
    $ns queue-limit $a $b 1000000
}
$ns queue-limit $left $right $limit

set trace [open /dev/stdout w]
$ns trace-queue $sender $left $trace
$ns trace-queue $left $right $trace
if {[llength $drops]} {
    set forced [new ErrorModel/List]
    $forced droplist $drops
    $ns lossmodel $forced $left $right
}

switch $agent {
    tahoe { set tcp [new Agent/TCP] }
    reno { set tcp [new Agent/TCP/Reno] }
    newreno { set tcp [new Agent/TCP/Newreno] }
    sack { set tcp [new Agent/TCP/Sack1] }
}
set kind [expr {$agent eq "sack" ? "/Sack1" : ""}]
set sink [new Agent/TCPSink$kind[expr {$delack > 0 ? "/DelAck" : ""}]]
if {$delack > 0} { $sink set interval_ $delack }
if {$opening eq "delayed-syn"} { $sink set SYN_immediate_ack_ false }
if {$opening eq "none"} { $tcp set syn_ false; $tcp set delay_growth_ false }
$tcp set packetSize_ $payload
$tcp set windowInit_ $iw
$tcp set window_ $window
$ns attach-agent $sender $tcp
$ns attach-agent $receiver $sink
$ns connect $tcp $sink

# What leaves at the very moment of the last acknowledgement is not part of it.
Agent/TCP instproc done {} {
    global trace
    flush $trace
    exit 0
}
$ns at 0.0 "$tcp advance $packets"
$ns run
