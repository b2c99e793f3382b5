"""What a worker had taken from a broker that died ends with an error of the connection, which ends no worker."""

import pytest

from config.celery import app


def test_a_closed_connection_says_that_it_is_lost() -> None:
    connection = app.connection_for_write()
    lost, channel = connection.connection_errors, connection.default_channel
    channel.basic_ack("1")
    connection.close()
    for late in (lambda: channel.basic_ack("1"), lambda: channel.qos.restore_unacked()):
        with pytest.raises(lost):
            late()
