import type { Model } from "../../core/catalog.ts";

interface Support {
  readonly supported: boolean;
}

const yes: Support = { supported: true };
const no: Support = { supported: false };

/**
 * Style B's own members of a model's capabilities, which its clients read without asking (docs/api.md 2.2), but for `thinking`:
 * under that name others read a boolean.
 */
export function styleBCapabilities({ capabilities, input_modalities, prices }: Model) {
  const efforts = capabilities.reasoning?.effort ?? [];
  const effort = (level: string) => (efforts.includes(level) ? yes : no);
  const hasCalls = (of: "web_search" | "code_execution") =>
    prices.some(({ calls_micro_per_kcall }) => calls_micro_per_kcall?.[of] !== undefined) ? yes : no;
  const [web_search, code_execution] = [hasCalls("web_search"), hasCalls("code_execution")];
  return {
    batch: no,
    citations: no,
    code_execution: no,
    context_management: { ...no, clear_thinking_20251015: no, clear_tool_uses_20250919: no, compact_20260112: no },
    effort: {
      supported: efforts.length > 0,
      low: effort("low"),
      medium: effort("medium"),
      high: effort("high"),
      xhigh: effort("xhigh"),
      max: effort("max"),
    },
    image_input: capabilities.vision ? yes : no,
    pdf_input: input_modalities.includes("pdf") ? yes : no,
    server_tools: { supported: web_search.supported || code_execution.supported, web_search, code_execution },
    structured_outputs: capabilities.json ? yes : no,
  };
}

/**
 * Style B's `thinking` of a model. All ways to ask a model that reasons for it are taken: a way that the model does not know goes to
 * it as the one that it does.
 */
export function styleBThinking({ capabilities: { thinking, reasoning } }: Model) {
  const asked = thinking ? yes : no;
  const disabled = !thinking || reasoning?.toggle === true ? yes : no;
  return { supported: thinking, types: { adaptive: asked, enabled: asked, disabled, between_tools: no } };
}

/** The members of a model that only style B has. A catalogue has no model that its vendor has retired. */
export const STYLE_B_MEMBERS = { lifecycle: "active", line: null, deprecated_at: null, retires_at: null } as const;

export type StyleBMembers = typeof STYLE_B_MEMBERS;
