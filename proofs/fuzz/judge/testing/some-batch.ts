import type { ParsedAnswer } from "../../../suites/http-wire/support/answer-parser.ts";
import type { AccountBook, Receipt } from "../../../torture/history.ts";
import type { CaseSeen, StepSeen } from "../../gateway/run-case.ts";
import type { PlannedStep } from "../../requests/fuzz-case.ts";
import type { BatchBooks } from "../judge-books.ts";

/** A sound batch of one case, of which tests change a part. */

const STEP: PlannedStep = {
  route: "chat.completions",
  method: "POST",
  target: "/v1/chat/completions",
  headers: [],
  body: null,
  chunk_sizes: null,
  piece_bytes: null,
  leaves_after_ms: null,
  mutation_seed: null,
  vendor: "gemini",
  key: "rich",
};

export function someAnswer(
  status: number,
  body: unknown,
  more: Partial<ParsedAnswer> & { readonly type?: string } = {},
): ParsedAnswer {
  const { type = "application/json", ...rest } = more;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers = new Map([
    ["content-type", type],
    ["x-request-id", "req_1"],
    ["x-camino-request-id", "req_1"],
  ]);
  return { status, headers, body: Buffer.from(text), text, framing: "length", ...rest };
}

export function someStep(answer: ParsedAnswer | null, more: Partial<PlannedStep> = {}): StepSeen {
  return { step: { ...STEP, ...more }, sent: Buffer.alloc(0), answer, left: false, unanswered: null };
}

export function someCase(steps: readonly StepSeen[], more: Partial<CaseSeen> = {}): CaseSeen {
  const marker = "case-0000003-";
  const plan = { number: 3, slot: 3, seed: 1, marker, family: "requests", steps: [], pipelined: false } as const;
  return {
    plan,
    steps,
    answers: steps.flatMap(({ answer }) => (answer === null ? [] : [answer])),
    fault: null,
    ...more,
  };
}

export function someReceipt(more: Partial<Receipt> = {}): Receipt {
  return {
    id: "req_1",
    client_request_id: null,
    key_id: "key_1",
    model: "gemini/m3",
    status: "settled",
    error: null,
    usage: { input_tokens: 10, cache_read_tokens: 0, cache_write_tokens: 0, output_tokens: 5, reasoning_tokens: 0 },
    estimated: false,
    hold_micro: 100,
    charge_micro: 30,
    operator_loss_micro: 0,
    created_at: "2026-11-22T12:00:00.000Z",
    ...more,
  };
}

/** The batch with this receipt, and entries that fit it unless others are given. */
export function someBooks(
  receipt: Receipt,
  more: Partial<BatchBooks> & { readonly account?: Partial<AccountBook> } = {},
): BatchBooks {
  const { account = {}, ...rest } = more;
  const entries = [
    { id: "ent_1", kind: "credit" as const, amount_micro: 1000, request: null },
    { id: "ent_2", kind: "charge" as const, amount_micro: -receipt.charge_micro, request: receipt.id },
  ];
  const book: AccountBook = {
    id: "acct_1",
    credited_micro: 1000,
    balance_micro: 1000 - receipt.charge_micro,
    uncollected_micro: 0,
    receipts: [receipt],
    entries,
    budgets: new Map(),
    ...account,
  };
  const asked = [{ slot: 3, status: 200, complaint: null }];
  return { cases: [someCase([someStep(someAnswer(200, {}))])], accounts: [book], asked, ...rest };
}
