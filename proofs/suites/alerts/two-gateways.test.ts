import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { AlertTarget, AlertTargetList, DeliveryList } from "../../../contract/alerts.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { startMailServer } from "../../support/mail-server.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { startWebhookReceiver } from "../../support/webhook-receiver.ts";

/** Alerts where processes die, receivers are away, and two gateways share a database. */

setDefaultTimeout(120_000);

const EAGER = join(import.meta.dir, "../../support/gateways/eager-gateway.ts");

const config = (to: string): string =>
  `console: { public_url: "http://models.example.com" }\nvendors: { sim: {} }\nalerts: { to: [${to}] }\n`;

test("of two gateways on one database one tells, once to each target, and invitations go out once as well", async () => {
  await using mail = await startMailServer();
  await using hook = await startWebhookReceiver();
  const env = { CAMINO_SMTP_URL: mail.url, CAMINO_SECRET: "one secret for both of the gateways" };
  const text = config(`"webhook:${hook.url}", "mail:ops@example.com"`);
  const database = await freshDatabase();
  await using one = await startGateway({ config: text, env, database, program: EAGER });
  await using two = await startGateway({ config: text, env, database, program: EAGER });
  await one.admin("POST", "/accounts", { email: "poor@example.com", credit: "1" });
  await Promise.all([
    one.admin("POST", "/invitations", { email: "first@example.com" }),
    two.admin("POST", "/invitations", { email: "second@example.com" }),
  ]);
  const told = await hook.first("balance.low");
  await mail.next("ops@example.com");
  await Promise.all([mail.next("first@example.com"), mail.next("second@example.com")]);
  await one.admin("POST", "/accounts/poor@example.com/credits", { amount: "100" });
  await hook.first("balance.low.ended");
  expect(hook.taken.map(({ event }) => event.type)).toEqual(["balance.low", "balance.low.ended"]);
  // Both know the same secret, whichever of them has sent.
  const secrets = await Promise.all([one, two].map((each) => each.admin<AlertTargetList>("GET", "/alerts/targets")));
  for (const { data } of secrets) expect(told.isSignedWith(data[0]?.secret ?? "")).toBe(true);
  for (const to of ["first@example.com", "second@example.com"])
    expect(mail.mails.filter((each) => each.to.includes(to))).toHaveLength(1);
});

test("what was decided is told after the gateway was killed while its receiver was full", async () => {
  await using hook = await startWebhookReceiver();
  hook.behave(507);
  const first = await startGateway({ config: config(`"webhook:${hook.url}"`), program: EAGER });
  await first.admin("POST", "/accounts", { email: "poor@example.com", credit: "1" });
  const refused = await hook.first("balance.low");
  const last = async (of: Gateway) => (await of.admin<DeliveryList>("GET", "/deliveries")).data[0];
  while ((await last(first))?.reason == null) await Bun.sleep(20);
  await first.stop("SIGKILL");
  const before = hook.taken.length;
  hook.behave(204);
  await using again = await first.restart();
  while ((await last(again))?.state !== "delivered") await Bun.sleep(50);
  // The same event, byte for byte and under the same id, and no other.
  expect(hook.taken.length).toBeGreaterThan(before);
  const { id, body } = refused;
  expect(hook.taken.map((each) => ({ id: each.id, body: each.body }))).toEqual(
    Array(hook.taken.length).fill({ id, body }),
  );
});

test("a target that says it is gone hears no more, and hears again once it takes a delivery", async () => {
  await using hook = await startWebhookReceiver();
  await using gateway = await startGateway({ program: EAGER });
  hook.behave(410);
  const target = await gateway.admin<AlertTarget>("POST", "/alerts/targets", { to: `webhook:${hook.url}` });
  await gateway.admin("POST", "/accounts", { email: "poor@example.com", credit: "1" });
  await hook.first("balance.low");
  const read = async (): Promise<AlertTarget | undefined> =>
    (await gateway.admin<AlertTargetList>("GET", "/alerts/targets")).data.find(({ id }) => id === target.id);
  while ((await read())?.ended_reason == null) await Bun.sleep(50);
  expect(await read()).toMatchObject({ ended_reason: "the receiver answered 410" });
  const [delivery] = (await gateway.admin<DeliveryList>("GET", "/deliveries")).data;
  expect(delivery).toMatchObject({ state: "failed", status: 410, attempts: 1 });
  hook.behave(204);
  await gateway.admin("POST", `/deliveries/${delivery?.id}/resend`, {});
  while ((await read())?.ended_reason != null) await Bun.sleep(50);
  expect(hook.taken.map(({ id }) => id)).toEqual([delivery?.id ?? "", delivery?.id ?? ""]);
});
