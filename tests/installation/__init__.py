"""What puts Qreels on a machine: nginx, units, script/install, the image."""
