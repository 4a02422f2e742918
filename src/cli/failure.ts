import type { ErrorBody } from "../../contract/common.ts";

/** Why a command could not do its work: one sentence that says what to do. Ends the command with status 1. */
export class CliFailure extends Error {
  override readonly name = "CliFailure";
  /** What `--json` prints instead of a result: the gateway's own error body where there is one. */
  readonly body: ErrorBody;

  constructor(message: string, detail: { code: string; body?: ErrorBody; cause?: unknown }) {
    super(message, { cause: detail.cause });
    this.body = detail.body ?? { error: { message, type: "cli_error", param: null, code: detail.code } };
  }
}
