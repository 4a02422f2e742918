import { afterAll, beforeAll, expect, test } from "bun:test";
import { type BigScene, startBigScene } from "./support/big-scene.ts";
import { SHAPES } from "./support/shapes.ts";

/**
 * No request of 32 MiB, and no answer of that size, keeps the serving thread from others (docs/adr/0027-body-workers.md).
 * What is measured is the processor's time of that thread between two turns of its event loop, as the time by the clock
 * says on a busy machine how busy it is. support/print-table.ts prints all shapes.
 */

/** What is left is moving the bytes. `/healthz` answers within 250 ms where no slice is longer than that. */
const MOST_MS = 50;
/** A slice may also be a rare pause of the runtime. */
const TRIES = 5;
const PATIENCE_MS = 90_000;

/** Shapes whose work is different: one of each kind. */
const ROWS = [
  "chat, one long text, relayed",
  "chat, Chinese text, translated to messages",
  "chat, images, translated to messages",
  "chat, a million messages",
  "chat, 40,000 tool calls and results, translated to messages",
  "chat, 200,000 levels",
  "chat, eleven million empty lists in an unknown member, relayed",
  "chat, a schema of a million properties, translated to messages",
  "chat, one long text in gzip, relayed",
  "messages, count_tokens, one long text",
  "responses, one long text, relayed",
  "responses, long instructions, translated to chat, streamed",
  "responses, a schema of a million properties, stored, translated to chat",
  "decisions, one long text",
  "decisions, Chinese text",
  "decisions, long instructions, in eight calls",
  "decisions, Chinese text, by a vendor",
  "systemone, Chinese text, by a vendor",
  "going on from a large conversation from memory, translated",
  "going on from a large conversation from the database, translated",
  "referring to an item of a large answer from the database",
  "the items of a large conversation from the database",
  "a large response from the database",
  "an event of a text of 1 MiB, responses from chat",
  "an event of 1.4 million empty lists, messages from chat",
  "an answer of Chinese text, relayed",
  "an answer of Chinese text, messages to chat",
  "an answer of 450,000 tokens with log-probabilities, relayed",
] as const;

let scene: BigScene;

beforeAll(async () => {
  scene = await startBigScene();
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

test.each(ROWS)(
  "%s",
  async (name) => {
    const shape = SHAPES.find((each) => each.name === name);
    if (shape === undefined) throw new Error(`there is no shape "${name}"`);
    let least_ms = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES && least_ms > MOST_MS; tries += 1) {
      const { status, cpu_ms, answers } = await scene.measure(shape);
      // Read, and answered or refused, by the vendor as well: never an error of the gateway itself.
      expect([200, 400, 413, 502]).toContain(status);
      expect(answers).toBeGreaterThan(0);
      least_ms = Math.min(least_ms, cpu_ms);
    }
    expect(least_ms).toBeLessThanOrEqual(MOST_MS);
  },
  PATIENCE_MS,
);
