import Type, { type Static } from "typebox";
import {
  AccountName,
  Currency,
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
import { TagFilter, Tags } from "./tags.ts";

export const RequestStatus = oneOf(["held", "settled", "voided", "expired"]);

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

const nullableInteger = orNull(Type.Integer());
const nullableNumber = orNull(Type.Number());
const nullableString = orNull(Type.String());

/** A request's receipt: the same members as `GET /v1/requests/{request_id}` gives, and the account. */
const receipt = {
  id: Type.String(),
  object: Type.Literal("request"),
  client_request_id: nullableString,
  created: Type.Integer({ description: "Unix seconds" }),
  endpoint: Type.String(),
  stream: Type.Boolean(),
  account: Type.String(),
  key_id: Type.String(),
  /** The project that the key belonged to when the request was admitted; null: none. */
  project_id: nullableString,
  /** The tags that the request carried itself. */
  tags: Tags,
  /** How they are counted, where the day had no room for all of them: `(other)` stands for the rest. */
  tags_counted: Type.Optional(Tags),
  requested_model: Type.String(),
  model: Type.String(),
  outcome: RequestOutcome,
  status: RequestStatus,
  error: nullableString,
  usage: orNull(
    Type.Object({
      input_tokens: Type.Integer(),
      cache_read_tokens: Type.Integer(),
      cache_write_tokens: Type.Integer(),
      output_tokens: Type.Integer(),
      reasoning_tokens: Type.Integer(),
      /** Tokens of a class that may have a price apart, by the names of docs/billing.md; they are counted in their class. */
      parts: Type.Optional(Type.Record(Type.String(), Type.Integer())),
      /** Calls of the vendor's own tools. */
      calls: Type.Optional(Type.Record(Type.String(), Type.Integer())),
      units: Type.Optional(Type.Record(Type.String(), Type.Integer())),
      /** Usage that the vendor reported and that has no price. */
      unpriced: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  estimated: Type.Boolean(),
  /** The end came after a recovery had ended the hold: a correction booked the difference. */
  late: Type.Boolean(),
  price: ModelPrice,
  currency: Currency,
  hold_micro: Micro,
  charge_micro: Micro,
  operator_loss_micro: Micro,
  /** Cost of the engine's calls for a decision made from a chat model's probabilities; null for other requests. */
  upstream_cost_micro: orNull(Micro),
  /** A decision of many calls has one row for each route, with the numbers of calls and of failed calls. */
  attempts: Type.Array(
    Type.Object({
      vendor: Type.String(),
      upstream_model: Type.String(),
      /** Which of the vendor's several credentials was used: for administrators, and absent where the vendor has one. */
      credential: Type.Optional(Type.String()),
      /**
       * Why this candidate was asked: drawn by `weight`, picked for its `latency` or `cost`, the one that the `conversation` has, the one where
       * it was `kept`, the `next` after one that failed or was passed over, a `fallback`. For administrators; absent where there was no choice.
       */
      why: Type.Optional(Type.Enum(["weight", "latency", "cost", "conversation", "kept", "next", "fallback"])),
      /** The candidates that were passed over before this one, each with the reason. For administrators. */
      passed_over: Type.Optional(Type.Array(Type.String())),
      status: nullableInteger,
      error: nullableString,
      first_byte_ms: nullableNumber,
      duration_ms: Type.Number(),
      calls: Type.Optional(Type.Integer()),
      failures: Type.Optional(Type.Integer()),
      /** When the attempt began, in ms since the request's arrival; null where earlier programs did not record it. */
      started_ms: nullableNumber,
      /**
       * Why the attempt failed, in the vendor's words or in the gateway's, without secrets. Null where it
       * did not fail; for members also where it is about the gateway's own credential or network.
       */
      said: nullableString,
    }),
  ),
  queue_ms: nullableNumber,
  /** How long the operator's hook took, within `queue_ms`; absent where none was asked. */
  hook_ms: Type.Optional(Type.Number()),
  first_byte_ms: nullableNumber,
  duration_ms: nullableNumber,
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
  tier_above_input_tokens: nullableInteger,
  /** The sum of the lines: the charge plus the operator's loss. */
  cost_micro: Micro,
  /** The line of the account's ledger; null where nothing was charged. */
  entry: orNull(Entry),
});
export type ReceiptDetail = Static<typeof ReceiptDetail>;

/** `GET /requests/{id}`: by our id, else the newest by the client's. */
export const FoundRequest = Type.Union([ReceiptDetail, RefusedDetail]);
export type FoundRequest = Static<typeof FoundRequest>;
