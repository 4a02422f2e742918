import type { AdmitOp, LedgerOp, OutputAllowance, SettleOp, VoidOp } from "../../core/ledger.ts";
import type { Micro } from "../../core/money.ts";
import type {
  BookAdmit,
  BookExtend,
  BookOp,
  BookProgress,
  BookRefusal,
  BookSettle,
  BookVoid,
} from "../../ledger/books/book-op.ts";
import { extraText } from "../../ledger/books/usage-text.ts";
import { shortPriceText } from "../batch/short-texts.ts";
import { bookProgress, bookRefusal, toBookOp, wholeMs } from "../batch/to-book-op.ts";
import { type PackedAmount, packAmount, unpackAmount } from "./pack-amount.ts";
import { type NumberOf, type PackedAttempt, packAttempts, type TextOf, unpackAttempts } from "./pack-attempts.ts";
import { type Terms, TermsPacker, type UnpackedTerms, unpackTerms } from "./pack-terms.ts";

/**
 * A batch on its way to the database thread, and in its journal. Operations are flat rows, and the whole
 * batch is one JSON text: a text crosses to the thread as it is, while a structured clone walks every value twice and
 * costs several times as much. Texts that come again and again (prices, models, keys, accounts) are sent once and then
 * named by their number: the thread finds the string that it has, instead of making one for each operation.
 */
export interface PackedBatch {
  readonly texts: readonly (readonly [number: number, text: string])[];
  readonly ops: readonly PackedOp[];
}

/** After this many texts numbering begins again. A key has one or two texts of its own, of some 150 bytes. */
const TEXTS_AT_MOST = 40_000;

type PackedOp = PackedAdmit | PackedSettle | PackedExtend | PackedVoid | BookProgress | BookRefusal;

type Admit<Field extends keyof BookAdmit> = BookAdmit[Field];
/** The values after `bound_tokens` are there for the few operations that have one of them. */
type PackedAdmit = readonly [
  "admit",
  Admit<"request_id">,
  terms: number,
  hold_micro: PackedAmount,
  Admit<"bound_tokens">,
  client_request_id?: Admit<"client_request_id">,
  idempotency_key?: Admit<"idempotency_key">,
  fingerprint?: Admit<"fingerprint">,
  allowance?: PackedAllowance | null,
  tags?: string,
];

type PackedAllowance = readonly [
  base_micro: PackedAmount,
  output_micro_per_mtok: number,
  least_tokens: number,
  most_tokens: number,
];

type Settle<Field extends keyof BookSettle> = BookSettle[Field];
type PackedSettle = readonly [
  "settle",
  Settle<"request_id">,
  model: number,
  price: number,
  Settle<"input_tokens">,
  Settle<"cache_read_tokens">,
  Settle<"cache_write_tokens">,
  Settle<"output_tokens">,
  Settle<"reasoning_tokens">,
  Settle<"estimated">,
  charge_micro: PackedAmount,
  Settle<"success">,
  attempts: readonly PackedAttempt[],
  Settle<"error">,
  Settle<"queue_ms">,
  Settle<"first_byte_ms">,
  Settle<"duration_ms">,
  upstream_cost_micro: PackedAmount | null,
  /** There for few. */
  usage_extra?: Settle<"usage_extra">,
];

type PackedExtend = readonly ["extend", BookExtend["request_id"], add_micro: PackedAmount];

type Void<Field extends keyof BookVoid> = BookVoid[Field];
type PackedVoid = readonly [
  "void",
  Void<"request_id">,
  operator_loss_micro: PackedAmount,
  attempts: readonly PackedAttempt[],
  Void<"error">,
  Void<"queue_ms">,
  Void<"first_byte_ms">,
  Void<"duration_ms">,
  upstream_cost_micro: PackedAmount | null,
];

/** The main thread's end: packs batches for one database thread, and remembers which texts that has. */
export class BatchPacker {
  readonly #numbers = new Map<string, number>();
  readonly #terms = new TermsPacker();
  #fresh: [number, string][] = [];

