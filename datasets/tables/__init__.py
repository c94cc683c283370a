"""Tables: readers of CSV, LIBSVM, npz and idx files, and the named LIBSVM sets."""
