"""Blocks a release of an AI agent that behaves worse than the last one."""
