/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* HyStart++ as a congestion control. */

SEC("struct_ops")
void BPF_PROG(hystart_pp_begin, struct sock *sk)
{
	struct startup *s = begin(sk);

	if (s)
		hystart_pp_init(&s->hystart_pp);
}

SEC("struct_ops")
void BPF_PROG(hystart_pp_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	struct startup *s = in_charge(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	u32 cwnd = tp->snd_cwnd;
	struct ack a;

	if (!s) {
		cubictcp_cong_avoid(sk, ack, acked);
		return;
	}
	read_ack(s, tp, acked, &a);
	if (hystart_pp_on_ack(&s->hystart_pp, &a, &cwnd)) {
		s->is_over = 1;
		tp->snd_ssthresh = cwnd;
	}
	set_cwnd(tp, cwnd);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops___startup hystart_pp = {
	.init = (void *)hystart_pp_begin,
	.cong_avoid = (void *)hystart_pp_cong_avoid,
	.pkts_acked = (void *)startup_pkts_acked,
	.set_state = (void *)startup_set_state,
	.ssthresh = (void *)startup_ssthresh,
	.cwnd_event = (void *)startup_cwnd_event,
	.undo_cwnd = (void *)startup_undo_cwnd,
	.name = "fs_hystartpp",
};
