import type { BookAdmit, BookAnswer, BookOp, BookSettle } from "../batch/book-op.ts";

/**
 * The two operations that every request makes travel to the database thread as flat rows: cloning a row costs half of
 * what cloning an object with named fields does. The others are rare and travel as they are.
 */
export type PackedOp = PackedAdmit | PackedSettle | Exclude<BookOp, BookAdmit | BookSettle>;

type Admit<Field extends keyof BookAdmit> = BookAdmit[Field];
type PackedAdmit = readonly [
  "admit",
  Admit<"request_id">,
  Admit<"client_request_id">,
  Admit<"account_id">,
  Admit<"key_id">,
  Admit<"key_version">,
  Admit<"endpoint">,
  Admit<"stream">,
  Admit<"requested_model">,
  Admit<"model">,
  Admit<"price">,
  Admit<"hold_micro">,
  Admit<"bound_tokens">,
  Admit<"rpm">,
  Admit<"tpm">,
  Admit<"concurrent">,
  Admit<"budget_micro">,
  Admit<"budget_window">,
  Admit<"node_id">,
  Admit<"ttl_ms">,
  Admit<"idempotency_key">,
  Admit<"fingerprint">,
];

type Settle<Field extends keyof BookSettle> = BookSettle[Field];
type PackedSettle = readonly [
  "settle",
  Settle<"request_id">,
  Settle<"model">,
  Settle<"price">,
  Settle<"input_tokens">,
  Settle<"cache_read_tokens">,
  Settle<"cache_write_tokens">,
  Settle<"output_tokens">,
  Settle<"reasoning_tokens">,
  Settle<"estimated">,
  Settle<"charge_micro">,
  Settle<"success">,
  Settle<"attempts">,
  Settle<"error">,
  Settle<"queue_ms">,
  Settle<"first_byte_ms">,
  Settle<"duration_ms">,
  BookAnswer | null,
];

export function packOp(op: BookOp): PackedOp {
  if (op.op === "admit") return packAdmit(op);
  if (op.op === "settle") return packSettle(op);
  return op;
}

export function unpackOp(packed: PackedOp): BookOp {
  if ("op" in packed) return packed;
  return packed[0] === "admit" ? unpackAdmit(packed) : unpackSettle(packed);
}

function packAdmit(op: BookAdmit): PackedAdmit {
  return [
    "admit",
    op.request_id,
    op.client_request_id,
    op.account_id,
    op.key_id,
    op.key_version,
    op.endpoint,
    op.stream,
    op.requested_model,
    op.model,
    op.price,
    op.hold_micro,
    op.bound_tokens,
    op.rpm,
    op.tpm,
    op.concurrent,
    op.budget_micro,
    op.budget_window,
    op.node_id,
    op.ttl_ms,
    op.idempotency_key,
    op.fingerprint,
  ];
}

function unpackAdmit(packed: PackedAdmit): BookAdmit {
  return {
    op: "admit",
    request_id: packed[1],
    client_request_id: packed[2],
    account_id: packed[3],
    key_id: packed[4],
    key_version: packed[5],
    endpoint: packed[6],
    stream: packed[7],
    requested_model: packed[8],
    model: packed[9],
    price: packed[10],
    hold_micro: packed[11],
    bound_tokens: packed[12],
    rpm: packed[13],
    tpm: packed[14],
    concurrent: packed[15],
    budget_micro: packed[16],
    budget_window: packed[17],
    node_id: packed[18],
    ttl_ms: packed[19],
    idempotency_key: packed[20],
    fingerprint: packed[21],
  };
}

function packSettle(op: BookSettle): PackedSettle {
  return [
    "settle",
    op.request_id,
    op.model,
    op.price,
    op.input_tokens,
    op.cache_read_tokens,
    op.cache_write_tokens,
    op.output_tokens,
    op.reasoning_tokens,
    op.estimated,
    op.charge_micro,
    op.success,
    op.attempts,
    op.error,
    op.queue_ms,
    op.first_byte_ms,
    op.duration_ms,
    op.answer,
  ];
}

function unpackSettle(packed: PackedSettle): BookSettle {
  return {
    op: "settle",
    request_id: packed[1],
    model: packed[2],
    price: packed[3],
    input_tokens: packed[4],
    cache_read_tokens: packed[5],
    cache_write_tokens: packed[6],
    output_tokens: packed[7],
    reasoning_tokens: packed[8],
    estimated: packed[9],
    charge_micro: packed[10],
    success: packed[11],
    attempts: packed[12],
    error: packed[13],
    queue_ms: packed[14],
    first_byte_ms: packed[15],
    duration_ms: packed[16],
    answer: packed[17],
  };
}
