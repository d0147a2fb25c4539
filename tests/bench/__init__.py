"""Speed, measured in one interleaved run and given as ratios, because milliseconds of one machine say nothing about another."""
