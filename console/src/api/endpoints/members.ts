import type { AutoTopUp, AutoTopUpQuery, SetAutoTopUp } from "../../../../contract/auto-top-up.ts";
import type { Deleted } from "../../../../contract/common.ts";
import type { Live, Overview, OverviewQuery } from "../../../../contract/overview.ts";
import type { PlaygroundKey, PlaygroundKeyBody } from "../../../../contract/playground.ts";
import type { CreatePrompt, Prompt, PromptList, PromptsQuery, UpdatePrompt } from "../../../../contract/prompts.ts";
import type { Resolution, ResolveDraft, ResolveQuery } from "../../../../contract/resolve.ts";
import type { Traffic, TrafficQuery } from "../../../../contract/traffic.ts";
import type { ExploreQuery, UsageExploration, UsageQuery, UsageReport } from "../../../../contract/usage.ts";

/** The endpoints by which members see their account, beside keys, models and requests. */
export interface MemberEndpoints {
  "GET /overview": { query: OverviewQuery; answer: Overview };
  "GET /overview/live": { query: OverviewQuery; answer: Live };
  "GET /usage": { query: UsageQuery; answer: UsageReport };
  "GET /usage/traffic": { query: TrafficQuery; answer: Traffic };
  "GET /usage/explore": { query: ExploreQuery; answer: UsageExploration };
  "GET /resolve": { query: ResolveQuery; answer: Resolution };
  "POST /resolve": { body: ResolveDraft; answer: Resolution };
  "GET /credits/auto-top-up": { query: AutoTopUpQuery; answer: AutoTopUp };
  "PUT /credits/auto-top-up": { query: AutoTopUpQuery; body: SetAutoTopUp; answer: AutoTopUp };
  "DELETE /credits/auto-top-up": { query: AutoTopUpQuery; answer: AutoTopUp };
  "GET /playground/prompts": { query: PromptsQuery; answer: PromptList };
  "POST /playground/prompts": { body: CreatePrompt; answer: Prompt };
  "PATCH /playground/prompts/{prompt}": { body: UpdatePrompt; answer: Prompt };
  "DELETE /playground/prompts/{prompt}": { answer: Deleted };
  "POST /playground/key": { body: PlaygroundKeyBody; answer: PlaygroundKey };
}
