import { type Resolution, ResolveDraft, ResolveQuery } from "../../../contract/resolve.ts";
import { explainName, type NameExplanation } from "../../catalog/names/explain-name.ts";
import type { Configuration } from "../../core/catalog/catalog.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { requireKey } from "../answer/scope.ts";
import { BLANK_KEY } from "../read/blank-key.ts";
import { endpointsOf } from "../show/show-model.ts";

export const resolveRoutes = [
  route("GET /resolve", "member", { query: ResolveQuery, show: resolveStored }),
  route("POST /resolve", "member", { audit: { none: "it stores nothing" }, body: ResolveDraft, show: resolveDraft }),
];

async function resolveStored(call: ConsoleCall<unknown, ResolveQuery>): Promise<Resolution> {
  const { key, name } = call.query;
  return resolution(call.deps.configuration, await requireKey(call, key), name);
}

/** Explains aliases that lead nowhere instead of refusing them: the page asks while the user is still typing. */
function resolveDraft({ deps, body }: ConsoleCall<ResolveDraft>): Resolution {
  const { name, aliases = [], prefix_aliases = [], models = null } = body;
  return resolution(deps.configuration, { ...UNSAVED, aliases, prefix_aliases, models }, name);
}

/** Stands in for a key that is not stored yet: only a key's aliases and models decide how it resolves names. */
const UNSAVED: KeyRecord = {
  ...BLANK_KEY,
  id: "",
  account_id: "",
  status: "active",
  account_status: "active",
  created_ms: 0,
  last_used_ms: null,
  hint: "",
  version: 0,
};

function resolution(configuration: Configuration, key: KeyRecord, name: string): Resolution {
  const explained = explainName(configuration, key, name);
  const { rule, via, target, model, hidden_alias } = explained;
  return {
    object: "resolution",
    name,
    found: model !== null,
    rule,
    via,
    target,
    model: model && {
      id: model.id,
      display_name: model.display_name,
      kind: model.kind,
      endpoints: endpointsOf(model),
    },
    hidden_alias,
    explanation: sentence(explained, name),
  };
}

function sentence({ rule, of, via, target, model, hidden_alias }: NameExplanation, name: string): string {
  const led = via === null ? "is the id of a model" : `leads by the alias ${via} to ${target}`;
  const only_decides =
    model?.kind === "decision" ? " It is a decision model: the decision endpoints take it, chat does not." : "";
  switch (rule) {
    case "id":
      return `${name} is the id of a model${hidden_alias === null ? "" : ", which wins over the alias of that name"}.${only_decides}`;
    case "alias":
      return `${name} is ${of === "gateway" ? "the gateway's alias" : "an alias"} of ${target}.${only_decides}`;
    case "prefix-alias":
      return `${name} begins with the ${of === "gateway" ? "gateway's " : ""}prefix alias ${via}, the longest match, and leads to ${target}.${only_decides}`;
    case "not-allowed":
      return `${name} ${led}, which the key's model patterns do not allow.`;
    case "target-missing":
      return `${name} ${led}, which is not in the catalog.`;
    case "not-found":
      return `Neither a model nor an alias of the key or the gateway has the name ${name.slice(0, 100)}.`;
  }
}
