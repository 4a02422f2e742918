import type { UsageEvent, UsagePart } from "../../core/deliveries/usage-events.ts";
import { readLateOutcome, requestOfLateNote } from "../../ledger/books/late-end.ts";
import { type UsageColumns, usageOf } from "../accounts/request-rows.ts";
import { type RowTexts, readTexts } from "../batch/row-texts.ts";
import { lookup, partLookup, sql } from "../sql/statement.ts";
import { readJson, toInt, toMicro } from "../sql/values.ts";
import { rows, type Work } from "../sql/work.ts";

const selectEntries = sql(
  `SELECT account_id, seq, kind, amount_micro, request_id, note, created_ms FROM entries
    WHERE account_id = ? AND seq > ? AND seq <= ? AND (kind = 'charge' OR (kind = 'correction' AND actor = 'gateway')) ORDER BY seq`,
);
const selectRequests = partLookup(
  `SELECT id, key_id, project_id, tags, endpoint_no, model_no, input_tokens, cache_read_tokens, cache_write_tokens,
    output_tokens, reasoning_tokens, usage_extra FROM requests`,
  ["id", "text"],
);
const selectLate = lookup("SELECT request_id, outcome FROM late_settlements", { request_id: "text" });

interface UsageEntryRow {
  readonly account_id: string;
  readonly kind: "charge" | "correction";
  readonly amount_micro: unknown;
  readonly request_id: string | null;
  readonly note: string;
  readonly created_ms: unknown;
}

interface UsageRequestRow extends UsageColumns {
  readonly id: string;
  readonly key_id: string;
  readonly project_id: string | null;
  readonly tags: string | null;
  readonly endpoint_no: unknown;
  readonly model_no: unknown;
}

/** The events of parts, in their order: entries never change, so each is the same whenever it is read, as long as its request is kept. */
export function* readUsage(parts: readonly UsagePart[]): Work<UsageEvent[]> {
  const read: { entry: UsageEntryRow; request_id: string; cursor: number }[] = [];
  for (const { account_id, after_seq, to_seq, after_cursor } of parts) {
    const entries = yield* rows<UsageEntryRow>(selectEntries, [account_id, after_seq, to_seq]);
    for (const [at, entry] of entries.entries()) {
      const request_id = entry.request_id ?? requestOfLateNote(entry.note) ?? "";
      read.push({ entry, request_id, cursor: after_cursor + at + 1 });
    }
  }
  const ids = [...new Set(read.map(({ request_id }) => request_id))].map((id) => [id]);
  const late_ids = read.flatMap(({ entry, request_id }) => (entry.kind === "correction" ? [[request_id]] : []));
  const found = ids.length === 0 ? [] : yield* rows<UsageRequestRow>(selectRequests, ids);
  const late = late_ids.length === 0 ? [] : yield* rows<{ request_id: string; outcome: string }>(selectLate, late_ids);
  const texts = yield* readTexts(found, ["endpoint_no", "model_no"]);
  const requests = new Map(found.map((each) => [each.id, each]));
  const outcomes = new Map(late.map(({ request_id, outcome }) => [request_id, outcome]));
  return read.map(({ entry, request_id, cursor }) => {
    const { account_id: account, kind, amount_micro, created_ms } = entry;
    const outcome = kind === "correction" ? outcomes.get(request_id) : undefined;
    const about = aboutOf(requests.get(request_id), texts);
    const usage = outcome === undefined ? about.usage : readLateOutcome(outcome).usage;
    const charged = { charge_micro: -toMicro(amount_micro), settled_ms: toInt(created_ms) };
    return { account, cursor, kind, request_id, ...about, usage, ...charged };
  });
}

const NOT_KEPT = { key: null, project: null, tags: {}, endpoint: null, model: null, usage: null };

function aboutOf(
  request: UsageRequestRow | undefined,
  texts: RowTexts,
): Pick<UsageEvent, "key" | "project" | "tags" | "endpoint" | "model" | "usage"> {
  if (request === undefined) return NOT_KEPT;
  const { key_id: key, project_id: project, tags, endpoint_no, model_no } = request;
  return {
    ...{ key, project, tags: tags === null ? {} : readJson<Record<string, string>>(tags) },
    ...{ endpoint: texts.text(endpoint_no), model: texts.text(model_no) },
    usage: request.input_tokens === null ? null : usageOf(request),
  };
}
