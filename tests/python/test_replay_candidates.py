"""The variants of a replay, next to the recorded setting."""

import pytest

from flowstart.deployment.stacks import HostStack
from flowstart.model.custom import CustomStartups
from flowstart.replays.settings import compared


@pytest.mark.parametrize(
    ("variant", "startup"),
    [
        ("iw30: iw=30", "hystart"),
        ("slow: startup=slow-start", "slow-start"),
        ("bbr: cc=bbr", None),
        ("quic: stack=quic", None),
    ],
)
def test_a_variant_that_names_no_startup_has_the_recorded_one(
    variant: str, startup: str | None
) -> None:
    linux, custom = HostStack.named("linux"), CustomStartups()
    (_, found), baseline = compared(linux, [variant], None, None, None, custom)
    assert (found.startup, baseline) == (startup, "current")
