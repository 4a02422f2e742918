import type { BookAdmit } from "../../ledger/books/book-op.ts";
import { type PackedAmount, unpackAmount } from "./pack-amount.ts";
import type { TextOf } from "./pack-attempts.ts";

type Admit<Field extends keyof BookAdmit> = BookAdmit[Field];

/** An admission with its terms in it, as journals of format 1 have it. It is only read any more. */
export type FlatAdmit = readonly [
  "admit",
  Admit<"request_id">,
  Admit<"client_request_id">,
  account_id: number,
  key_id: number,
  Admit<"key_version">,
  endpoint: number,
  Admit<"stream">,
  requested_model: number,
  model: number,
  price: number,
  hold_micro: PackedAmount,
  Admit<"bound_tokens">,
  Admit<"rpm">,
  Admit<"tpm">,
  Admit<"concurrent">,
  budget_micro: PackedAmount | null,
  Admit<"budget_window">,
  node_id: number,
  Admit<"ttl_ms">,
  Admit<"idempotency_key">,
  Admit<"fingerprint">,
];

export function unpackFlatAdmit(packed: FlatAdmit, textOf: TextOf): BookAdmit {
  return {
    op: "admit",
    request_id: packed[1],
    client_request_id: packed[2],
    account_id: textOf(packed[3]),
    key_id: textOf(packed[4]),
    key_version: packed[5],
    endpoint: textOf(packed[6]) as BookAdmit["endpoint"],
    stream: packed[7],
    requested_model: textOf(packed[8]),
    model: textOf(packed[9]),
    price: textOf(packed[10]),
    hold_micro: unpackAmount(packed[11]),
    allowance: null,
    bound_tokens: packed[12],
    rpm: packed[13],
    tpm: packed[14],
    concurrent: packed[15],
    budget_micro: packed[16] === null ? null : unpackAmount(packed[16]),
    budget_window: packed[17],
    node_id: textOf(packed[18]),
    ttl_ms: packed[19],
    idempotency_key: packed[20],
    fingerprint: packed[21],
    tags: null,
  };
}
