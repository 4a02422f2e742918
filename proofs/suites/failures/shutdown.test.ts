import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { ClientStream } from "./support/client-stream.ts";
import { eventually, type Scene, type SceneOptions, startScene } from "./support/scene.ts";
import { chat, STYLES } from "./support/styles.ts";

/** SIGTERM: running requests are finished and settled, no new ones are accepted, and the status is 0. */

const TOKENS = 40;
/** The tokens that stalling vendors send before they fall silent. */
const DELIVERED = 4;
const STALLING = `long@tokens=20&fault=stall-mid&after=${DELIVERED}`;
const MODELS = {
  "acme/paced": { upstream_model: `long@tokens=${TOKENS}&ms=15` },
  "acme/stalls": { upstream_model: STALLING },
  "acme/late": { upstream_model: "slow-first-byte@first_ms=400" },
  "patient/stalls": { upstream_model: STALLING },
  "patient/paced": { upstream_model: `long@tokens=${TOKENS}&ms=15` },
};

function start(options: Partial<SceneOptions> = {}): Promise<Scene> {
  return startScene({ models: MODELS, vendors: { patient: { on_disconnect: "drain" } }, ...options });
}

/** Resolves when the gateway has written the message to its log. */
async function logged(scene: Scene, message: string): Promise<void> {
  await eventually(message, async () => (scene.gateway.log().includes(`"${message}"`) ? true : null));
}

async function openStreams(scene: Scene, model: string): Promise<ClientStream[]> {
  const key = await scene.newKey();
  const streams = await Promise.all(STYLES.map((style) => scene.stream(style, key, model, { cap: 1000 })));
  await Promise.all(streams.map((stream) => stream.until(({ text }) => text !== "")));
  return streams;
}

describe("SIGTERM", () => {
  test("lets running requests finish, settles them, and ends with 0", async () => {
    await using scene = await start();
    const staying = await openStreams(scene, "acme/paced");
    const left = await openStreams(scene, "acme/stalls");
    const drained = await openStreams(scene, "patient/paced");
    const whole = scene.call(chat, await scene.newKey(), "acme/late");
    await eventually("the call", async () => scene.simulator.log.count("slow-first-byte@first_ms=400") || null);
    await Promise.all(left.map((stream) => stream.until(({ text }) => text.length === DELIVERED * 4)));
    for (const stream of [...left, ...drained]) stream.leave();
    scene.gateway.signal("SIGTERM");
    await logged(scene, "draining");

    // What was on its way is still taken; then no new connection is accepted while the old requests go on.
    const connects = () => fetch(`${scene.gateway.url}/readyz`, { keepalive: false });
    await eventually("a refused connection", () =>
      connects().then(
        () => null,
        () => true,
      ),
    );
    expect(staying.map(({ ending }) => ending)).toEqual(staying.map(() => "open"));
    await Promise.all(staying.map((stream) => stream.finish()));
    expect(staying.map(({ ending, text }) => [ending, text.length])).toEqual(
      staying.map(() => ["complete", TOKENS * 4]),
    );
    expect((await whole).status).toBe(200);
    expect(await scene.gateway.exited).toBe(0);

    await startAgainWithoutRecovery(scene);
    for (const { request_id } of [...staying, ...drained]) {
      const receipt = await scene.ended(request_id);
      expect(receipt).toMatchObject({ status: "settled", estimated: false, error: null });
      expect(receipt.usage?.output_tokens).toBe(TOKENS);
    }
    await expectDeliveredCharged(scene, left);
  });

  test("a second time cuts the requests that still run, drained or not, and settles them", async () => {
    await using scene = await start();
    const staying = await openStreams(scene, "acme/stalls");
    const drained = await openStreams(scene, "patient/stalls");
    const all = [...staying, ...drained];
    await Promise.all(all.map((stream) => stream.until(({ text }) => text.length === DELIVERED * 4)));
    for (const stream of drained) stream.leave();
    scene.gateway.signal("SIGTERM");
    await logged(scene, "draining");
    scene.gateway.signal("SIGTERM");
    await Promise.all(staying.map((stream) => stream.finish()));
    expect(staying.map(({ ending }) => ending)).toEqual(staying.map(() => "open"));
    expect(await scene.gateway.exited).toBe(0);
    await startAgainWithoutRecovery(scene);
    await expectDeliveredCharged(scene, all);
  });
});

describe("SIGINT", () => {
  test("drains too, and running requests are cut when the time for draining is over", async () => {
    await using scene = await start({ program: join(import.meta.dir, "../../support/gateways/impatient-gateway.ts") });
    const streams = [...(await openStreams(scene, "acme/stalls")), ...(await openStreams(scene, "patient/stalls"))];
    await Promise.all(streams.map((stream) => stream.until(({ text }) => text.length === DELIVERED * 4)));
    streams.at(-1)?.leave();
    expect(await scene.gateway.stop("SIGINT")).toBe(0);
    await startAgainWithoutRecovery(scene);
    await expectDeliveredCharged(scene, streams);
  });
});

/** Expects sound books, and no request that the next process had to end. */
async function startAgainWithoutRecovery(scene: Scene): Promise<void> {
  expect((await scene.audit()).problems).toEqual([]);
  scene.gateway = await scene.gateway.restart();
}

async function expectDeliveredCharged(scene: Scene, streams: readonly ClientStream[]): Promise<void> {
  for (const { request_id } of streams) {
    const receipt = await scene.ended(request_id);
    expect(receipt).toMatchObject({ status: "settled", estimated: true, operator_loss_micro: 0 });
    // Recovery sets no duration, so the process that served the request has settled it.
    expect(receipt.duration_ms).not.toBeNull();
    expect(receipt.usage?.output_tokens).toBeGreaterThan(0);
  }
}

describe("a gateway at rest", () => {
  test("lets streams of a revoked key end normally, and refuses its next request", async () => {
    await using scene = await start();
    for (const verb of ["disable", "revoke"]) {
      const key = await scene.newKey();
      const stream = await scene.stream(chat, key, "acme/paced");
      await stream.until(({ text }) => text !== "");
      await scene.gateway.admin("POST", `/keys/${key.id}/${verb}`);
      const refused = await scene.call(chat, key, "acme/paced");
      expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining("api_key_inactive")]);
      await stream.finish();
      expect(stream.ending).toBe("complete");
      expect(await scene.ended(stream.request_id)).toMatchObject({ status: "settled", estimated: false, error: null });
    }
    // No request runs now, but connections are open.
    const asked_ms = performance.now();
    expect(await scene.gateway.stop("SIGTERM")).toBe(0);
    expect(performance.now() - asked_ms).toBeLessThan(10_000);
  });
});
