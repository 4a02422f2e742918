import type { DeliveryStore } from "../../core/deliveries/delivery-store.ts";
import { newId } from "../../core/ids.ts";
import { NOTE } from "./people.ts";

/** One of each kind that facts are read of. */
const EVERY_ALERT = [
  ...[["balance.low", "acct_1"] as const, ["key.expiring", "key_1"] as const],
  ...(["account acct_1", "project proj_1", "key key_1"] as const).map((each) => ["budget.reached", each] as const),
  ...(["acme", "acme swift"] as const).map((each) => ["vendor.failing", each] as const),
];

/** Calls every method of the port of deliveries. */
export async function callDeliveries(deliveries: DeliveryStore): Promise<void> {
  const letter = { id: newId("link"), kind: "password-reset", recipient: "b@example.com" } as const;
  await deliveries.addLetter({ ...letter, asked_from: null, ttl_ms: 60_000 });
  await deliveries.addLetter({ ...letter, id: newId("link"), asked_from: "::1", ttl_ms: 60_000 });
  const told = { kind: "alert", channel: "webhook", type: "balance.low", body: "{}", asked_from: null } as const;
  const id = newId("dlv");
  await deliveries.addDelivery({ id, ...told, recipient: "tgt_1", account_id: null, ttl_ms: 60_000 });
  for (const over of ["mail", "http"] as const) {
    const { delivery } = await deliveries.claimDelivery({ over, lease_ms: 10, busy: ["tgt_2"] });
    if (delivery !== null) await deliveries.delayDelivery(delivery, 10, { status: 503, reason: "busy" });
    await deliveries.endDelivery({ id, kind: over === "mail" ? "password-reset" : "alert", attempts: 1 }, null);
  }
  await callUsage(deliveries);
  await deliveries.listDeliveries({ account_id: null, limit: 5 });
  await deliveries.listDeliveries({ account_id: "acct_1", limit: 5, before_id: id });
  await deliveries.findDelivery(id);
  await deliveries.resendDelivery(id, 60_000);
  await deliveries.dropDeliveries(0, 0);
  const target = { id: newId("tgt"), account_id: null, channel: "webhook", sealed: "{}", types: null } as const;
  await deliveries.addTarget({ ...target, created_by: "admin-token" }, NOTE);
  await deliveries.listTargets();
  await deliveries.findTarget(target.id);
  await deliveries.endTarget(target.id, "gone");
  await deliveries.reopenTarget(target.id);
  await deliveries.removeTarget(target.id, NOTE);
  await deliveries.openAlerts();
  for (const open of [[], EVERY_ALERT.map(([type, subject]) => ({ type, subject }))]) {
    await deliveries.readAlertFacts(null, open);
    await deliveries.readAlertFacts(["acct_1", "acct_2"], open);
  }
  await deliveries.claimAlertLook(60_000);
  for (const account_id of ["acct_1", null]) {
    const found = {
      type: "balance.low",
      subject: "acct_1",
      account_id: "acct_1",
      level: 1,
      data: "{}",
      holds: "yes" as const,
    };
    const listeners = [{ target_id: target.id, channel: "webhook", types: null }] as const;
    await deliveries.lookAtAlerts({ account_id, findings: [found], is_whole: true, listeners });
    await deliveries.listAlerts(account_id);
  }
}

async function callUsage(deliveries: DeliveryStore): Promise<void> {
  const target_id = newId("tgt");
  await deliveries.beginUsage(target_id);
  const accounts = await deliveries.findUnsentUsage(target_id, "", 5);
  const about = { target_id, accounts: [...accounts, "acct_1"], has_others: false, most_events: 5, every_ms: 0 };
  await deliveries.cutUsage({ ...about, channel: "webhook", is_by_account: true });
  await deliveries.cutUsage({ ...about, channel: "s3", is_by_account: false });
  await deliveries.claimDelivery({ over: "usage", lease_ms: 10, targets: [target_id] });
  await deliveries.readUsage([{ account_id: "acct_1", after_seq: 0, to_seq: 5, after_cursor: 0 }]);
}
