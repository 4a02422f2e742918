import type { ErrorBody } from "../../../contract/common.ts";

/** Refusals that only the console API has, with their HTTP status and style A's error type. */
const CODES = {
  /** Nobody is signed in, or the session has ended. */
  session_ended: [401, "authentication_error"],
  /** The e-mail or the password is wrong. The answer does not say which, so that strangers do not learn which e-mails have a user. */
  invalid_credentials: [401, "authentication_error"],
  /** A change was sent without the session's token, or from another site. */
  csrf: [403, "permission_error"],
  /** The sign-in link is unknown, used, withdrawn or expired. */
  link_expired: [410, "invalid_request_error"],
  /** A company's sign-in cannot be reached. */
  provider_unavailable: [503, "api_error"],
  /** The caller's role in the account, or the management key, does not allow it. */
  not_permitted: [403, "permission_error"],
  /** A member asked for more than an administrator has set. */
  above_ceiling: [403, "permission_error"],
  conflict: [409, "invalid_request_error"],
} as const;

type ConsoleErrorCode = keyof typeof CODES;

/** A refusal of the console API, thrown by the code that handles a call. */
export class ConsoleError extends Error {
  override readonly name = "ConsoleError";
  readonly code: ConsoleErrorCode;
  readonly param: string | null;

  constructor(code: ConsoleErrorCode, message: string, param: string | null = null) {
    super(message);
    this.code = code;
    this.param = param;
  }

  get status(): number {
    return CODES[this.code][0];
  }

  get body(): ErrorBody {
    const [, type] = CODES[this.code];
    return { error: { message: this.message, type, param: this.param, code: this.code } };
  }
}
