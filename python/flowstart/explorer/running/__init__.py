"""Work beside the server: in threads that are stopped, and in jobs that take seconds."""
