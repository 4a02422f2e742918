import { expect, test } from "bun:test";
import { join } from "node:path";

/** A process that is told what it is for and that it is to end before it hears anything. */
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

test("what is said in one breath before anybody hears is heard, all of it and in order", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const child = Bun.spawn([process.execPath, "-e", PROGRAM], {
    stdio: ["ignore", "inherit", "inherit"],
    ipc: resolve,
  });
  for (const word of ["serve", "news", "stop"]) child.send(word);
  expect(await promise).toEqual(["serve", "news", "stop"]);
  expect(await child.exited).toBe(0);
});
