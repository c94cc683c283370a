"""Label, train and look in a browser: the server and the page of ``segboost label``."""
