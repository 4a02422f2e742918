import type { DecisionClientProtocol } from "../core/answer/decision.ts";
import type { EndpointProtocol } from "../core/answer/exchange.ts";
import type { FormPart } from "../core/answer/form-part.ts";
import type { BilledEndpoint, ErrorStyle } from "../core/endpoints.ts";
import type { ErrorCode } from "../core/errors.ts";
import { admitCall } from "../pipeline/billed/admit-call.ts";
import type { AdmittedCall, BilledCall, RefusedCall } from "../pipeline/call/call.ts";
import type { PipelineDeps } from "../pipeline/call/deps.ts";
import { decisionUse } from "../pipeline/decisions/decide.ts";
import { generationUse } from "../pipeline/generation/generate.ts";
import type { LargeBody } from "../pipeline/large-bodies/large-bodies.ts";
import { inlineParts } from "../protocols/systemone/inline-parts.ts";
import type { RequestHead } from "../wire/server/request-head.ts";
import { withAddress } from "./gemini-address.ts";

/** A billed endpoint: its settings at the edge, and the use case that answers its calls. */
export interface BilledRoute {
  readonly endpoint: BilledEndpoint;
  readonly error_style: ErrorStyle;
  readonly general_error: ErrorCode;
  /** The most bytes of a body that the endpoint takes, where the operator allows more. */
  readonly most_body_bytes: number;
  /** Turns the parts of a form into one text; absent where the endpoint takes no such forms. */
  readonly readForm?: (parts: readonly FormPart[]) => string;
  /** Whether the endpoint takes forms as they are, with their files. */
  readonly takes_forms?: boolean;
  /** Adds to the body what the request's address says; absent where the body says all. */
  readonly withAddress?: (body: string | LargeBody, head: RequestHead) => string | LargeBody;
  /** Never rejects. */
  admit(call: BilledCall): Promise<AdmittedCall | RefusedCall>;
}

/** An endpoint whose requests go to vendors in the client's own shape or another (docs/api.md 4.1 to 4.3, 4.12, 4.14). */
export function generationRoute(pipeline: PipelineDeps, protocol: EndpointProtocol): BilledRoute {
  const { endpoint, error_style, general_error, most_body_bytes = Number.POSITIVE_INFINITY } = protocol;
  const use = generationUse(pipeline, protocol);
  return {
    endpoint,
    error_style,
    general_error,
    most_body_bytes,
    takes_forms: protocol.readForm !== undefined,
    ...(protocol.protocol === "gemini" && { withAddress }),
    admit: (call) => admitCall(pipeline, call, use),
  };
}

/** A decision endpoint (docs/api.md 4.6, 4.7). System One takes forms too (docs/rulings.md 164). */
export function decisionRoute(pipeline: PipelineDeps, protocol: DecisionClientProtocol): BilledRoute {
  const { endpoint, error_style } = protocol;
  const use = decisionUse(pipeline, protocol);
  return {
    endpoint,
    error_style,
    general_error: "invalid_input",
    most_body_bytes: Number.POSITIVE_INFINITY,
    ...(endpoint === "systemone" && { readForm: inlineParts }),
    admit: (call) => admitCall(pipeline, call, use),
  };
}
