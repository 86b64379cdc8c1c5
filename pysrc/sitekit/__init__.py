"""The build side of the site: never shipped to readers."""
