"""GitHub around the gate: the run's environment, workflow commands, and the API behind a comment.

Nothing here knows a contract or a report: text comes in finished. ``environment`` is the only
module that reads ``GITHUB_*``, ``transport`` the only one that opens a connection.
"""
