import { describe, expect, test } from "bun:test";
import { WriteBehind } from "./write-behind.ts";

interface Item {
  readonly text: string;
  readonly bytes: number;
}

const item = (text: string, bytes = 1): Item => ({ text, bytes });

/** A writer whose batches end when the test says so. */
function startWriter() {
  const batches: string[][] = [];
  const ends: (() => void)[] = [];
  const writer = new WriteBehind<Item>({
    bytesOf: ({ bytes }) => bytes,
    put: (batch) => {
      batches.push(batch.map(({ text }) => text));
      return new Promise<void>((resolve) => ends.push(resolve));
    },
    write_after_ms: 0,
  });
  /** Resolves with the next batch, once it is on its way, and lets it end. */
  const next = async (): Promise<string[]> => {
    while (ends.length === 0) await Bun.sleep(1);
    ends.shift()?.();
    return batches.shift() ?? [];
  };
  return { writer, next };
}

describe("what is written behind the answers", () => {
  test("is found by its name until it is written, and goes out in batches of a bounded size, in its order", async () => {
    const { writer, next } = startWriter();
    for (let at = 0; at < 68; at += 1) expect(writer.add(`n${at}`, item(`${at}`))).toBe(true);
    for (const at of [68, 69]) expect(writer.add(`n${at}`, item(`${at}`, 2 ** 20))).toBe(true);
    expect(writer.find("n67")?.text).toBe("67");
    expect(await next()).toHaveLength(64);
    expect(await next()).toEqual(["64", "65", "66", "67"]);
    expect(await next()).toEqual(["68"]);
    expect(await next()).toEqual(["69"]);
    await writer.close();
    expect([writer.size, writer.find("n0")]).toEqual([0, undefined]);
  });

  test("that is replaced while it is being written is written again, and found until then", async () => {
    const { writer, next } = startWriter();
    writer.add("n", item("old"));
    await Bun.sleep(5);
    writer.add("n", item("new"));
    expect(await next()).toEqual(["old"]);
    expect(writer.find("n")?.text).toBe("new");
    expect(await next()).toEqual(["new"]);
    await writer.close();
    expect(writer.size).toBe(0);
  });

  test("has no room beyond 32 MiB, nor once the process ends, which waits for the rest", async () => {
    const { writer, next } = startWriter();
    expect(writer.add("large", item("large", 32 * 2 ** 20))).toBe(true);
    expect(writer.add("more", item("more"))).toBe(false);
    expect(writer.add("large", item("in its place", 5))).toBe(true);
    expect(writer.add("more", item("more"))).toBe(true);
    const closed = writer.close();
    expect(writer.add("late", item("late"))).toBe(false);
    expect(await next()).toEqual(["in its place", "more"]);
    await closed;
    expect(writer.size).toBe(0);
  });
});
