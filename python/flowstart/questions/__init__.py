"""The questions that flowstart answers: one declaration of the fields of each.

A field has its type, default, help, and how a command line writes it. From it come the keywords
and the docstring of the public function, and the options and completions of the command.
"""
