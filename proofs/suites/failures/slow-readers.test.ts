import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestKey } from "../../support/gateway.ts";
import type { ClientStream } from "./support/client-stream.ts";
import { eventually, type Scene, startScene } from "./support/scene.ts";
import { chat } from "./support/styles.ts";

/** Clients that read more slowly than a vendor writes: answers of 100 MB, and 200 clients at once. */

/** 100 MB of text, 10 kB at a time: far more than any buffer on the way. */
const HUGE_TOKENS = 25_000_000;
/** 32 MB. */
const LARGE_TOKENS = 8_000_000;

let scene: Scene;
let key: TestKey;

beforeAll(async () => {
  scene = await startScene({
    models: {
      "acme/echo": {},
      "acme/huge": { upstream_model: `long@tokens=${HUGE_TOKENS}&piece=2500`, max_completion_tokens: HUGE_TOKENS },
      "hasty/large": { upstream_model: `long@tokens=${LARGE_TOKENS}&piece=2500`, max_completion_tokens: LARGE_TOKENS },
    },
    vendors: { hasty: { timeouts: { idle: "1s" } } },
    program: join(import.meta.dir, "../../support/gateways/impatient-gateway.ts"),
  });
  key = await scene.newKey({ credit: "100000" });
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

describe("a client that reads slowly", () => {
  /** The number of bytes that the vendor has written, once it writes no more. */
  async function standstill(model: string): Promise<number> {
    const written = () => {
      const seen = scene.simulator.log.requests.filter((record) => record.model?.startsWith(model) && !record.finished);
      return seen.reduce((sum, { bytes_written }) => sum + bytes_written, 0);
    };
    for (let before = -1; ; ) {
      const now = written();
      if (now === before) return now;
      before = now;
      await Bun.sleep(250);
    }
  }

  async function openedStreams(count: number, model: string, cap: number): Promise<ClientStream[]> {
    const streams = await Promise.all(
      Array.from({ length: count }, () => scene.stream(chat, key, model, { cap, text: "Go on." })),
    );
    await Promise.all(streams.map((stream) => stream.read()));
    return streams;
  }

  test("slows the vendor down, and the gateway buffers little of what the client does not read", async () => {
    const count = 20;
    const streams = await openedStreams(count, "acme/huge", HUGE_TOKENS);
    const written = await standstill(`long@tokens=${HUGE_TOKENS}`);
    // A hundred megabytes each are waiting; the system's own buffers on both connections take some fifteen.
    expect(written / count).toBeLessThan(40_000_000);
    expect(await memoryOf(scene.gateway.pid)).toBeLessThan(700_000_000);
    for (const stream of streams) stream.leave();
    await Promise.all(streams.map((stream) => scene.ended(stream.request_id)));
  });

  test("may pause for longer than a vendor may be silent", async () => {
    const [stream] = (await openedStreams(1, "hasty/large", LARGE_TOKENS)) as [ClientStream];
    await standstill(`long@tokens=${LARGE_TOKENS}`);
    // Three times the vendor's idle timeout, in which nobody reads.
    await Bun.sleep(3000);
    let last = "";
    let size = stream.received.length;
    for (stream.received = ""; await stream.read(); stream.received = "") {
      size += stream.received.length;
      last = (last + stream.received).slice(-20);
    }
    expect({ ending: last.endsWith("data: [DONE]\n\n"), whole: size > LARGE_TOKENS * 4 }).toEqual({
      ending: true,
      whole: true,
    });
    expect(await scene.ended(stream.request_id)).toMatchObject({ status: "settled", error: null });
  });

  test("gets its answer among 200 such clients", async () => {
    const streams = await Promise.all(
      Array.from({ length: 200 }, () => scene.stream(chat, key, "acme/echo", { text: "word ".repeat(500) })),
    );
    // By turns, a piece at a time.
    for (let open = [...streams]; open.length > 0; ) {
      const more = await Promise.all(open.map((stream) => stream.read()));
      open = open.filter((_, index) => more[index]);
    }
    expect(streams.map(({ ending }) => ending)).toEqual(streams.map(() => "complete"));
  });
});

/** Resident bytes of a process, on systems with /proc; 0 elsewhere. */
async function memoryOf(pid: number): Promise<number> {
  return await eventually("a whole status of the process", async () => {
    // Not every system has the file, and a read of it can fail.
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "VmRSS: 0 kB");
    const found = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
    return found === undefined ? null : Number(found) * 1024;
  });
}

test("no hold is left at the end", async () => {
  await eventually("the end of all holds", async () =>
    (await scene.wallet(key)).uncollected_micro === 0 ? true : null,
  );
});
