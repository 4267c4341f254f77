"""The slow, obvious twin of the rules: plain Python that follows the numbered clauses one by one.

It shares no code with the package it judges. Nothing here is fast, and nothing should be made so.
"""
