"""What all tests share."""

from hypothesis import settings

# A busy machine is no failure, and the same commit gives the same verdict.
settings.register_profile("napkin", deadline=None, derandomize=True)
settings.load_profile("napkin")
