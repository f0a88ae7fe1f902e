"""The same traffic under one start-up after another: the plan, the runs, and what they came to."""
