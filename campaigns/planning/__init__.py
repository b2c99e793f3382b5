"""Campaigns made and changed: phases, limits, what boards show."""
