"""The same traffic under one startup after another: the plan, the runs, and what they came to."""
