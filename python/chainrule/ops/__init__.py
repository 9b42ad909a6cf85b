"""Operations written in Python over those of the core; their signatures stand in `table`."""
