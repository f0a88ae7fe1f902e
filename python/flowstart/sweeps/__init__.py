"""Families of paths: one question put to every start-up, on each of many paths.

`document` reads what is asked, `company` says who is beside a flow, `batch` runs cells and makes
rows of them, `store` keeps the rows.
"""
