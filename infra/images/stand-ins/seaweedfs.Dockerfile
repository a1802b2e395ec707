# Stand-in for chrislusf/seaweedfs: an S3 server from Debian's packages, Ceph, on the same port, with the same settings.
FROM selvage-check/debian
RUN apt-get update \
  && apt-get install -y --no-install-recommends ceph-mon ceph-osd radosgw ceph-common s3cmd wget \
  && rm -rf /var/lib/apt/lists/*
COPY ceph.conf /etc/ceph/ceph.conf
COPY ceph.sh /usr/local/bin/
VOLUME /data
EXPOSE 8333
ENTRYPOINT ["/bin/bash", "/usr/local/bin/ceph.sh"]
