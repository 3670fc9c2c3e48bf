"""Rules as data: TOML files, frozen records, one loader."""
