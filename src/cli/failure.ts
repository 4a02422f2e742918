import type { ErrorBody } from "../../contract/common.ts";

/** An error body, and beside it whatever of the failure a program can use. */
type FailureBody = ErrorBody & { readonly problems?: readonly object[] };

/** Why a command could not do its work: one sentence that says what to do. Ends the command with status 1. */
export class CliFailure extends Error {
  override readonly name = "CliFailure";
  /** What `--json` prints instead of a result: the gateway's own error body where there is one. */
  readonly body: FailureBody;

  constructor(message: string, detail: { code: string; body?: FailureBody; cause?: unknown }) {
    super(message, { cause: detail.cause });
    this.body = detail.body ?? { error: { message, type: "cli_error", param: null, code: detail.code } };
  }
}
