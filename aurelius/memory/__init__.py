"""What is worth keeping: lines of daily notes carried to the page they belong to, and questions for
the person."""
