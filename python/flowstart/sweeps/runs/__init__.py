"""From cells to rows: who is beside the flow under test, what runs, what is measured."""
