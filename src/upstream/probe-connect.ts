/**
 * Whether a TCP connection to an origin can be made in time. `fetch` cannot tell a vendor that does not accept the
 * connection from one that thinks for long, so a call that has had no answer for the connect timeout is judged by this
 * probe beside it.
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
