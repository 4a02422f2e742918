import { describe, expect, test } from "bun:test";
import { ExportQueue } from "./export-queue.ts";

/** A queue whose batches are sent when the test says so. */
function scene(most = 6, batch = 3) {
  const sent: number[][] = [];
  const told: string[] = [];
  const open: PromiseWithResolvers<void>[] = [];
  const queue = new ExportQueue<number>({
    ...{ most, batch, every_ms: 1 },
    send: (items) => {
      sent.push([...items]);
      const gate = Promise.withResolvers<void>();
      open.push(gate);
      return gate.promise;
    },
    counts: {
      sent: (count) => told.push(`sent ${count}`),
      dropped: (count, reason) => told.push(`${reason} ${count}`),
    },
  });
  const until = async (is: () => boolean): Promise<void> => {
    while (!is()) await Bun.sleep(1);
  };
  return { queue, sent, told, open, until };
}

describe("an export queue", () => {
  test("sends a full batch at once and the rest a little later, one after the other and in order", async () => {
    const { queue, sent, told, open, until } = scene();
    for (const item of [1, 2, 3, 4]) queue.add(item);
    await until(() => open.length === 1);
    expect(sent).toEqual([[1, 2, 3]]);
    open[0]?.resolve();
    await until(() => open.length === 2);
    expect(sent).toEqual([[1, 2, 3], [4]]);
    open[1]?.resolve();
    await until(() => told.length === 2);
    expect(told).toEqual(["sent 3", "sent 1"]);
  });

  test("keeps no more than its most while the collector says nothing, and counts what it drops", async () => {
    const { queue, told, open, until } = scene();
    for (const item of [1, 2, 3]) queue.add(item);
    await until(() => open.length === 1);
    for (let item = 4; item < 104; item += 1) queue.add(item);
    expect(queue.waiting).toBe(6);
    expect(told).toEqual(new Array(94).fill("full 1"));
    await queue.close(1);
    expect(told.at(-1)).toBe("failed 6");
    expect(queue.waiting).toBe(0);
  });

  test("drops what was refused and goes on with the next", async () => {
    const { queue, told, open, until } = scene();
    for (const item of [1, 2, 3, 4]) queue.add(item);
    await until(() => open.length === 1);
    open[0]?.reject(new Error("no"));
    await until(() => open.length === 2);
    open[1]?.resolve();
    await until(() => told.length === 2);
    expect(told).toEqual(["failed 3", "sent 1"]);
  });

  test("sends what waits when it is closed", async () => {
    const { queue, sent, open, until } = scene(6, 6);
    queue.add(1);
    const closing = queue.close(10_000);
    await until(() => open.length === 1);
    open[0]?.resolve();
    await closing;
    expect(sent).toEqual([[1]]);
  });
});
