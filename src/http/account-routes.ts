import { geminiModel, listGeminiModels } from "../catalog/names/gemini-models.ts";
import { listModels, type ModelReader, modelObject } from "../catalog/names/model-objects.ts";
import type { CacheSums } from "../core/answer/cached-answers.ts";
import { type Configuration, MODEL_KINDS, type ModelKind } from "../core/catalog/catalog.ts";
import { GatewayError } from "../core/errors.ts";
import type { KeyRecord } from "../core/people/principal.ts";
import type { AccountStore } from "../core/store/ports.ts";
import { creditsObject, usageObject } from "../ledger/account-objects.ts";
import { generationText } from "../ledger/generation-object.ts";
import { keyText } from "../ledger/key-object.ts";
import { receiptGone, receiptObject, refusedObject } from "../ledger/receipt.ts";
import { modelNotFound } from "../pipeline/plan/model-not-found.ts";
import type { ServerAnswer } from "../wire/server/server-answer.ts";
import type { EdgeDeps, EdgeRequest, RouteDeps } from "./context.ts";
import type { RouteName } from "./paths/routes.ts";
import { answerReading } from "./reading-route.ts";

/** Answers the read-only endpoints: models, usage, credits and receipts (docs/api.md 4.4, 4.5, 4.8). */
export function answerAccountRoute(deps: RouteDeps, edge: EdgeRequest): Promise<ServerAnswer> {
  const { name } = edge.match.row;
  return answerReading(deps, edge, {
    policy: "any",
    bodyFor: async (key) => {
      const body = await view(deps, edge, key);
      return typeof body === "string" ? body : JSON.stringify(body);
    },
    failure: OF_DATABASE.has(name) ? "db_error" : "internal_error",
    style_b_not_found: name === "models.retrieve",
  });
}

async function view(deps: EdgeDeps, edge: EdgeRequest, key: KeyRecord): Promise<unknown> {
  const { store } = deps;
  const { configuration } = deps.pipeline;
  const { accounts } = store;
  switch (edge.match.row.name) {
    case "gemini.models.list":
    case "models.list":
      if (edge.error_style === "c")
        return listGeminiModels(configuration, key, new URLSearchParams(edge.query), readerOf(deps, edge));
      return listModels(configuration, key, readKind(edge.query), readerOf(deps, edge));
    case "gemini.models.retrieve":
    case "models.retrieve":
      return retrieveModel(deps, key, edge);
    case "usage":
      return usageObject(
        await accounts.usageWindows(key.account_id),
        configuration.currency,
        await cacheOfMonth(deps, key),
      );
    case "credits":
      return creditsObject(await accounts.findAccount(key.account_id), configuration.currency);
    case "key":
      return await keyView(accounts, key, configuration);
    case "generation":
      return await generationView(accounts, key.account_id, new URLSearchParams(edge.query).get("id") ?? "");
    case "requests.retrieve":
      return await requestObject(accounts, key.account_id, edge.match.parameter ?? "", configuration.currency);
    default:
      throw new Error(`${edge.match.row.name} is not an account route`);
  }
}

/** What the caller's own key has used, and what it may use (docs/api.md 4.21). */
async function keyView(accounts: AccountStore, key: KeyRecord, { limits }: Configuration): Promise<string> {
  const [usage, budgets] = await Promise.all([
    accounts.keyUsage(key.account_id, key.id),
    key.budget === null ? [] : accounts.budgetUses(key.account_id),
  ]);
  const budget = budgets.find(({ key_id }) => key_id === key.id) ?? null;
  return keyText(key, { usage, budget, usual_rpm: limits.default_key.rpm });
}

/** What stored answers saved in the current calendar month, UTC (docs/rulings.md 183). */
function cacheOfMonth({ store }: EdgeDeps, { account_id }: KeyRecord): Promise<CacheSums> {
  const now_ms = store.now_ms();
  const now = new Date(now_ms);
  return store.responses.cacheSums(account_id, Date.UTC(now.getUTCFullYear(), now.getUTCMonth()), now_ms + 1);
}

/** Style B's own clients name themselves by `anthropic-version`; a key in `x-api-key` alone says nothing of what is read. */
function readerOf({ store }: EdgeDeps, { request: { head } }: EdgeRequest): ModelReader {
  const is_style_b = head.get("anthropic-version") !== null;
  return { now_ms: store.now_ms(), is_style_b, wants_decision_models: head.get("x-typesafe-sdk") !== null };
}

const KINDS = [...MODEL_KINDS, "all"] as const;

/** The query's `kind`; null when it is absent, which means chat models without a `kind` field (docs/api.md 4.4). */
function readKind(query: string): ModelKind | "all" | null {
  const kind = new URLSearchParams(query).get("kind");
  const known = KINDS.find((each) => each === kind);
  if (kind === null || known !== undefined) return known ?? null;
  throw new GatewayError(
    "unsupported_parameter",
    `kind is ${JSON.stringify(kind.slice(0, 40))}; allowed: ${KINDS.join(", ")}.`,
    { param: "kind" },
  );
}

function retrieveModel(deps: EdgeDeps, key: KeyRecord, edge: EdgeRequest): unknown {
  const { configuration } = deps.pipeline;
  const reader = readerOf(deps, edge);
  const name = edge.match.parameter ?? "";
  const found =
    edge.error_style === "c"
      ? geminiModel(configuration, key, name, reader)
      : modelObject(configuration, key, name, reader);
  if (found === null) throw modelNotFound(configuration, key, name);
  return found;
}

type Receipts = Pick<AccountStore, "findRequest" | "findRefused" | "findCharge">;

/** A request's receipt, or its refusal. Throws a 404. */
async function requestObject(accounts: Receipts, account_id: string, id: string, currency: string): Promise<object> {
  const record = await accounts.findRequest(account_id, id);
  if (record !== null) return receiptObject(record, currency);
  const refused = await accounts.findRefused(account_id, id);
  if (refused !== null) return refusedObject(refused);
  throw await noReceipt(accounts, account_id, id);
}

/** What became of a request, in OpenRouter's shape (docs/api.md 4.23). Throws a 404 also while it runs: clients of that shape ask again then. */
async function generationView(accounts: Receipts, account_id: string, id: string): Promise<string> {
  const record = id === "" ? null : await accounts.findRequest(account_id, id);
  if (record === null) throw await noReceipt(accounts, account_id, id);
  if (record.status === "held") throw new GatewayError("not_found", `The request ${record.id} still runs.`);
  return generationText(record, id);
}

/** The 404, which says so where the receipt was there and is deleted (docs/design/audit.md). */
async function noReceipt(accounts: Receipts, account_id: string, id: string): Promise<GatewayError> {
  const charge = await accounts.findCharge(id);
  const name = JSON.stringify(id.slice(0, 200));
  if (charge?.account_id === account_id) return new GatewayError("not_found", receiptGone(name, charge.created_ms));
  return new GatewayError("not_found", `There is no request ${name} on this account.`);
}

const OF_DATABASE: ReadonlySet<RouteName> = new Set<RouteName>([
  ...(["usage", "credits", "key", "generation", "requests.retrieve"] as const),
]);
