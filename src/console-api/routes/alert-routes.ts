import { ACCOUNT_ALERT_TYPES, type AlertTypeName } from "../../../contract/alert-types.ts";
import {
  AddTarget,
  type AlertList,
  type AlertTarget,
  type AlertTargetList,
  DeliveriesQuery,
  type Delivery,
  type DeliveryList,
  type TestedTarget,
} from "../../../contract/alerts.ts";
import { type Deleted, OfAccount } from "../../../contract/common.ts";
import type { AlertData, AlertEvent } from "../../alerts/alert-event.ts";
import { alertWords } from "../../alerts/alert-words.ts";
import { MS_PER_DAY } from "../../core/clock.ts";
import type { DeliveryRecord } from "../../core/deliveries/deliveries.ts";
import type { DeliveryTarget } from "../../core/deliveries/targets.ts";
import { USAGE_TYPE, type UsagePortion } from "../../core/deliveries/usage-events.ts";
import { GatewayError, invalidRequest } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { type Actor, isFullAdministrator, mayIn, nameOf } from "../answer/actor.ts";
import { drawsOf, madeOnce } from "../answer/made-once.ts";
import { readPage, showPage } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccounts, requireScope } from "../answer/scope.ts";
import { showTime } from "../show/show.ts";

/** Alerts: those that are open, the targets that they go to, and their deliveries. */
export const alertRoutes = [
  route("GET /alerts", "member", { query: OfAccount, show: listAlerts }),
  route("GET /alerts/targets", "member", { query: OfAccount, show: listTargets }),
  route("POST /alerts/targets", "member", { audit: "alert.add", body: AddTarget, make: addTarget }),
  route("DELETE /alerts/targets/{target}", "member", { audit: "alert.remove", show: removeTarget }),
  route("POST /alerts/targets/{target}/test", "member", {
    audit: { none: "it changes nothing that stays" },
    show: testTarget,
  }),
  route("GET /deliveries", "member", { query: DeliveriesQuery, show: listDeliveries }),
  route("POST /deliveries/{delivery}/resend", "member", {
    audit: { none: "it sends again what was sent before" },
    show: resendDelivery,
  }),
];

/** The account of a call, or the gateway (null), which is for administrators and for management keys of the whole gateway. */
async function scopeOf(call: ConsoleCall, account: string | undefined): Promise<string | null> {
  const account_id = await requireAccounts(call, account);
  if (account_id !== null || isOfGateway(call.actor)) return account_id;
  throw invalidRequest("'account' is missing; allowed: an account id or e-mail address.", "account");
}

function isOfGateway(actor: Actor): boolean {
  return isFullAdministrator(actor) || (actor.kind === "management-key" && actor.account_id === null);
}

async function listAlerts(call: ConsoleCall<unknown, OfAccount>): Promise<AlertList> {
  const rows = await call.deps.deliveries.listAlerts(await scopeOf(call, call.query.account));
  const open = rows.filter(({ ended_ms }) => ended_ms === null);
  return {
    object: "list",
    data: open.map(({ type, account_id, data: text, began_ms, told_ms }) => {
      const data = JSON.parse(text) as AlertData;
      const since = showTime(began_ms);
      const { title } = alertWords({ type, timestamp: since, data });
      return {
        type,
        account: account_id,
        title,
        data: { ...data },
        since,
        told_at: told_ms === null ? null : showTime(told_ms),
      };
    }),
  };
}

async function listTargets(call: ConsoleCall<unknown, OfAccount>): Promise<AlertTargetList> {
  const account_id = await scopeOf(call, call.query.account);
  const { alerts } = call.deps;
  const targets = (await alerts.targets()).filter((target) => target.account_id === account_id);
  return { object: "list", data: targets.map((target) => showTarget(call, target)), mail: alerts.sends_mail };
}

function showTarget({ deps, actor }: ConsoleCall, target: DeliveryTarget): AlertTarget {
  const { id, account_id, channel, address, types, is_of_file, created_ms, ended_ms, ended_reason } = target;
  const may_change =
    account_id === null
      ? isFullAdministrator(actor) || (actor.kind === "management-key" && actor.scopes.has("alerts:write"))
      : mayIn(actor, account_id, "alerts:write");
  return {
    ...{ id, account: account_id, channel, to: shownAddress({ channel, address }, may_change) },
    ...{ types: types && [...types], of_file: is_of_file },
    created_at: created_ms === null ? null : showTime(created_ms),
    ended_at: ended_ms === null ? null : showTime(ended_ms),
    ended_reason,
    ...(may_change && channel === "webhook" && { secret: deps.alerts.secretOf(id) }),
  };
}

/** A storage's key and secret are shown to nobody. */
function shownAddress({ channel, address }: Pick<DeliveryTarget, "channel" | "address">, may_change: boolean): string {
  if (channel === "mail" || (may_change && channel !== "s3")) return address;
  if (channel === "file") return "…";
  const { host, origin, pathname } = new URL(address);
  return may_change ? `${origin}${pathname}` : `${host}/…`;
}

