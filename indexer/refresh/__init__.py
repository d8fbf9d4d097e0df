"""Makes the index equal the files, and proves it."""
