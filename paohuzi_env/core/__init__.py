"""The rules, compiled: plain functions over arrays of fixed-size records.

Imports numpy and numba only. Nothing here knows an API, a reward or a file.
"""
