import { type Cell, csv } from "../../../contract/csv.ts";
import type { Receipt, ReceiptList } from "../../../contract/requests.ts";
import { tagTexts } from "../../../contract/tag-rules.ts";
import { formatAmount, micro } from "../../core/money.ts";

const COLUMNS = [
  ...["id", "client_request_id", "created_at", "ended_at", "account", "account_email", "key", "key_name", "endpoint"],
  ...["stream", "requested_model", "model", "vendor", "upstream_model", "attempts", "outcome", "error", "input_tokens"],
  ...["cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens", "charge", "charge_micro"],
  ...["operator_loss_micro", "currency", "queue_ms", "first_byte_ms", "duration_ms", "vendor_said"],
  ...["project", "project_name", "tags"],
];

/** Receipts as a file, a row for each. */
export function receiptsCsv(receipts: readonly Receipt[], names: ReceiptList["names"]): string {
  return csv([COLUMNS, ...receipts.map((receipt) => rowOf(receipt, names))]);
}

function rowOf(receipt: Receipt, { accounts, keys, projects }: ReceiptList["names"]): Cell[] {
  const { usage, attempts, charge_micro, project_id } = receipt;
  const last = attempts.at(-1);
  return [
    ...[receipt.id, receipt.client_request_id, receipt.created_at, receipt.ended_at],
    ...[receipt.account, accounts[receipt.account] ?? "", receipt.key_id, keys[receipt.key_id] ?? ""],
    ...[receipt.endpoint, receipt.stream ? 1 : 0, receipt.requested_model, receipt.model],
    ...[last?.vendor ?? "", last?.upstream_model ?? "", attempts.length, receipt.outcome, receipt.error],
    ...[usage?.input_tokens ?? null, usage?.cache_read_tokens ?? null, usage?.cache_write_tokens ?? null],
    ...[usage?.output_tokens ?? null, usage?.reasoning_tokens ?? null],
    ...[formatAmount(micro(charge_micro)), charge_micro, receipt.operator_loss_micro, receipt.currency],
    ...[receipt.queue_ms, receipt.first_byte_ms, receipt.duration_ms],
    attempts.findLast(({ said }) => said !== null)?.said ?? null,
    ...(project_id === null ? [null, null] : [project_id, projects[project_id] ?? ""]),
    tagTexts(receipt.tags).join("; "),
  ];
}
