import type { ModelLimitUses } from "../../../../contract/budgets.ts";
import { modelLimitText } from "../../../../contract/model-limit-text.ts";
import { ApiError } from "../../api/api-error.ts";
import { CALM_MS, useApi } from "../../api/use-api.ts";
import { Textarea } from "../../kit/input.tsx";
import { BudgetMeter } from "./budget-meter.tsx";
import type { LimitDraft } from "./key-draft.ts";

interface Props {
  readonly draft: LimitDraft;
  readonly onChange: (changes: Partial<LimitDraft>) => void;
  readonly error: unknown;
}

/** Limits by model, one a line as the command line has them. */
export function ModelLimitsField({ draft, onChange, error }: Props) {
  const refused = error instanceof ApiError && error.param?.startsWith("model_limits") ? error.message : null;
  return (
    <Textarea
      label="Limits by model"
      optional
      mono
      rows={3}
      spellCheck={false}
      placeholder="openai/*:rpm=60,budget=5/day"
      help="One per line: a pattern, then rpm, tpm, concurrent, budget. Every line that matches a request's model applies."
      value={draft.model_limits}
      error={refused}
      onChange={(typed) => onChange({ model_limits: typed })}
    />
  );
}

/** The limits by model of a key, with what of each is used; nothing where there are none. */
export function KeyModelLimits({ of: key }: { of: string }) {
  const { data } = useApi("GET /keys/{key}/model-limits", { path: { key } }, { refresh_ms: CALM_MS });
  return data === undefined ? null : <ModelLimitUseList {...data} />;
}

/** The limits by model of a project, with what of each is used; nothing where there are none. */
export function ProjectModelLimits({ of: project }: { of: string }) {
  const { data } = useApi("GET /projects/{project}/model-limits", { path: { project } }, { refresh_ms: CALM_MS });
  return data === undefined ? null : <ModelLimitUseList {...data} />;
}

/** Limits by model, with what of each is used; nothing where there are none. */
export function ModelLimitUseList({ data: uses, currency }: Pick<ModelLimitUses, "data" | "currency">) {
  if (uses.length === 0) return null;
  return (
    <ul className="space-y-3">
      {uses.map((limit) => (
        <li key={`${limit.holder} ${limit.models}`} className="flex flex-wrap items-start justify-between gap-3">
          <span className="font-mono text-[0.85rem] break-all">
            {modelLimitText(limit)}
            {limit.holder === "gateway" && <span className="font-sans text-ink-soft"> set for every account</span>}
            {limit.by_administrator && <span className="font-sans text-ink-soft"> set by an administrator</span>}
          </span>
          {limit.use !== null && <BudgetMeter use={limit.use} currency={currency} focusable />}
        </li>
      ))}
    </ul>
  );
}
