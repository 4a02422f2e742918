import type { SentBody } from "../../core/answer/exchange.ts";
import { byteLength, bytesOf } from "../../core/answer/sent-body.ts";
import type { Micro } from "../../core/money/money.ts";
import { quietly } from "../../observe/quietly.ts";
import { MAX_KEPT_BYTES } from "../admit/replay.ts";
import type { OwnedRequest } from "../answer/running-request.ts";
import type { Settlement } from "./settle-request.ts";

interface Charged {
  readonly charge_micro: Micro | null;
  readonly content_type: string;
  /** As the client gets it; null where it was not kept. */
  readonly body: SentBody | null;
}

/** Tells the operator's hook of an answer that is charged, where there is one (docs/rulings.md 232). Never throws, and waits for nothing. */
export function tellHook(
  { deps, call }: OwnedRequest,
  { candidate, usage }: Settlement,
  { charge_micro, content_type, body }: Charged,
): void {
  const hook = deps.hooks?.after ?? null;
  if (hook === null) return;
  quietly(deps.log, () => {
    const is_kept = body !== null && byteLength(body) <= MAX_KEPT_BYTES;
    const bytes = is_kept ? bytesOf(body) : null;
    hook.tell({ call, model: candidate.model.id, usage, charge_micro, content_type, body: bytes });
  });
}
