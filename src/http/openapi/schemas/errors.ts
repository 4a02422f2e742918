import Type from "typebox";
import { text, textOrNull } from "../../../../contract/answer-fields.ts";
import { ERRORS } from "../../../core/errors.ts";
import { always, anyOf } from "./scalars.ts";

/** The error styles (docs/api.md 2.10), with the types and codes of the table of errors. */

const rows = Object.values(ERRORS);

export const StyleAError = Type.Object(
  {
    error: Type.Object({
      message: text("What was found, what is allowed, where."),
      type: anyOf([...new Set(rows.map((row) => row.type_a))], "The kind of error."),
      param: textOrNull("The field at fault."),
      code: anyOf(Object.keys(ERRORS), "The error, by its name in the table."),
    }),
  },
  { description: "An error in style A." },
);

export const StyleBError = Type.Object(
  {
    type: always("error"),
    error: Type.Object({
      type: anyOf([...new Set(rows.map((row) => row.type_b))], "The kind of error."),
      message: text("What was found, what is allowed, where."),
      details: Type.Optional(
        Type.Object(
          { error_code: Type.Optional(text("A name that the official clients act on.")) },
          { description: "Where the clients can mend it themselves." },
        ),
      ),
    }),
    request_id: text("What the header `request-id` says."),
  },
  { description: "An error in style B." },
);

export const StyleCError = Type.Object(
  {
    error: Type.Object({
      code: Type.Integer({ description: "The HTTP status." }),
      message: text("What was found, what is allowed, where."),
      status: text("The status in a word of gRPC's."),
      details: Type.Array(Type.Object({ "@type": text("What the detail is.") }), {
        description: "An `ErrorInfo` whose `reason` is the error's code; a `RetryInfo` where a retry may help.",
      }),
    }),
  },
  { description: "An error in style C." },
);

/** The endpoints of models, usage, credits and requests answer in the style of the credential's header. */
export const EitherStyleError = Type.Union([StyleAError, StyleBError, StyleCError]);
