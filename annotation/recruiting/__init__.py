"""People from Prolific, MTurk, Toloka and university pools: who may enter, what completes a session, what is paid."""
