"""What a request is made of: paths, flows, stacks and scenarios, and the startups in them.

Nothing here runs or draws anything. The checks are the simulator's own; a module here only
writes a request down, reads one from a file or a command line, or tells what one means.
"""
