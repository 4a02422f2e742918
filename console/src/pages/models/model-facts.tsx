import type { ModelDetail, ReasoningControls } from "../../../../contract/models.ts";
import { useIsAdministrator } from "../../api/session.ts";
import { Badge } from "../../kit/badge.tsx";
import { Card, Facts } from "../../kit/card.tsx";
import { formatCount, formatDay } from "../../kit/format.ts";
import { TextLink } from "../../kit/row-link.tsx";
import { None, Tokens } from "../../kit/values.tsx";
import { stylesOf } from "../playground/endpoints.ts";
import { CapabilityBadges } from "./capability-badges.tsx";
import { ModelLink } from "./model-link.tsx";

/** Limits, modalities, reasoning controls and the endpoints. */
export function ModelFacts({ model }: { model: ModelDetail }) {
  const administrator = useIsAdministrator();
  const { kind, capabilities, input_modalities, output_modalities, fallbacks, vendors, created } = model;
  return (
    <Card title="What it is">
      <Facts
        facts={[
          ["Made by", model.owned_by],
          created > 0 ? ["Released", formatDay(created * 1000)] : null,
          ["Context", <Tokens key="context" focusable count={model.context_length} />],
          kind === "chat"
            ? ["Max output", <Tokens key="answer" focusable count={model.max_completion_tokens} />]
            : null,
          ["Takes", <Words key="takes" words={input_modalities} />],
          ["Gives", <Words key="gives" words={output_modalities} />],
          kind === "chat" ? ["Can", <CapabilityBadges key="can" model={model} all wraps />] : null,
          capabilities.thinking
            ? ["Reasoning", <Reasoning key="reasoning" controls={capabilities.reasoning ?? {}} />]
            : null,
          model.decided_with === null
            ? null
            : [
                "Decides with",
                <span key="decides">
                  <ModelLink id={model.decided_with} />, from its token probabilities
                </span>,
              ],
          ["Endpoints", <Endpoints key="endpoints" model={model} />],
          fallbacks.length === 0
            ? null
            : [
                "If it fails",
                <span key="fallbacks" className="flex flex-wrap gap-x-3">
                  {fallbacks.map((id) => (
                    <ModelLink key={id} id={id} />
                  ))}
                </span>,
              ],
          administrator && vendors.length > 0 ? ["Served by", <Vendors key="vendors" ids={vendors} />] : null,
        ]}
      />
    </Card>
  );
}

function Words({ words }: { words: readonly string[] }) {
  if (words.length === 0) return <None />;
  return <>{words.join(", ")}</>;
}

function Endpoints({ model }: { model: ModelDetail }) {
  return (
    <ul className="space-y-0.5">
      {stylesOf(model).map(({ id, path }) => (
        <li key={id}>
          <code className="font-mono text-[0.88rem]">{path}</code>
        </li>
      ))}
    </ul>
  );
}

function Vendors({ ids }: { ids: readonly string[] }) {
  return (
    <span className="flex flex-wrap gap-x-3">
      {[...new Set(ids)].map((id) => (
        <TextLink key={id} to="/admin/vendors/$id" params={{ id }}>
          {id}
        </TextLink>
      ))}
    </span>
  );
}

function Reasoning({ controls }: { controls: ReasoningControls }) {
  const { toggle, effort = [], budget_tokens } = controls;
  if (toggle === undefined && effort.length === 0 && budget_tokens === undefined) {
    return <>always on, without controls</>;
  }
  return (
    <div className="space-y-1.5">
      {toggle !== undefined && <p>{toggle ? "can be turned off" : "cannot be turned off"}</p>}
      {effort.length > 0 && (
        <p className="flex flex-wrap items-center gap-1">
          <span className="mr-1">effort</span>
          {effort.map((level) => (
            <Badge key={level}>{level}</Badge>
          ))}
        </p>
      )}
      {budget_tokens !== undefined && <p>{budgetWords(budget_tokens)}</p>}
    </div>
  );
}

function budgetWords({ min, max }: NonNullable<ReasoningControls["budget_tokens"]>): string {
  const from = min === undefined ? "" : ` from ${formatCount(min)}`;
  const to = max === undefined ? "" : ` to ${formatCount(max)}`;
  return `a budget${from}${to} tokens`.replace("budget tokens", "budget of tokens");
}
