# Stand-in for valkey/valkey: Debian's Redis under Valkey's names, with the same owner of /data.
FROM selvage-check/debian
RUN apt-get update \
  && apt-get install -y --no-install-recommends redis-server \
  && rm -rf /var/lib/apt/lists/* \
  && ln -s /usr/bin/redis-server /usr/local/bin/valkey-server \
  && ln -s /usr/bin/redis-cli /usr/local/bin/valkey-cli \
  && install -d -o 999 -g 1000 /data
VOLUME /data
WORKDIR /data
CMD ["valkey-server"]
