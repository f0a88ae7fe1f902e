"""What every request and every answer have in common: bodies, fields, headers, and who may ask."""
