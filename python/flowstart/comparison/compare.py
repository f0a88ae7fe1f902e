"""The same traffic under one startup algorithm after another, simulated or also in a real stack."""

from flowstart.comparison.execute import execute
from flowstart.comparison.live.execute import execute as execute_live
from flowstart.comparison.live.plan import LivePlan
from flowstart.comparison.live.result import LiveComparison
from flowstart.comparison.request import plan
from flowstart.comparison.result import Comparison
from flowstart.errors import RequestError
from flowstart.model.path import NetworkPath
from flowstart.questions.compare import Compare
from flowstart.questions.live import Live
from flowstart.questions.option import asking, either
from flowstart.simulation import bounds


@asking(Compare)
def _simulated(question: Compare) -> Comparison:
    """Runs the same traffic under each startup algorithm.

    On a path, each size is sent by `flows` connections. In a scenario, the flows and web sessions
    without a startup algorithm are under test, and the others are background traffic. With `on`,
    each transfer runs in the simulator and in a real stack over the same links.

    Returns:
        A `Comparison`; with `on`, a `LiveComparison`.

    Raises:
        RequestError: An argument is wrong or exceeds a limit, or this machine lacks what the stack
            needs.
        TimeLimitExceeded: The time limit ended the runs before any result.

    Example:
        >>> import flowstart as fs
        >>> path = fs.NetworkPath(rate="5Mbps", rtt="64ms", buffer="60pkt")
        >>> result = fs.compare(path, startups=["slow-start", "jump-start"], sizes=["100kB"])
        >>> result.frame.select("startup", "fct_s").height
        2
    """
    planned = plan(question)
    with bounds.bounded(question.max_time, question.max_memory):
        return execute(
            planned,
            uncertainty=question.uncertainty,
            workers=question.workers,
            progress=question.progress,
        )


@asking(Live)
def _live(question: Live) -> LiveComparison:
    """Runs the same transfers in the simulator and in a real stack.

    Returns:
        Rows, tables and figures of both.
    """
    if not isinstance(question.setting, NetworkPath):
        raise RequestError(
            "a real stack needs a NetworkPath, and not a scenario", ("on",), repr(question.on)
        )
    with bounds.bounded(question.max_time, question.max_memory):
        try:
            planned = LivePlan.of(question)
            return execute_live(planned, workers=question.workers, progress=question.progress)
        except RequestError as error:
            if error.location[:1] == ("stack",):
                raise error.at(("on", *error.location[1:])) from None
            raise


compare = either("compare", _simulated, _live, keyword="on")
