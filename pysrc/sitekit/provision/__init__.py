"""Set-up: everything the site and its tests need, fetched once, checked, and kept under .cache."""
