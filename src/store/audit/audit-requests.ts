import type { AuditFinding, VendorUse } from "../../core/ledger/books-audit.ts";
import type { RequestStatus } from "../../core/ledger/ledger.ts";
import { MAX_MICRO } from "../../core/money/money.ts";
import { costOf } from "../../core/money/price.ts";
import { totalInput } from "../../core/money/usage.ts";
import { dayOf } from "../../limits/windows.ts";
import { type UsageColumns, usageOf } from "../accounts/request-rows.ts";
import { ATTEMPT_COLUMNS, type AttemptRow, type RowTexts, readTexts } from "../batch/row-texts.ts";
import { lookup, sql } from "../sql/statement.ts";
import { toInt, toIntOrNull, toMicro } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";
import { type RuledRequest, ruledRequests } from "./audit-rule-sums.ts";
import { finding } from "./finding.ts";

/** A page of an account's requests in the order of their admission, each with its one charge. */
export interface RequestsAsked {
  readonly account_id: string;
  readonly after: { readonly created_ms: number; readonly seq: number };
  /** Days, both inclusive, whose use of vendors is asked for; null for none. */
  readonly vendor_days: readonly [first: number, last: number] | null;
  readonly limit: number;
}

export interface RequestsSlice {
  readonly count: number;
  readonly findings: readonly AuditFinding[];
  readonly next: RequestsAsked["after"] | null;
  /** The place of the last request; null for an empty page. */
  readonly last: RequestsAsked["after"] | null;
  readonly days: readonly number[];
  readonly vendor_use: readonly VendorUse[];
  readonly ruled: readonly RuledRequest[];
}

const selectPage = sql(
  `SELECT seq, id, key_id, model_no, status, price_no, charge_micro, operator_loss_micro, input_tokens, cache_read_tokens,
      cache_write_tokens, output_tokens, reasoning_tokens, usage_extra, estimated, ${ATTEMPT_COLUMNS}, upstream_cost_micro,
      created_ms, ended_ms, charge_seq, rules
    FROM requests WHERE account_id = ? AND (created_ms, seq) > (?, ?) ORDER BY created_ms, seq LIMIT ?`,
);
const CHARGE = "SELECT request_id, account_id, amount_micro FROM entries";
const selectNamed = lookup(CHARGE, { account_id: "text", seq: "bigint" });

interface AuditedRequestRow extends UsageColumns, AttemptRow {
  readonly seq: unknown;
  readonly id: string;
  readonly model_no: unknown;
  readonly status: RequestStatus;
  readonly price_no: unknown;
  readonly charge_micro: unknown;
  readonly operator_loss_micro: unknown;
  readonly estimated: unknown;
  readonly upstream_cost_micro: unknown;
  readonly created_ms: unknown;
  readonly ended_ms: unknown;
  readonly rules: string | null;
  readonly charge_seq: unknown;
}

interface ChargeRow {
  readonly request_id: string | null;
  readonly account_id: string;
  readonly amount_micro: unknown;
}

export function* auditRequests(asked: RequestsAsked): Work<RequestsSlice> {
  const { account_id, after, limit } = asked;
  const page = yield* rows<AuditedRequestRow>(selectPage, [account_id, after.created_ms, after.seq, limit]);
  const texts = yield* readTexts(page, ["model_no", "price_no", "attempt_no"]);
  const charges = yield* chargesOf(account_id, page);
  const findings: AuditFinding[] = [];
  const days = new Set<number>();
  const uses = new Uses(asked.vendor_days, texts);
  for (const request of page) {
    findings.push(
      ...auditCharge(request, account_id, charges.get(request.id)),
      ...auditCost(request, account_id, texts),
    );
    const ended_ms = toIntOrNull(request.ended_ms);
    if (ended_ms === null) continue;
    days.add(dayOf(ended_ms));
    uses.add(request, dayOf(ended_ms));
  }
  const end = page.at(-1);
  const last = end === undefined ? null : { created_ms: toInt(end.created_ms), seq: toInt(end.seq) };
  const next = page.length === limit ? last : null;
  const ruled = ruledRequests(page);
  return { count: page.length, findings, next, days: [...days], vendor_use: uses.list, ruled, last };
}

