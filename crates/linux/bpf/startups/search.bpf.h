/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* SEARCH as a congestion control. */

SEC("struct_ops")
void BPF_PROG(search_begin, struct sock *sk)
{
	struct startup *s = begin(sk);

	if (s)
		search_init(&s->search, tcp_sk(sk)->snd_nxt, tcp_sk(sk)->snd_cwnd);
}

SEC("struct_ops")
u32 BPF_PROG(search_min_tso_segs, struct sock *sk)
{
	struct startup *s = startup_of(sk, 0);

	if (s && !s->is_over)
		note_sent(s, tcp_sk(sk));
	return MIN_TSO_SEGS;
}

SEC("struct_ops")
void BPF_PROG(search_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	struct startup *s = in_charge(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	u32 cwnd = tp->snd_cwnd;
	int next = SEARCH_GROWS;
	struct ack a;

	if (s) {
		read_ack(s, tp, acked, &a);
		next = search_on_ack(&s->search, &a, &cwnd);
	}
	if (next == SEARCH_GROWS) {
		cubictcp_cong_avoid(sk, ack, acked);
		return;
	}
	if (next == SEARCH_ENDS) {
		s->is_over = 1;
		tp->snd_ssthresh = cwnd;
	}
	set_cwnd(tp, cwnd);
}

/* A timeout or an idle time begins it anew, another congestion signal ends it. */
SEC("struct_ops")
void BPF_PROG(search_set_state, struct sock *sk, u8 new_state)
{
	struct startup *s = startup_of(sk, 0);

	if (s && new_state == TCP_CA_Loss) {
		s->is_over = 0;
		search_init(&s->search, tcp_sk(sk)->snd_nxt, s->search.iw);
	} else if (s && new_state >= TCP_CA_CWR) {
		s->is_over = 1;
	}
	cubictcp_state(sk, new_state);
	without_hystart(sk);
}

SEC("struct_ops")
void BPF_PROG(search_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	struct startup *s = startup_of(sk, 0);

	if (s && (u32)event == CA_EVENT_CWND_RESTART)
		search_init(&s->search, tcp_sk(sk)->snd_nxt, s->search.iw);
	cubictcp_cwnd_event(sk, event);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops___startup search = {
	.init = (void *)search_begin,
	.cong_avoid = (void *)search_cong_avoid,
	.pkts_acked = (void *)startup_pkts_acked,
	.set_state = (void *)search_set_state,
	.ssthresh = (void *)startup_ssthresh,
	.cwnd_event = (void *)search_cwnd_event,
	.min_tso_segs = (void *)search_min_tso_segs,
	.undo_cwnd = (void *)startup_undo_cwnd,
	.name = "fs_search",
};
