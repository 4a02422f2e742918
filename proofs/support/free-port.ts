/** Below what Linux and macOS give to connections that go out, of which a busy machine has many: one of those could take the port before its program does. */
const [FIRST, COUNT] = [20_000, 10_000];
const TRIES = 100;

/** A port of this machine that nobody listens at, for a program that has to be told its port. A program that can say which one it got is given 0. */
export function freePort(): number {
  for (let tried = 0; tried < TRIES; tried += 1) {
    // At random, because other test processes choose at the same time.
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (isFree(port)) return port;
  }
  throw new Error(`no free port from ${FIRST} to ${FIRST + COUNT - 1} in ${TRIES} tries`);
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}
