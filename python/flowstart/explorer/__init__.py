"""The explorer: a page on one's own machine that shows start-ups over time as sliders are moved."""
