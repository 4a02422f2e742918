import Type, { type Static } from "typebox";
import { text, textOrNull, unixSeconds } from "./answer-fields.ts";
import { AccountName, closed, DayOrTime, oneOf, orNull, pageFields, Timestamp } from "./common.ts";

/** Requests that were refused before a vendor was asked: summed up by minute, key, endpoint and error. */

export const RefusalsQuery = closed({
  /** An account id or e-mail; all accounts without it (administrators). */
  account: Type.Optional(AccountName),
  key: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "a key id" })),
  /** The error's code, such as `insufficient_balance`. */
  code: Type.Optional(Type.String({ pattern: "^[a-z_]{1,64}$", description: "an error code" })),
  from: Type.Optional(DayOrTime),
  to: Type.Optional(DayOrTime),
  /** The beginning of the newest request's id, ours or the client's. */
  q: Type.Optional(
    Type.String({ pattern: "^[A-Za-z0-9._-]{3,128}$", description: "3 to 128 characters of A-Z a-z 0-9 . _ -" }),
  ),
  limit: pageFields.limit,
  /** `csv` answers `text/csv` as a download. */
  format: Type.Optional(oneOf(["json", "csv"])),
});
export type RefusalsQuery = Static<typeof RefusalsQuery>;

export const RefusalSum = Type.Object({
  /** The beginning of the minute. */
  minute: Timestamp,
  account: Type.String(),
  account_email: Type.String(),
  /** Null where the account had more kinds of refusals in the minute than are counted by themselves. */
  key_id: orNull(Type.String()),
  key_name: orNull(Type.String()),
  endpoint: orNull(Type.String()),
  /** The code of the error, and the HTTP status. */
  code: Type.String(),
  status: Type.Integer(),
  count: Type.Integer(),
  /** The newest of these requests. */
  last: Type.Object({
    request_id: Type.String(),
    client_request_id: orNull(Type.String()),
    /** The resolved model; null where the request was refused before. */
    model: orNull(Type.String()),
    /** The field of the request that the error is about. */
    param: orNull(Type.String()),
    at: Timestamp,
  }),
});
export type RefusalSum = Static<typeof RefusalSum>;

/** `GET /requests/refused`. A page ends with a whole minute; `next_to` is the `to` of the next, older page. */
export const RefusalList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(RefusalSum),
  next_to: orNull(Timestamp),
});
export type RefusalList = Static<typeof RefusalList>;

/** What `GET /v1/requests/{request_id}` gives of a refused request, too. */
export const clientRefusal = {
  id: text("Ours, `req_…`."),
  object: Type.Literal("refused_request"),
  client_request_id: textOrNull("The `x-request-id` that the client sent."),
  created: unixSeconds("Unix seconds."),
  endpoint: text("Which endpoint was called."),
  key_id: text("The key that was used."),
  requested_model: textOrNull("What the client named; null where the body was not read."),
  model: textOrNull("The model that it stands for; null where there is none."),
  status: Type.Literal("refused"),
  http_status: Type.Integer({ description: "The status of the answer." }),
  error: text("The code of the error."),
  param: textOrNull("The field that it is about."),
  message: text("Its sentence."),
};

/** A refused request by itself: of each account the newest thousand are kept. */
export const RefusedRequest = Type.Object({
  ...clientRefusal,
  created_at: Timestamp,
  account: Type.String(),
  outcome: Type.Literal("refused"),
  charge_micro: Type.Literal(0),
});
export type RefusedRequest = Static<typeof RefusedRequest>;

/** `GET /requests/{id}` of a refused request: with its key, which may have been deleted since. */
export const RefusedDetail = Type.Object({
  ...RefusedRequest.properties,
  key: Type.Object({ id: Type.String(), name: Type.String(), hint: Type.String(), deleted: Type.Boolean() }),
});
export type RefusedDetail = Static<typeof RefusedDetail>;
