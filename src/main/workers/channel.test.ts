import { expect, test } from "bun:test";
import { join } from "node:path";

/** A process that gets its assignment and the order to end before it listens. */
const PROGRAM = `
const { parentChannel } = await import(${JSON.stringify(join(import.meta.dir, "channel.ts"))});
const channel = parentChannel();
await Bun.sleep(200);
const heard = [await channel.first()];
await Bun.sleep(50);
channel.hear((message) => heard.push(message));
channel.send(heard);
channel.close();
`;

test("messages that arrive before anybody listens are all delivered, in order", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const child = Bun.spawn([process.execPath, "-e", PROGRAM], {
    stdio: ["ignore", "inherit", "inherit"],
    ipc: resolve,
  });
  for (const word of ["serve", "counts", "stop"]) child.send(word);
  expect(await promise).toEqual(["serve", "counts", "stop"]);
  expect(await child.exited).toBe(0);
});
