"""Runs a lesson's cells: the same code in the reader's browser and in `sitekit record`.

One runner on both sides is what makes a recorded output comparable with a live one.
Standard library only: it is shipped to the page.
"""
