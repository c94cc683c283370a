"""Label images and train in the browser: the server and the page of ``segboost label``."""
