"""Speed, measured in one interleaved run and told as ratios: this machine's milliseconds mean nothing on another one."""
