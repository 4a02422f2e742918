/**
 * Whether a TCP connection to an origin can be made in time. `fetch` does not distinguish a vendor that accepts no
 * connection from one that is slow to answer, so this probe decides for a call without an answer within the connect
 * timeout.
 */
export async function canConnect(url: URL, timeout_ms: number): Promise<boolean> {
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), timeout_ms);
  const socket = Bun.connect({
    hostname,
    port,
    socket: {
      open: () => resolve(true),
      data: () => {},
      error: () => resolve(false),
      connectError: () => resolve(false),
    },
  });
  socket.catch(() => resolve(false));
  const connected = await promise;
  clearTimeout(timer);
  socket.then(
    (open) => open.end(),
    () => {},
  );
  return connected;
}
