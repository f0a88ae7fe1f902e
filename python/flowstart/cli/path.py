"""The path on the command line: its flags are those that the definitions of its fields have."""

from flowstart.cli.flags import Flag, defined

REPLAYED = ("rate", "rtt", "buffer", "loss", "reverse_rate", "reverse_buffer")
"""The fields that override what a capture tells."""

IMPAIRING = (
    *("queue", "reverse_queue", "reverse_loss", "loss_burst", "reverse_loss_burst"),
    *("rate_variation", "policer_rate", "policer_burst", "aggregation", "jitter"),
    *("reverse_jitter", "jitter_every", "reordering", "ripple", "ripple_period"),
    *("ack_batch", "ack_thinning"),
)
"""The fields that every path of a capture may have besides."""

FLAGS = (
    Flag("path", "A path known by name; options override it.", "NAME"),
    *defined(
        "Path", "Path", replayed=(*REPLAYED, *IMPAIRING), usual=("rate", "rtt", "buffer")
    ).values(),
)
"""Its flags, in the order of the help; all but the first are fields of `Path`."""