  /** The operations themselves where one has what JSON has not: an answer to be kept. */
  pack(ops: readonly LedgerOp[]): PackedBatch | readonly BookOp[] {
    if (!ops.every(isPlain)) return ops.map(toBookOp);
    // Between two batches, as one batch's numbers must all be of the same numbering.
    if (this.#numbers.size > TEXTS_AT_MOST) {
      this.#numbers.clear();
      this.#terms.clear();
    }
    const packed = ops.map((op) => this.#packOp(op));
    const texts = this.#fresh;
    if (texts.length > 0) this.#fresh = [];
    return { texts, ops: packed };
  }

  #packOp(op: LedgerOp): PackedOp {
    switch (op.op) {
      case "admit":
        return packAdmit(op, this.#terms.numberOf(op, this.#numberOf));
      case "settle":
        return packSettle(op, this.#numberOf);
      case "extend":
        return ["extend", op.request_id, packAmount(op.add_micro)];
      case "void":
        return packVoid(op, this.#numberOf);
      case "progress":
        return bookProgress(op);
      case "count-refusal":
        return bookRefusal(op);
    }
  }

  readonly #numberOf = (text: string): number => {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(text, number);
    this.#fresh.push([number, text]);
    return number;
  };
}

function isPlain(op: LedgerOp): boolean {
  return op.op !== "settle" || op.answer === null;
}

/** The database thread's end. */
export class BatchUnpacker {
  readonly #texts: string[] = [];
  /** Texts as JSON strings, for the numbers that were asked for as JSON. */
  readonly #quoted: (string | undefined)[] = [];
  /** The texts that are terms, unpacked, and the batch that read them last. */
  readonly #terms: ({ readonly unpacked: UnpackedTerms; batch: number } | undefined)[] = [];
  /** The batch that used each text last, by its number. */
  readonly #used_in: number[] = [];
  #used: [number, string][] = [];
  #batch = 0;

  unpack(batch: PackedBatch): BookOp[] {
    for (const [number, text] of batch.texts) {
      this.#texts[number] = text;
      this.#quoted[number] = undefined;
      this.#terms[number] = undefined;
    }
    this.#batch += 1;
    this.#used = [];
    return batch.ops.map((op) => this.#unpackOp(op));
  }

  /** The texts that the last batch named: with them it stands alone. */
  get used(): PackedBatch["texts"] {
    return this.#used;
  }

  #unpackOp(op: PackedOp): BookOp {
    if (!isRow(op)) return op;
    switch (op[0]) {
      case "admit":
        return unpackAdmit(op, this.#termsOf(op[2]));
      case "settle":
        return unpackSettle(op, this.#textOf, this.#quotedOf);
      case "extend":
        return { op: "extend", request_id: op[1], add_micro: unpackAmount(op[2]) };
      case "void":
        return unpackVoid(op, this.#quotedOf);
    }
  }

  readonly #textOf = (number: number): string => {
    const text = this.#texts[number];
    if (text === undefined) throw new Error(`text number ${number} was never sent`);
    if (this.#used_in[number] !== this.#batch) {
      this.#used_in[number] = this.#batch;
      this.#used.push([number, text]);
    }
    return text;
  };

  #termsOf(number: number): Terms {
    const known = this.#terms[number];
    const text = this.#textOf(number);
    if (known === undefined) {
      const unpacked = unpackTerms(text, this.#textOf);
      this.#terms[number] = { unpacked, batch: this.#batch };
      return unpacked.terms;
    }
    if (known.batch !== this.#batch) {
      known.batch = this.#batch;
      // The batch also uses the texts that its terms name.
      for (const named of known.unpacked.named) this.#textOf(named);
    }
    return known.unpacked.terms;
  }

  readonly #quotedOf = (number: number): string => {
    const text = this.#textOf(number);
    let quoted = this.#quoted[number];
    if (quoted === undefined) {
      quoted = JSON.stringify(text);
      this.#quoted[number] = quoted;
    }
    return quoted;
  };
}

function isRow(op: PackedOp): op is Exclude<PackedOp, BookProgress | BookRefusal> {
  return Array.isArray(op);
}

function packAdmit(op: AdmitOp, terms: number): PackedAdmit {
  const hold_micro = packAmount(op.hold_micro);
  const { client_request_id, idempotency, allowance = null, tags = null } = op;
  if (client_request_id === null && idempotency === null && allowance === null && tags === null) {
    return ["admit", op.request_id, terms, hold_micro, op.bound_tokens];
  }
  const { key = null, fingerprint = null } = idempotency ?? {};
  const packed = [op.request_id, terms, hold_micro, op.bound_tokens, client_request_id, key, fingerprint] as const;
  const packed_allowance = allowance === null ? null : packAllowance(allowance);
  if (tags !== null) return ["admit", ...packed, packed_allowance, tags];
  return packed_allowance === null ? ["admit", ...packed] : ["admit", ...packed, packed_allowance];
}

function packAllowance(allowance: OutputAllowance): PackedAllowance {
  const { base_micro, output_micro_per_mtok, least_tokens, most_tokens } = allowance;
  return [packAmount(base_micro), output_micro_per_mtok, least_tokens, most_tokens];
}

function unpackAllowance(packed: PackedAllowance | null): OutputAllowance | null {
  if (packed === null) return null;
  const [base, output_micro_per_mtok, least_tokens, most_tokens] = packed;
  return { base_micro: unpackAmount(base), output_micro_per_mtok, least_tokens, most_tokens };
}

function unpackAdmit(packed: PackedAdmit, terms: Terms): BookAdmit {
  return {
    op: "admit",
    request_id: packed[1],
    client_request_id: packed[5] ?? null,
    account_id: terms.account_id,
    key_id: terms.key_id,
    key_version: terms.key_version,
    endpoint: terms.endpoint,
    stream: terms.stream,
    requested_model: terms.requested_model,
    model: terms.model,
    price: terms.price,
    hold_micro: unpackAmount(packed[3]),
    allowance: unpackAllowance(packed[8] ?? null),
    bound_tokens: packed[4],
    rpm: terms.rpm,
    tpm: terms.tpm,
    concurrent: terms.concurrent,
    budget_micro: terms.budget_micro,
    budget_window: terms.budget_window,
    node_id: terms.node_id,
    ttl_ms: terms.ttl_ms,
    idempotency_key: packed[6] ?? null,
    fingerprint: packed[7] ?? null,
    tags: packed[9] ?? null,
  };
}

function packSettle(op: SettleOp, numberOf: NumberOf): PackedSettle {
  const { usage, outcome } = op;
  const packed = [
    "settle",
    op.request_id,
    numberOf(op.model),
    numberOf(shortPriceText(op.price)),
    usage.input_tokens,
    usage.cache_read_tokens,
    usage.cache_write_tokens,
    usage.output_tokens,
    usage.reasoning_tokens,
    op.estimated,
    packAmount(op.charge_micro),
    op.success,
    packAttempts(outcome.attempts, numberOf),
    outcome.error,
    wholeMs(outcome.queue_ms),
    outcome.first_byte_ms === null ? null : wholeMs(outcome.first_byte_ms),
    wholeMs(outcome.duration_ms),
    packCost(outcome.upstream_cost_micro),
  ] as const;
  return usage.extra === undefined ? packed : [...packed, extraText(usage)];
}

function unpackSettle(packed: PackedSettle, textOf: TextOf, quotedOf: TextOf): BookSettle {
  return {
    op: "settle",
    request_id: packed[1],
    model: textOf(packed[2]),
    price: textOf(packed[3]),
    input_tokens: packed[4],
    cache_read_tokens: packed[5],
    cache_write_tokens: packed[6],
    output_tokens: packed[7],
    reasoning_tokens: packed[8],
    usage_extra: packed[18] ?? null,
    estimated: packed[9],
    charge_micro: unpackAmount(packed[10]),
    success: packed[11],
    attempts: unpackAttempts(packed[12], quotedOf),
    error: packed[13],
    queue_ms: packed[14],
    first_byte_ms: packed[15],
    duration_ms: packed[16],
    upstream_cost_micro: unpackCost(packed[17]),
    answer: null,
  };
}

function packVoid({ request_id, operator_loss_micro, outcome }: VoidOp, numberOf: NumberOf): PackedVoid {
  return [
    "void",
    request_id,
    packAmount(operator_loss_micro),
    packAttempts(outcome.attempts, numberOf),
    outcome.error,
    wholeMs(outcome.queue_ms),
    outcome.first_byte_ms === null ? null : wholeMs(outcome.first_byte_ms),
    wholeMs(outcome.duration_ms),
    packCost(outcome.upstream_cost_micro),
  ];
}

function unpackVoid(packed: PackedVoid, quotedOf: TextOf): BookVoid {
  return {
    op: "void",
    request_id: packed[1],
    operator_loss_micro: unpackAmount(packed[2]),
    attempts: unpackAttempts(packed[3], quotedOf),
    error: packed[4],
    queue_ms: packed[5],
    first_byte_ms: packed[6],
    duration_ms: packed[7],
    upstream_cost_micro: unpackCost(packed[8]),
  };
}

function packCost(cost_micro: Micro | undefined): PackedAmount | null {
  return cost_micro === undefined ? null : packAmount(cost_micro);
}

function unpackCost(cost: PackedAmount | null): Micro | null {
  return cost === null ? null : unpackAmount(cost);
}
