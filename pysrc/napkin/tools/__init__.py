"""The calculators: each a typed function whose signature is its form (see ``napkin.forms``)."""
