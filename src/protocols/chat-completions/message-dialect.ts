import type { Target } from "../../core/answer/exchange.ts";
import { isGemini3 } from "../shared/google-models.ts";
import { detailsIssuer } from "../shared/issuer.ts";
import type { ReplayDialect } from "./replay-reasoning.ts";

/** The differences of a vendor's messages from the public shape; relay and translation share them. */
export interface MessageDialect extends ReplayDialect {
  /** Whose values in `reasoning_details` go back to the vendor. */
  readonly issuer: string;
  readonly no_developer_role: boolean;
  readonly strict_turns: boolean;
  /** Fields of answers and of their calls that must not be sent. */
  readonly refused: readonly string[];
}

const NOTHING: readonly string[] = [];

export function messageDialect({ vendor, model }: Target): MessageDialect {
  const { quirks } = vendor;
  return {
    issuer: detailsIssuer(vendor),
    shape: quirks.reasoning_replay,
    requires_signatures: quirks.reasoning_replay === "extra_content" && isGemini3(model),
    no_developer_role: quirks.no_developer_role === true,
    strict_turns: quirks.strict_turns === true,
    refused: quirks.unsupported_answer_fields ?? NOTHING,
  };
}
