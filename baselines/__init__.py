"""Systems that are trained and scored on a release: features, models, searches, tables.

A room of its own: plain files in, runs out, no Django. Of Qreels' rooms it imports `evaluation` alone. torch, h5py,
PyAV and the models' libraries are imported when they are used.
"""
