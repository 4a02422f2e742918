import Type, { type Static } from "typebox";
import { count, duration, flag, micro, text, textOrNull, unixSeconds } from "./answer-fields.ts";
import {
  AccountName,
  closed,
  DayOrTime,
  Micro,
  oneOf,
  orNull,
  ProjectFilter,
  pageFields,
  pageOf,
  Timestamp,
} from "./common.ts";
import { Entry } from "./credits.ts";
import { Endpoint, ModelPrice } from "./models.ts";
import { RefusedDetail, RefusedRequest } from "./refusals.ts";
import { TagFilter } from "./tags.ts";

const REQUEST_STATUSES = ["held", "settled", "voided", "expired"] as const;
export const RequestStatus = oneOf(REQUEST_STATUSES);

/**
 * How a receipt stands, in words: `left` where its client had gone before the answer was whole. Requests that were `refused` have no
 * receipt: see refusals.ts.
 */
export const RequestOutcome = oneOf(["running", "answered", "failed", "left"]);
export type RequestOutcome = Static<typeof RequestOutcome>;

export const RequestsQuery = closed({
  /** An account id or e-mail; all accounts without it (administrators). */
  account: Type.Optional(AccountName),
  key: Type.Optional(Type.String({ description: "a key id" })),
  /** Only requests that belonged to a project, or to none. */
  project: Type.Optional(ProjectFilter),
  /** Only requests that carried this tag themselves, or did not: keys' tags do not count. */
  tag: Type.Optional(TagFilter),
  /** The model that answered, or was asked to answer. */
  model: Type.Optional(Type.String({ description: "a model id" })),
  outcome: Type.Optional(RequestOutcome),
  /** The state of the hold; `held` finds running requests. */
  status: Type.Optional(RequestStatus),
  endpoint: Type.Optional(Endpoint),
  /** Only requests that arrived at this time or later. */
  from: Type.Optional(DayOrTime),
  /** Only requests that arrived before this time. */
  to: Type.Optional(DayOrTime),
  /** The beginning of a request id (ours, with at least six characters after `req_`) or of the client's own id. */
  q: Type.Optional(
    Type.String({
      pattern: "^(?=.{3,128}$)(?!req_.{0,5}$)[A-Za-z0-9._-]+$",
      description: "3 to 128 characters of A-Z a-z 0-9 . _ -, at least six of them after req_",
    }),
  ),
  ...pageFields,
  /** `csv` answers `text/csv` as a download: the newest 5000 that fit, or as many as are found among the newest 500,000. */
  format: Type.Optional(oneOf(["json", "csv"])),
});
export type RequestsQuery = Static<typeof RequestsQuery>;

/** Disjoint classes of tokens, and what few requests have beside them. */
export const receiptUsage = {
  input_tokens: count("Input neither read from nor written to a cache."),
  cache_read_tokens: count("Input read from a cache."),
  cache_write_tokens: count("Input written to a cache."),
  output_tokens: count("All output."),
  reasoning_tokens: count("The part of the output that was reasoning."),
  parts: Type.Optional(
    counts(
      "Tokens that are counted in one of the classes and may have a price apart: `input_audio`, `cache_write_1h`.",
    ),
  ),
  calls: Type.Optional(counts("Calls of the vendor's own tools: `web_search`.")),
  units: Type.Optional(
    counts("What is counted beside tokens: `input_characters`, `input_seconds`, `images`, `searches`."),
  ),
  unpriced: Type.Optional(
    Type.Array(Type.String(), { description: "What the vendor reported without a price; it was not charged." }),
  ),
};

function counts(description: string) {
  return Type.Record(Type.String(), Type.Integer({ minimum: 1 }), { description });
}

/** A try at a vendor. A decision of many calls has one for each route. */
export const receiptAttempt = {
  vendor: text("Who was asked."),
  upstream_model: text("The vendor's name for the model."),
  status: orNull(Type.Integer(), "The vendor's HTTP status; null when there was none."),
  error: textOrNull("The code of an error, or null."),
  first_byte_ms: duration("To the vendor's first byte; null when none came."),
  duration_ms: Type.Number({ description: "To the attempt's end." }),
  calls: Type.Optional(count("Calls by this route, where a decision took many.")),
  failures: Type.Optional(count("How many of them failed.")),
  started_ms: duration("From the request's arrival to the attempt's beginning; null where it was not recorded."),
  said: textOrNull(
    "What the vendor said when the attempt failed, without secrets; null where it did not, or spoke of the gateway's own account.",
  ),
};

