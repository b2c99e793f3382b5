"""Try the theatre: a Django application that offers it on the home page of any site, and builds it by a job."""
