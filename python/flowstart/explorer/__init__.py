"""The explorer: a page on one's own machine that shows startups over time as sliders are moved."""
