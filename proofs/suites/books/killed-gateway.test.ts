import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type Ran, runHere } from "../../support/camino.ts";
import type { TestKey } from "../../support/gateway.ts";
import { type Scene, startScene } from "../failures/support/scene.ts";
import { chat } from "../failures/support/styles.ts";

/** `camino audit` and `camino doctor` on the file of a gateway that was killed, before the next start. */

setDefaultTimeout(120_000);

const MODEL = "acme/echo";

interface AuditOutput {
  readonly right: boolean;
  readonly requests: number;
  readonly waiting: { readonly operations: number; readonly charged_micro: number };
}

function batchesIn(data: string): number {
  using database = new Database(join(data, "camino.db"), { readonly: true });
  return (
    database
      .query<{ rows: number }, []>('SELECT count(*) AS rows FROM journal WHERE batch <> \'{"texts":[],"ops":[]}\'')
      .get()?.rows ?? 0
  );
}

/** Kills the gateway so soon after calls that their ends wait in its journal: most often at the first try. Returns how many were answered. */
async function killWithWaiting(scene: Scene, key: TestKey): Promise<number> {
  let answered = 0;
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 5 }, () => scene.call(chat, key, MODEL)));
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
      answered += 1;
    }
    await scene.gateway.stop("SIGKILL");
    if (batchesIn(scene.gateway.data) > 0) return answered;
    scene.gateway = await scene.gateway.restart();
  }
}

test("what waits in the journal is told with what it charged, is no fault, and is in the tables after the next start", async () => {
  await using scene = await startScene({ models: { [MODEL]: {} } });
  const { data } = scene.gateway;
  const camino = (...words: string[]): Promise<Ran> => runHere(words, { cwd: data, env: { CAMINO_DATA: data } });
  const audit = async (): Promise<AuditOutput> => JSON.parse((await camino("audit", "--json")).stdout) as AuditOutput;
  const key = await scene.newKey();
  const answered = await killWithWaiting(scene, key);

  const { right, requests, waiting } = await audit();
  expect(right).toBe(true);
  expect(requests).toBeLessThan(answered);
  expect(waiting.operations).toBeGreaterThanOrEqual(answered - requests);
  expect(waiting.charged_micro).toBeGreaterThan(0);
  const told = new RegExp(
    `Not lost, .*: ${waiting.operations} acknowledged operations? in the journal, 0\\.\\d+ charged`,
  );
  expect(await camino("audit")).toMatchObject({ status: 0, stdout: expect.stringMatching(told) });
  const doctor = await camino("doctor", "--config", join(data, "camino.yaml"), "--json");
  const { checks } = JSON.parse(doctor.stdout) as { checks: { subject: string; outcome: string; detail: string }[] };
  const database = checks.find(({ subject }) => subject === "database");
  expect(database).toMatchObject({ outcome: "note", detail: expect.stringMatching(told) });

  const before_micro = await chargedIn(data);
  scene.gateway = await scene.gateway.restart();
  await scene.gateway.stop();
  expect(await audit()).toMatchObject({
    right: true,
    requests: answered,
    waiting: { operations: 0, charged_micro: 0 },
  });
  expect(await chargedIn(data)).toBe(before_micro + waiting.charged_micro);
});

async function chargedIn(data: string): Promise<number> {
  using database = new Database(join(data, "camino.db"), { readonly: true });
  const sum = "SELECT -coalesce(sum(amount_micro), 0) AS micro FROM entries WHERE kind = 'charge'";
  return database.query<{ micro: number }, []>(sum).get()?.micro ?? 0;
}