/** What `GET /v1/requests/{request_id}` gives, too. */
export const clientReceipt = {
  id: text("Ours, `req_…`."),
  object: Type.Literal("request"),
  client_request_id: textOrNull("The `x-request-id` that the client sent."),
  created: unixSeconds("Unix seconds."),
  endpoint: text("Which endpoint was called."),
  stream: flag("Whether a stream was asked for."),
  key_id: text("The key that was used."),
  project_id: textOrNull("The project that the key belonged to at its admission; null: none."),
  tags: tags("The tags that the request carried itself."),
  tags_counted: Type.Optional(
    tags("How they are counted, where the day had no room for all of them: `(other)` stands for the rest."),
  ),
  requested_model: text("What the client named."),
  model: text("The model that answered."),
  status: Type.Enum([...REQUEST_STATUSES], { description: "`held` while it runs, then one of the others for good." }),
  error: textOrNull("The code of an error, or null."),
  usage: orNull(Type.Object(receiptUsage), "Null while nothing is known."),
  estimated: flag("The vendor sent no usage that can be believed: the counts are our estimate."),
  late: flag("The end came after a recovery had ended the hold: a correction booked the difference."),
  price: ModelPrice,
  currency: text("ISO 4217, of every amount here."),
  hold_micro: micro("What was held."),
  charge_micro: micro("What was charged."),
  operator_loss_micro: micro("What the operator bore."),
  upstream_cost_micro: orNull(
    micro("What the gateway's own calls cost where it made a decision of a chat model's probabilities."),
    "Null for everything else.",
  ),
  attempts: Type.Array(Type.Object(receiptAttempt), { description: "Each try at a vendor, oldest first." }),
  queue_ms: duration("From arrival to admission."),
  hook_ms: Type.Optional(
    Type.Number({
      description:
        "How long the operator's own check of the request took, within `queue_ms`; absent where there is none.",
    }),
  ),
  first_byte_ms: duration("From arrival to the first byte of the answer."),
  duration_ms: duration("From arrival to the end of the answer."),
};

function tags(description: string) {
  return Type.Record(Type.String(), Type.String(), { description });
}

/** A request's receipt, with the account. */
const receipt = {
  ...clientReceipt,
  account: Type.String(),
  outcome: RequestOutcome,
  attempts: Type.Array(
    Type.Object({
      ...receiptAttempt,
      /** Which of the vendor's several credentials was used: for administrators, and absent where the vendor has one. */
      credential: Type.Optional(Type.String()),
      /**
       * Why this candidate was asked: drawn by `weight`, picked for its `latency` or `cost`, the one that the `conversation` has, the one where
       * it was `kept`, the `next` after one that failed or was passed over, a `fallback`. For administrators; absent where there was no choice.
       */
      why: Type.Optional(Type.Enum(["weight", "latency", "cost", "conversation", "kept", "next", "fallback"])),
      /** The candidates that were passed over before this one, each with the reason. For administrators. */
      passed_over: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  created_at: Timestamp,
  /** Null while the request runs. */
  ended_at: orNull(Timestamp),
};
export const Receipt = Type.Object(receipt);
export type Receipt = Static<typeof Receipt>;

/**
 * A page of receipts. Each call searches a limited number of requests, so with a filter that fits few requests a page
 * may have fewer receipts than the limit, even none, although more follow. `searched_back_to` is the time that the
 * search has reached; null when nothing older is left.
 */
export const ReceiptList = Type.Object({
  ...pageOf(Receipt).properties,
  searched_back_to: orNull(Timestamp),
  /** The refused requests of the page's time, newest first, 50 at most; none where a filter fits receipts alone. */
  refused: Type.Array(RefusedRequest),
  /** The e-mail addresses of the receipts' accounts and the names of their keys and projects, by their ids; deleted ones included. */
  names: Type.Object({
    accounts: Type.Record(Type.String(), Type.String()),
    keys: Type.Record(Type.String(), Type.String()),
    projects: Type.Record(Type.String(), Type.String()),
  }),
});
export type ReceiptList = Static<typeof ReceiptList>;

/** One line of a bill: a class of tokens or calls at its price. The classes of a bill are disjoint. */
export const ChargeLine = Type.Object({
  /** A name of docs/billing.md: `input`, `input_audio`, `web_search`. */
  class: Type.String(),
  unit: Type.Enum(["token", "call", "character", "second", "image", "search"]),
  count: Type.Integer(),
  /** Of a million tokens or characters, of a thousand calls or searches, or of a minute. */
  price_micro: Micro,
  /** Count times price exactly, as a decimal of micro units: "1234.5678". */
  exact_micro: Type.String(),
  /** The exact amount in whole micro units, rounded so that the lines add up to the cost. */
  amount_micro: Micro,
});
export type ChargeLine = Static<typeof ChargeLine>;

/** `GET /requests/{id}`: the receipt with everything that led to the charge. */
export const ReceiptDetail = Type.Object({
  ...receipt,
  /** The key of the request, which may have been deleted since. */
  key: Type.Object({ id: Type.String(), name: Type.String(), hint: Type.String(), deleted: Type.Boolean() }),
  /** The part of `hold_micro` that was added while the answer ran. */
  extended_micro: Micro,
  /** The usage, class by class, without unused classes. Empty where nothing was used. */
  lines: Type.Array(ChargeLine),
  /** The threshold of the tier whose prices were charged; null at the usual prices. */
  tier_above_input_tokens: orNull(Type.Integer()),
  /** The sum of the lines: the charge plus the operator's loss. */
  cost_micro: Micro,
  /** The line of the account's ledger; null where nothing was charged. */
  entry: orNull(Entry),
});
export type ReceiptDetail = Static<typeof ReceiptDetail>;

/** `GET /requests/{id}`: by our id, else the newest by the client's. */
export const FoundRequest = Type.Union([ReceiptDetail, RefusedDetail]);
export type FoundRequest = Static<typeof FoundRequest>;
