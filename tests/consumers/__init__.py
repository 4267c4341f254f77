"""The libraries that people train with, each in an environment of its own, with the environment as it is.

A consumer is a folder here: `requirements.txt` is all that is installed, `play.py` what it does with it. Each of them
trains a few updates, plays hands to the end, and checks them through `harness`. `make consumers` runs them.
"""
