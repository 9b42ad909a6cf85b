"""What is built on collectives: processes that end at different times, and ways to reduce gradients."""
