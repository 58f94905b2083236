"""The composite Action's logic: what `action.yml` starts, one module a step.

`setup` (stdlib only) makes the environment, `gate` judges without a token, `comment` posts with
one, `verdict` alone fails the job. A step speaks to the next by its outputs and by files in one
folder under RUNNER_TEMP.
"""
