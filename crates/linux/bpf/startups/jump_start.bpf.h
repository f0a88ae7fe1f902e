/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Jump Start as a congestion control. */

SEC("struct_ops")
void BPF_PROG(jump_start_begin, struct sock *sk)
{
	struct startup *s = begin(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	u32 mss = greater(tp->mss_cache, 1);

	if (!s)
		return;
	/* Without a sample of the handshake there is no round trip to pace over. */
	s->jump_start.js = tp->srtt_us ? JS_ARMED : JS_OFF;
	s->jump_start.iw = tp->snd_cwnd;
	s->jump_start.was_paced = sk->sk_pacing_status;
	/* The kernel sizes the send buffer by this window, then the first look for something to send
	 * sets it.
	 */
	if (s->jump_start.js == JS_ARMED)
		set_cwnd(tp, jump_start_flight(tp->snd_wnd, tp->snd_wnd, mss));
}

static __always_inline void jump_start_jump(struct sock *sk, struct jump_start *j)
{
	struct tcp_sock *tp = tcp_sk(sk);

	j->js = JS_PACING;
	j->start = tp->snd_nxt;
	j->before = in_flight(tp);
	j->sent_before = tp->data_segs_out;
	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

/* Before every look for something to send: D may have grown. */
SEC("struct_ops")
u32 BPF_PROG(jump_start_min_tso_segs, struct sock *sk)
{
	struct startup *s = startup_of(sk, 0);
	struct tcp_sock *tp = tcp_sk(sk);
	u32 mss = greater(tp->mss_cache, 1);
	struct jump_start *j;
	u32 flight;

	if (!s)
		return MIN_TSO_SEGS;
	j = &s->jump_start;
	if (j->js == JS_ARMED) {
		flight = jump_start_flight(tp->write_seq - tp->snd_nxt, tp->snd_wnd, mss);
		if (flight > j->iw)
			jump_start_jump(sk, j);
		else if (!tp->data_segs_out)
			set_cwnd(tp, j->iw);
	}
	if (j->js != JS_PACING)
		return MIN_TSO_SEGS;
	flight = jump_start_flight(tp->write_seq - j->start, tp->snd_wnd, mss);
	set_cwnd(tp, j->before + flight);
	sk->sk_pacing_rate = jump_start_rate(j, flight, mss, tp->srtt_us >> 3);
	return 1;
}

/* The flight has left as far as it goes: the window becomes what the network was given. */
static __always_inline void jump_start_hand_over(struct sock *sk, struct jump_start *j)
{
	struct tcp_sock *tp = tcp_sk(sk);

	j->js = JS_WATCH;
	j->end = tp->snd_nxt;
	j->d_sent = tp->data_segs_out - j->sent_before;
	if (sk->sk_pacing_status == SK_PACING_NEEDED)
		sk->sk_pacing_status = j->was_paced;
	set_cwnd(tp, greater(lesser(tp->snd_cwnd, j->before + j->d_sent), 1));
}

SEC("struct_ops")
void BPF_PROG(jump_start_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	struct startup *s = startup_of(sk, 0);

	if (s && s->jump_start.js == JS_PACING && reaches(tcp_sk(sk)->snd_una, s->jump_start.start + 1))
		jump_start_hand_over(sk, &s->jump_start);
	if (s && s->jump_start.js == JS_WATCH && reaches(tcp_sk(sk)->snd_una, s->jump_start.end))
		s->jump_start.js = JS_OFF;
	if (!s || s->jump_start.js != JS_PACING)
		cubictcp_cong_avoid(sk, ack, acked);
}

/* A loss or a mark in the flight: the window after the recovery is another. A timeout is as ever. */
static __always_inline void jump_start_reduce(struct sock *sk, struct jump_start *j, u8 new_state)
{
	if (j->js == JS_PACING)
		jump_start_hand_over(sk, j);
	if (new_state == TCP_CA_Loss || j->js == JS_ARMED) {
		j->js = JS_OFF;
	} else if (j->js == JS_WATCH) {
		j->js = JS_RECOVERY;
		j->total_retrans = tcp_sk(sk)->total_retrans;
	}
}

SEC("struct_ops")
void BPF_PROG(jump_start_set_state, struct sock *sk, u8 new_state)
{
	struct startup *s = startup_of(sk, 0);

	if (s && new_state >= TCP_CA_CWR)
		jump_start_reduce(sk, &s->jump_start, new_state);
	cubictcp_state(sk, new_state);
	without_hystart(sk);
}

SEC("struct_ops")
void BPF_PROG(jump_start_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	struct startup *s = startup_of(sk, 0);
	struct tcp_sock *tp = tcp_sk(sk);

	if (s && (u32)event == CA_EVENT_COMPLETE_CWR && s->jump_start.js == JS_RECOVERY) {
		u32 cwnd = jump_start_after_recovery(&s->jump_start, tp->total_retrans);

		s->jump_start.js = JS_OFF;
		tp->snd_ssthresh = greater(cwnd, 2);
		set_cwnd(tp, cwnd);
	}
	cubictcp_cwnd_event(sk, event);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops___startup jump_start = {
	.init = (void *)jump_start_begin,
	.cong_avoid = (void *)jump_start_cong_avoid,
	.pkts_acked = (void *)startup_pkts_acked,
	.set_state = (void *)jump_start_set_state,
	.ssthresh = (void *)startup_ssthresh,
	.cwnd_event = (void *)jump_start_cwnd_event,
	.min_tso_segs = (void *)jump_start_min_tso_segs,
	.undo_cwnd = (void *)startup_undo_cwnd,
	.name = "fs_jump_start",
};
