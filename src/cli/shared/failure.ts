import type { ErrorBody } from "../../../contract/common.ts";

/** An error body, with further details of the failure for programs. */
type FailureBody = ErrorBody & { readonly problems?: readonly object[] };

/** The failure of a command: one sentence that says what to do. Ends the command with status 1. */
export class CliFailure extends Error {
  override readonly name = "CliFailure";
  /** The body that `--json` prints in place of a result: the gateway's error where the gateway sent one. */
  readonly body: FailureBody;

  constructor(message: string, detail: { code: string; body?: FailureBody; cause?: unknown }) {
    super(message, { cause: detail.cause });
    this.body = detail.body ?? { error: { message, type: "cli_error", param: null, code: detail.code } };
  }
}
