import type { ClientRequest, Target } from "../../core/answer/exchange.ts";
import type { GenerationRequest, Tool } from "../../core/answer/generation.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { type ChargedMember, judgeCharges } from "../../core/money/charges.ts";
import { toolWords, unpricedError } from "../shared/charged-members.ts";
import { isToolPlace } from "../shared/tool-lists.ts";
import { withoutTools } from "./without-tools.ts";

/**
 * A request without members that have no price at its target, its charged members, and the names of members that were
 * left out (docs/rulings.md 144).
 */
export interface ChargedRequest {
  readonly asked: GenerationRequest;
  readonly charged: readonly ChargedMember[];
  readonly ignored: readonly string[];
}

const NOTHING: readonly never[] = [];

/**
 * Fits the members that change a charge. Only a service tier and the tools that the target's vendor runs survive a
 * translation: both are judged by the target's price. A place of computation, which no other protocol can promise, is
 * refused. All other charged members are left out and reported by the code that fits the request.
 */
export function chargedRequest(
  asked: GenerationRequest,
  { charged = NOTHING }: ClientRequest,
  target: Target,
  code: ErrorCode,
): ChargedRequest {
  if (charged.length === 0 || target.price === undefined) return { asked, charged: NOTHING, ignored: NOTHING };
  const promise = charged.find(({ asks }) => asks?.residency !== undefined);
  if (promise !== undefined) throw unpricedError(promise, target, code);
  const { kept, left_out } = judgeCharges(charged.filter(survives), target.price);
  const lost = new Set(left_out.map(({ what }) => what));
  for (const { what } of kept) lost.delete(what);
  const { service_tier, ...rest } = asked;
  const loses_tier = left_out.some(({ asks }) => asks?.service_tier !== undefined);
  const ignored = loses_tier ? ["service_tier"] : [];
  const isLost = (tool: Tool) => tool.kind === "hosted" && lost.has(toolWords(tool.type));
  const priced = { ...rest, ...(service_tier !== undefined && !loses_tier && { service_tier }) };
  return {
    asked: withoutTools(priced, isLost, { ignored, model: target.model.id, lack: "no-price" }),
    charged: kept,
    ignored,
  };
}

function survives({ asks, place }: ChargedMember): boolean {
  return asks?.service_tier !== undefined || isToolPlace(place);
}

/** The charged members that the fitted request still has. */
export function remainingCharges(charged: readonly ChargedMember[], { tools, service_tier }: GenerationRequest) {
  if (charged.length === 0) return charged;
  const hosted = new Set(tools.flatMap((tool) => (tool.kind === "hosted" ? [toolWords(tool.type)] : [])));
  return charged.filter(({ asks, what }) =>
    asks === undefined ? hosted.has(what) : asks.service_tier === service_tier,
  );
}
