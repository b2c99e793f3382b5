"""Pilots and depth studies: judged beside a collection, never counted."""
