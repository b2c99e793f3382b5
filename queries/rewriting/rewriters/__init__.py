"""Rewriters behind one interface: an LLM or rules. No database."""