async function addTarget(call: ConsoleCall<AddTarget>): Promise<AlertTarget> {
  const { deps, actor, body, note } = call;
  const account_id = await scopeOf(call, body.account);
  const { channel, address } = await readTo(call, body.to, account_id);
  const types = body.types ?? null;
  if (account_id !== null) refuseGatewayTypes(types);
  const draws = drawsOf(call);
  const id = newId("tgt", draws.id);
  const made = { id, account_id, channel, types, created_by: nameOf(actor) };
  const record = await madeOnce(draws, {
    make: () => deps.deliveries.addTarget({ ...made, sealed: deps.alerts.seal(id, address) }, note),
    findEarlier: () => deps.deliveries.findTarget(id),
  });
  deps.alerts.wake();
  const target = deps.alerts.open(record);
  if (target === null) throw notFound("target", id);
  return showTarget(call, target);
}

function refuseGatewayTypes(types: readonly AlertTypeName[] | null): void {
  const wrong = types?.find((type) => !ACCOUNT_ALERT_TYPES.includes(type));
  if (wrong === undefined) return;
  const message = `'types' has ${wrong}, which the gateway's operator hears; allowed for an account: ${ACCOUNT_ALERT_TYPES.join(", ")}.`;
  throw invalidRequest(message, "types");
}

const ADDRESS = /^[^\s@<>",;]+@[^\s@<>",;]+$/;

/** Throws a 400 for what no target can be. An account's mails go to its members alone: strangers did not ask for them. */
async function readTo(call: ConsoleCall, text: string, account_id: string | null) {
  const [, channel = "", address = ""] = /^(mail|webhook|slack):(.*)$/s.exec(text.trim()) ?? [];
  const refuse = (why: string): GatewayError => invalidRequest(`'to' is not a target: ${why}.`, "to");
  const { alerts, users } = call.deps;
  if (channel === "webhook" || channel === "slack") {
    const problem = alerts.problemOf(address, account_id);
    if (problem !== null) throw refuse(`the address is ${problem}`);
    return { channel, address } as const;
  }
  if (channel !== "mail" || !ADDRESS.test(address))
    throw refuse('it begins with "mail:", "webhook:" or "slack:", and an address follows');
  if (!alerts.sends_mail) throw refuse("this gateway sends no mail");
  if (account_id !== null && !isFullAdministrator(call.actor)) {
    const user = await users.findUser(address);
    if (user === null || (await users.findMember(account_id, user.id)) === null)
      throw refuse("mails of an account's alerts go to its members' addresses; an administrator may name others");
  }
  return { channel, address } as const;
}

/** The target by id, where the actor may see it. Throws 404 and 403. */
async function requireTarget(call: ConsoleCall): Promise<DeliveryTarget> {
  const id = call.params.target ?? "";
  const target = (await call.deps.alerts.targets()).find((each) => each.id === id);
  if (target === undefined || !mayKnow(call, target.account_id)) throw notFound("target", id);
  if (target.account_id !== null) requireScope(call, target.account_id);
  return target;
}

function mayKnow({ actor }: ConsoleCall, account_id: string | null): boolean {
  return account_id === null ? isOfGateway(actor) : mayIn(actor, account_id, "alerts:read");
}

async function removeTarget(call: ConsoleCall): Promise<Deleted> {
  const { id, is_of_file, types } = await requireTarget(call);
  if (is_of_file) {
    const section = types?.includes(USAGE_TYPE) ? "usage_events.to" : "alerts.to";
    const message = `The configuration's file names this target: take it out of ${section} there, and start again.`;
    throw new GatewayError("invalid_request", message);
  }
  if (!(await call.deps.deliveries.removeTarget(id, call.note))) throw notFound("target", id);
  call.deps.alerts.wake();
  return { id, deleted: true };
}

/** Sends a test now. What the receiver says against it is part of the answer. */
async function testTarget(call: ConsoleCall): Promise<TestedTarget> {
  const target = await requireTarget(call);
  const reason = await call.deps.alerts.test(target);
  return { id: target.id, sent: reason === null, reason };
}

async function listDeliveries(call: ConsoleCall<unknown, DeliveriesQuery>): Promise<DeliveryList> {
  const account_id = await scopeOf(call, call.query.account);
  const page = readPage(call.query);
  const found = await call.deps.deliveries.listDeliveries({ account_id, ...page, limit: page.limit + 1 });
  return showPage(found, page, showDelivery);
}

function showDelivery(record: DeliveryRecord): Delivery {
  const { id, account_id, target_id, channel, type, created_ms, state, attempts, status, reason } = record;
  const title = titleOf(JSON.parse(record.body));
  return {
    ...{ id, account: account_id, target: target_id, channel, type, title, created_at: showTime(created_ms) },
    ...{ state, attempts, status, reason },
    due_at: record.due_ms === null ? null : showTime(record.due_ms),
    ended_at: record.ended_ms === null ? null : showTime(record.ended_ms),
  };
}

function titleOf(told: AlertEvent | UsagePortion): string {
  if (!("events" in told)) return alertWords(told).title;
  const { events, parts } = told;
  const accounts = parts.length === 1 ? parts[0]?.account_id : `${parts.length} accounts`;
  return `${events} usage ${events === 1 ? "event" : "events"} of ${accounts}`;
}

async function resendDelivery(call: ConsoleCall): Promise<Delivery> {
  const id = call.params.delivery ?? "";
  const { deliveries, alerts } = call.deps;
  const found = await deliveries.findDelivery(id);
  if (found === null || !mayKnow(call, found.account_id)) throw notFound("delivery", id);
  if (found.account_id !== null) requireScope(call, found.account_id);
  if (!(await deliveries.resendDelivery(id, MS_PER_DAY))) throw notFound("delivery", id);
  alerts.wake();
  return showDelivery((await deliveries.findDelivery(id)) ?? found);
}
