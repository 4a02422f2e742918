import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { crashRounds } from "./crash-rounds.ts";
import { startScene } from "./support/scene.ts";
import { chat, STYLES } from "./support/styles.ts";

/** kill -9: delivered answers are charged once, and no hold is left of undelivered ones (docs/rulings.md 43). */

describe("a gateway that is killed under load and started again", () => {
  test.concurrent("has charged every answer that a client received once, and holds nothing", async () => {
    const { rounds, problems } = await crashRounds({ rounds: 4, seed: 20_260_901 });
    expect(problems).toEqual([]);
    expect(rounds.reduce((sum, { received }) => sum + received, 0)).toBeGreaterThan(0);
    expect(rounds.reduce((sum, { recovered }) => sum + recovered, 0)).toBeGreaterThan(0);
  });

  test.concurrent("charges a long stream for the part that was recorded", async () => {
    await using scene = await startScene({ models: { "acme/long": { upstream_model: "long@tokens=2000&ms=20" } } });
    const key = await scene.newKey();
    const streams = await Promise.all(STYLES.map((style) => scene.stream(style, key, "acme/long")));
    // Progress is recorded every five seconds: these streams live somewhat longer.
    const end_ms = performance.now() + 5600;
    await Promise.all(streams.map((stream) => stream.until(() => performance.now() > end_ms)));
    await scene.gateway.stop("SIGKILL");
    await Promise.all(streams.map((stream) => stream.finish()));
    scene.gateway = await scene.gateway.restart();

    for (const stream of streams) {
      const receipt = await scene.ended(stream.request_id);
      expect(receipt).toMatchObject({ status: "settled", estimated: true, operator_loss_micro: 0 });
      const output_tokens = receipt.usage?.output_tokens ?? 0;
      // At least the part that the client had read in five seconds was recorded; one token is four bytes.
      expect(output_tokens).toBeGreaterThan(100);
      expect(output_tokens).toBeLessThanOrEqual(Math.ceil(stream.text.length / 4) + 2);
      expect(receipt.charge_micro).toBe((receipt.usage?.input_tokens ?? 0) + output_tokens * 4);
    }
    expect((await scene.wallet(key)).uncollected_micro).toBe(0);
    await scene.gateway.stop();
    expect((await scene.audit()).problems).toEqual([]);
  });
});

test.concurrent("while the books cannot be written, no new request is accepted, and no charge is lost", async () => {
  await using scene = await startScene({ models: { "acme/paced": { upstream_model: "long@tokens=50&ms=10" } } });
  const key = await scene.newKey();
  const streams = await Promise.all(STYLES.map((style) => scene.stream(style, key, "acme/paced", { cap: 1000 })));
  await Promise.all(streams.map((stream) => stream.until(({ text }) => text !== "")));
  const books = new Database(join(scene.gateway.data, "camino.db"));
  books.run("PRAGMA busy_timeout = 5000");
  books.run("BEGIN IMMEDIATE");
  const finished = Promise.all(streams.map((stream) => stream.finish()));
  const whole = STYLES.map((style) => scene.call(style, key, "acme/paced", { cap: 1000 }));
  // The ledger gives up on new requests after five seconds; answers wait for their settlement for longer.
  for (const response of await Promise.all(whole)) {
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    await response.arrayBuffer();
  }
  // The whole text has arrived by now, and only the end is withheld.
  expect(streams.map(({ ending, text }) => [ending, text.length])).toEqual(streams.map(() => ["open", 200]));
  books.run("ROLLBACK");
  books.close();
  await finished;
  expect(streams.map(({ ending }) => ending)).toEqual(streams.map(() => "complete"));
  for (const { request_id } of streams)
    expect(await scene.ended(request_id)).toMatchObject({ status: "settled", estimated: false });
  expect((await scene.call(chat, key, "acme/paced", { cap: 10 })).status).toBe(200);
  expect((await scene.wallet(key)).uncollected_micro).toBe(0);
  expect(await scene.gateway.stop()).toBe(0);
  expect((await scene.audit()).problems).toEqual([]);
});