function* chargesOf(account_id: string, page: readonly AuditedRequestRow[]): Work<Map<string | null, ChargeRow>> {
  const named = page.flatMap(({ charge_seq }) => (charge_seq === null ? [] : [[account_id, toInt(charge_seq)]]));
  const found = yield* rows<ChargeRow>(selectNamed, named);
  return new Map(found.map((entry) => [entry.request_id, entry]));
}

function auditCharge(request: AuditedRequestRow, account_id: string, entry: ChargeRow | undefined): AuditFinding[] {
  const found = toMicro(request.charge_micro);
  const expected = -toMicro(entry?.amount_micro ?? 0);
  if (found === expected && (entry === undefined || entry.account_id === account_id)) return [];
  const place = { account_id, request_id: request.id };
  return [finding("charge", place, "the charge is not the one entry of the request", { found, expected })];
}

/** The cost of a request's usage at its frozen price equals its charge plus what could not be charged (docs/rulings.md 23). */
function auditCost(request: AuditedRequestRow, account_id: string, texts: RowTexts): AuditFinding[] {
  if (request.status === "held" || request.input_tokens === null) return [];
  const place = { account_id, request_id: request.id };
  let cost: bigint;
  try {
    cost = costOf(usageOf(request), texts.price(request.price_no));
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const problem = `usage and price cannot be read (${reason})`;
    return [finding("price", place, problem, { found: toMicro(request.charge_micro), expected: "unknown" })];
  }
  const loss = toMicro(request.operator_loss_micro);
  const found = toMicro(request.charge_micro) + loss;
  // A loss that no column holds was cut (ledger/wallet.ts).
  if (found === cost || (loss === MAX_MICRO && found < cost)) return [];
  return [
    finding("price", place, "charge and loss are not what the usage costs at its price", { found, expected: cost }),
  ];
}

/** The usage at vendors, by day, vendor and the vendor's model. The last attempt of a request is the one that answered. */
class Uses {
  readonly #days: RequestsAsked["vendor_days"];
  readonly #texts: RowTexts;
  readonly #found = new Map<string, VendorUse>();

  constructor(days: RequestsAsked["vendor_days"], texts: RowTexts) {
    this.#days = days;
    this.#texts = texts;
  }

  get list(): readonly VendorUse[] {
    return [...this.#found.values()];
  }

  add(request: AuditedRequestRow, day: number): void {
    if (this.#days === null || day < this.#days[0] || day > this.#days[1] || request.input_tokens === null) return;
    const attempt = this.#texts.attempts(request).at(-1);
    const { vendor = "unknown", upstream_model = this.#texts.text(request.model_no) } = attempt ?? {};
    const price_version = this.#texts.price(request.price_no).version;
    const id = `${day} ${vendor} ${upstream_model} ${price_version}`;
    const before = this.#found.get(id) ?? { ...NO_USE, day, vendor, upstream_model, price_version };
    this.#found.set(id, sumOf(before, request));
  }
}

const NO_USE = {
  ...{ requests: 0, estimated: 0, by_engine: 0, input_tokens: 0, output_tokens: 0 },
  ...{ priced_micro: 0n, engine_micro: 0n },
};

function sumOf(before: VendorUse, request: AuditedRequestRow): VendorUse {
  const requests = before.requests + 1;
  const estimated = before.estimated + toInt(request.estimated);
  if (request.upstream_cost_micro !== null) {
    const engine_micro = before.engine_micro + toMicro(request.upstream_cost_micro);
    return { ...before, requests, estimated, by_engine: before.by_engine + 1, engine_micro };
  }
  const usage = usageOf(request);
  return {
    ...before,
    requests,
    estimated,
    input_tokens: before.input_tokens + totalInput(usage),
    output_tokens: before.output_tokens + usage.output_tokens,
    priced_micro: before.priced_micro + toMicro(request.charge_micro) + toMicro(request.operator_loss_micro),
  };
}
