import { expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { type FaultyProxy, faultyProxy, throughProxy } from "../../support/faulty-proxy.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { eventually, type Scene, startScene } from "./support/scene.ts";
import { chat, responses, STYLES } from "./support/styles.ts";

/** Two gateways on one PostgreSQL, of which one is paused or both lose the database (docs/rulings.md 146, 147). */

const SHARED = { CAMINO_SECRET: "a secret that both have, of no value", CAMINO_ADMIN_TOKEN: "admin-token-of-both" };
const MODELS = {
  "acme/quick": { upstream_model: "long@tokens=5" },
  "acme/slow": { upstream_model: "long@tokens=2000&ms=12" },
  "acme/long": { upstream_model: "long@tokens=20000&piece=20&ms=12" },
};
/** The tokens in a piece of the long answer, and a piece's lengths by which it may miss the end of the hold. */
const PIECE_TOKENS = 110;
/** What each of the answers costs: nobody may pay less, or more. */
const SLOW_OUTPUT = 2000 * 4;

test.concurrent("an outage of 20 seconds makes no running answer free, whoever wakes up first, and clients are told", async () => {
  const database = await freshDatabase();
  await using cleared = new AsyncDisposableStack();
  const start = async (): Promise<[Scene, FaultyProxy]> => {
    const proxy = cleared.use(await faultyProxy(Number(new URL(database).port)));
    const scene = await startScene({ models: MODELS, env: SHARED, database: throughProxy(database, proxy) });
    return [cleared.use(scene), proxy];
  };
  const [[first, first_proxy], [second, second_proxy]] = await Promise.all([start(), start()]);
  const scenes = [first, second];
  const key = await first.newKey({ credit: "100" });
  await Promise.all(scenes.map(async (scene) => (await scene.call(chat, key, "acme/quick")).arrayBuffer()));
  const running = scenes.flatMap((scene) =>
    STYLES.flatMap((style) => [
      scene.call(style, key, "acme/slow", { cap: 2000, stream: true }),
      scene.call(style, key, "acme/slow", { cap: 2000 }),
    ]),
  );
  await eventually("all holds", async () =>
    (await second.wallet(key)).uncollected_micro > running.length * SLOW_OUTPUT ? true : null,
  );
  for (const proxy of [first_proxy, second_proxy]) proxy.stall();
  const began_ms = performance.now();
  const refused = await Promise.all(scenes.map((scene) => scene.call(chat, key, "acme/quick")));
  for (const answer of refused) {
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    await answer.arrayBuffer();
  }
  for (const scene of scenes) expect((await fetch(`${scene.gateway.url}/readyz`)).status).toBe(503);
  const reading = ["/v1/usage", "/v1/credits", "/v1/models", "/v1/requests/req_1", "/v1/responses/resp_1"];
  for (const path of reading) {
    const answer = await fetch(first.gateway.url + path, { headers: { authorization: `Bearer ${key.key}` } });
    expect([path, answer.status, answer.headers.get("retry-after")]).toEqual([path, 503, "2"]);
    expect(await answer.json()).toMatchObject({ error: { code: "model_unavailable" } });
  }
  await Bun.sleep(16_000 - (performance.now() - began_ms));
  first_proxy.flow();
  await Bun.sleep(6_000);
  second_proxy.flow();

  const answers = await Promise.all(running);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  for (const answer of answers) {
    const receipt = await first.ended(answer.headers.get("x-camino-request-id") ?? "");
    expect(receipt).toMatchObject({ status: "settled", estimated: false, late: false, operator_loss_micro: 0 });
    expect(receipt.charge_micro - (receipt.usage?.input_tokens ?? 0)).toBe(SLOW_OUTPUT);
  }
  await eventually("readiness", async () => ((await fetch(`${second.gateway.url}/readyz`)).ok ? true : null));
  expect((await first.wallet(key)).uncollected_micro).toBe(0);
}, 90_000);

test.concurrent("a stream without a cap uses up what it holds while the database is away, and is charged for that", async () => {
  const database = await freshDatabase();
  await using cleared = new AsyncDisposableStack();
  const proxy = cleared.use(await faultyProxy(Number(new URL(database).port)));
  const scene = cleared.use(await startScene({ models: MODELS, database: throughProxy(database, proxy) }));
  const key = await scene.newKey({ credit: "100" });
  const streams = await Promise.all([chat, responses].map((style) => scene.stream(style, key, "acme/long")));
  proxy.stall();
  await Bun.sleep(12_000);
  proxy.flow();
  for (const running of streams) {
    const stream = await running.finish();
    expect([stream.ending, stream.broken_law]).toEqual(["length", null]);
    const receipt = await scene.ended(stream.request_id);
    expect(receipt).toMatchObject({ status: "settled", error: null, operator_loss_micro: 0 });
    const tokens = countTokens(stream.text);
    expect(tokens).toBeGreaterThan(4096 - 2 * PIECE_TOKENS);
    expect(receipt.usage?.output_tokens).toBe(tokens);
    expect(receipt.charge_micro).toBe((receipt.usage?.input_tokens ?? 0) + tokens * 4);
    // The hold of one extension more was asked for, and none was delivered.
    expect(tokens).toBeLessThan(4096 + 1024);
  }
  expect((await scene.wallet(key)).uncollected_micro).toBe(0);
}, 90_000);

test.concurrent("a gateway that was paused is taken for dead, and what it ends afterwards is booked late, once", async () => {
  const options = { models: MODELS, env: SHARED, database: await freshDatabase() };
  const [paused, well] = await Promise.all([startScene(options), startScene(options)]);
  await using cleared = new AsyncDisposableStack();
  for (const scene of [paused, well]) cleared.use(scene);
  const key = await well.newKey({ credit: "100" });
  const running = STYLES.map((style) => paused.call(style, key, "acme/slow", { cap: 2000 }));
  await eventually("all holds", async () =>
    (await well.wallet(key)).uncollected_micro > running.length * SLOW_OUTPUT ? true : null,
  );
  process.kill(paused.gateway.pid, "SIGSTOP");
  try {
    await eventually(
      "the end of the holds",
      async () => ((await well.wallet(key)).uncollected_micro === 0 ? true : null),
      40_000,
      200,
    );
  } finally {
    process.kill(paused.gateway.pid, "SIGCONT");
  }
  const answers = await Promise.all(running);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  for (const answer of answers) {
    const receipt = await well.ended(answer.headers.get("x-camino-request-id") ?? "");
    expect(receipt).toMatchObject({ status: "settled", estimated: false, late: true, operator_loss_micro: 0 });
    expect(receipt.charge_micro - (receipt.usage?.input_tokens ?? 0)).toBe(SLOW_OUTPUT);
  }
  const entries = await well.entries(key);
  expect(entries.filter(({ kind }) => kind === "correction")).toHaveLength(STYLES.length);
  expect(await fetch(`${paused.gateway.url}/metrics`).then((answer) => answer.text())).toContain(
    `camino_late_settlements_total{end="settled"} ${STYLES.length}`,
  );
  expect((await well.audit()).problems).toEqual([]);
}, 90_000);
