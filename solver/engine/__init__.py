"""The games themselves: referee, records, and the price of rounds and games."""
