import { afterAll, beforeAll, test } from "bun:test";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { Caller } from "../../support/calls.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { provesWhole, say, startScene, VENDOR_KEY } from "./scene.ts";

const SECRET = "one secret for both of the gateways";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ api_key: VENDOR_KEY });
});
afterAll(() => simulator.stop());

test("two gateways on one database tell each event in order, also where one of them is killed", async () => {
  await using scene = await startScene(simulator);
  const shared = { config: scene.config, database: await freshDatabase(), env: { CAMINO_SECRET: SECRET } };
  const one = await startGateway(shared);
  await using two = await startGateway(shared);
  const keys = [await two.newKey(), await two.newKey()];
  const callBoth = async (gateways: readonly Gateway[]): Promise<void> => {
    const calls = gateways.flatMap((gateway) => keys.map(({ key }) => say(new Caller(gateway, key))));
    await Promise.all(calls.map((call) => call.catch(() => "")));
  };
  for (let round = 0; round < 4; round += 1) await callBoth([one, two]);
  const dying = callBoth([one, two]);
  await one.stop("SIGKILL");
  await dying;
  await one[Symbol.asyncDispose]();
  await callBoth([two]);
  for (const { account } of keys) for (const told of Object.values(scene.told)) await provesWhole(two, account, told);
}, 240_000);
