"""The parts of the Markdown report, for a pull request's comment and a job's summary."""
