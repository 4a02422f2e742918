import { OfAccount } from "../../../contract/common.ts";
import type { Live, Overview, SpendWindow } from "../../../contract/overview.ts";
import type { RequestRecord } from "../../core/ledger/ledger.ts";
import { toJsonNumber } from "../../core/money/money.ts";
import type { AccountPulse, AccountStore, SpendWindow as Spend } from "../../core/store/ports.ts";
import { showTotals } from "../../ledger/account-objects.ts";
import { readerOf } from "../answer/actor.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, viewedAccount } from "../answer/scope.ts";
import { showAccount, showTime } from "../show/show.ts";
import { showReceipt } from "../show/show-receipt.ts";
import { showExploration } from "../show/show-usage.ts";

export const overviewRoutes = [
  route("GET /overview", "member", { query: OfAccount, show: readOverview }),
  route("GET /overview/live", "member", { query: OfAccount, show: readLive }),
];

async function readOverview(call: ConsoleCall<unknown, OfAccount>): Promise<Overview> {
  const { accounts, configuration } = call.deps;
  const { currency } = configuration;
  const id = await viewedAccount(call, call.query.account);
  const found = await accounts.readOverview(id);
  if (found === null) throw notFound("account", id);
  const { usage, spend } = found;
  const reader = readerOf(call.actor);
  return {
    object: "overview",
    account: showAccount(found.account, currency),
    currency,
    as_of: showTime(found.as_of_ms),
    spend: { day: showSpend(spend.day), week: showSpend(spend.week), month: showSpend(spend.month) },
    usage: showExploration(usage, {
      by: "day,model",
      since: usage.since,
      until: usage.until,
      currency,
      names: new Map(),
    }),
    running_count: found.running_count,
    running: found.running.map((record) => showReceipt(record, currency, reader)),
    latest: found.latest.map((record) => showReceipt(record, currency, reader)),
  };
}

function showSpend(spend: Spend): SpendWindow {
  return {
    since: spend.since,
    current: showTotals(spend.current),
    previous_since: spend.previous_since,
    previous: showTotals(spend.previous),
    previous_so_far: showTotals(spend.previous_so_far),
  };
}

async function readLive(call: ConsoleCall<unknown, OfAccount>): Promise<Live> {
  const { accounts, configuration } = call.deps;
  const id = await viewedAccount(call, call.query.account);
  const pulse = await accounts.readPulse(id);
  if (pulse === null) throw notFound("account", id);
  const { account } = pulse;
  return {
    object: "live",
    account: account.id,
    version: versionOf(pulse),
    as_of: showTime(pulse.as_of_ms),
    currency: configuration.currency,
    status: account.status,
    balance_micro: toJsonNumber(account.balance_micro),
    uncollected_micro: toJsonNumber(account.held_micro),
    running_count: pulse.running_count,
    running: await showRunning(pulse.running, accounts),
    latest_request: pulse.latest_id,
  };
}

/** A text that changes when money moves or a request begins or ends, and stays equal otherwise. */
function versionOf({ account, running_count, running, latest_id }: AccountPulse): string {
  const ids = running.map(({ id }) => id);
  const facts = [account.status, account.balance_micro, account.held_micro, running_count, latest_id, ...ids];
  return Bun.hash(facts.join(" ")).toString(36);
}

async function showRunning(
  records: readonly RequestRecord[],
  accounts: Pick<AccountStore, "labelKeys">,
): Promise<Live["running"]> {
  if (records.length === 0) return [];
  const labels = await accounts.labelKeys(records.map(({ key_id }) => key_id));
  const names = new Map(labels.map(({ id, name }) => [id, name]));
  return records.map((record) => ({
    id: record.id,
    key_id: record.key_id,
    key_name: names.get(record.key_id) ?? "",
    endpoint: record.endpoint,
    model: record.model,
    stream: record.stream,
    hold_micro: toJsonNumber(record.hold_micro),
    created_at: showTime(record.created_ms),
  }));
}
