import Type, { type Static } from "typebox";
import { closed, Currency, Micro, pageFields, pageOf } from "./common.ts";
import { ModelPrice } from "./models.ts";

export const RequestStatus = Type.Enum(["held", "settled", "voided", "expired"], {
  description: '"held", "settled", "voided" or "expired"',
});

export const RequestsQuery = closed({
  /** An account id or e-mail; all accounts without it (administrators). */
  account: Type.Optional(Type.String({ description: "an account id or e-mail" })),
  key: Type.Optional(Type.String({ description: "a key id" })),
  model: Type.Optional(Type.String({ description: "a model id" })),
  status: Type.Optional(RequestStatus),
  ...pageFields,
});
export type RequestsQuery = Static<typeof RequestsQuery>;

const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);
const nullableNumber = Type.Union([Type.Number(), Type.Null()]);
const nullableString = Type.Union([Type.String(), Type.Null()]);

/** A request's receipt: the same members as `GET /v1/requests/{request_id}` gives, and the account. */
export const Receipt = Type.Object({
  id: Type.String(),
  object: Type.Literal("request"),
  client_request_id: nullableString,
  created: Type.Integer({ description: "Unix seconds" }),
  endpoint: Type.String(),
  stream: Type.Boolean(),
  account: Type.String(),
  key_id: Type.String(),
  requested_model: Type.String(),
  model: Type.String(),
  status: RequestStatus,
  error: nullableString,
  usage: Type.Union([
    Type.Object({
      input_tokens: Type.Integer(),
      cache_read_tokens: Type.Integer(),
      cache_write_tokens: Type.Integer(),
      output_tokens: Type.Integer(),
      reasoning_tokens: Type.Integer(),
    }),
    Type.Null(),
  ]),
  estimated: Type.Boolean(),
  price: ModelPrice,
  currency: Currency,
  hold_micro: Micro,
  charge_micro: Micro,
  operator_loss_micro: Micro,
  attempts: Type.Array(
    Type.Object({
      vendor: Type.String(),
      upstream_model: Type.String(),
      status: nullableInteger,
      error: nullableString,
      first_byte_ms: nullableNumber,
      duration_ms: Type.Number(),
    }),
  ),
  queue_ms: nullableNumber,
  first_byte_ms: nullableNumber,
  duration_ms: nullableNumber,
});
export type Receipt = Static<typeof Receipt>;

export const ReceiptList = pageOf(Receipt);
export type ReceiptList = Static<typeof ReceiptList>;
