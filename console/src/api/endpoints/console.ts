import type { AccountSums, AccountUses, AccountUsesQuery } from "../../../../contract/account-sums.ts";
import type { Deleted, OfAccount } from "../../../../contract/common.ts";
import type { SystemHealth } from "../../../../contract/health.ts";
import type { LimitedAccountList, LimitedKeyList, LimitedQuery, Limits } from "../../../../contract/limits.ts";
import type { ModelDetail, ModelList, ModelsQuery } from "../../../../contract/models.ts";
import type { Names, NamesQuery } from "../../../../contract/names.ts";
import type { Live, Overview } from "../../../../contract/overview.ts";
import type { PlaygroundKey } from "../../../../contract/playground.ts";
import type { PriceList } from "../../../../contract/prices.ts";
import type { CreatePrompt, Prompt, PromptList, UpdatePrompt } from "../../../../contract/prompts.ts";
import type { Resolution, ResolveDraft, ResolveQuery } from "../../../../contract/resolve.ts";
import type { RouteList } from "../../../../contract/routes.ts";
import type { ExploreQuery, UsageExploration } from "../../../../contract/usage.ts";

/** What the console calls beside the documented administration API (contract/administration.ts) and the session. */
export interface ConsoleEndpoints {
  "GET /accounts/sums": { answer: AccountSums };
  "GET /accounts/uses": { query: AccountUsesQuery; answer: AccountUses };
  "GET /names": { query: NamesQuery; answer: Names };
  "GET /prices": { answer: PriceList };
  "GET /routes": { answer: RouteList };
  "GET /limits": { answer: Limits };
  "GET /limits/keys": { query: LimitedQuery; answer: LimitedKeyList };
  "GET /limits/accounts": { query: LimitedQuery; answer: LimitedAccountList };
  "GET /health": { answer: SystemHealth };
  "GET /overview": { query: OfAccount; answer: Overview };
  "GET /overview/live": { query: OfAccount; answer: Live };
  "GET /usage/explore": { query: ExploreQuery; answer: UsageExploration };
  "GET /resolve": { query: ResolveQuery; answer: Resolution };
  "POST /resolve": { body: ResolveDraft; answer: Resolution };
  "GET /playground/prompts": { query: OfAccount; answer: PromptList };
  "POST /playground/prompts": { body: CreatePrompt; answer: Prompt };
  "PATCH /playground/prompts/{prompt}": { body: UpdatePrompt; answer: Prompt };
  "DELETE /playground/prompts/{prompt}": { answer: Deleted };
  "POST /playground/key": { body: OfAccount; answer: PlaygroundKey };
  "GET /models": { query: ModelsQuery; answer: ModelList };
  "GET /models/{vendor}/{name}": { answer: ModelDetail };
}
