"""Measurements of a rollout: the effect of a setting on a part of the servers or clients.

`measurements` has what is used of captures and logs, `adjustment` takes out what explains times
besides the setting, `difference` compares both sets, `judgement` has gates and answer.
"""
