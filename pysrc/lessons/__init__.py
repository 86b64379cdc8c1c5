"""One plain script per lesson, cut into `# %% name` sections; `.out` files hold their output."""
