import type { Model } from "../../../../../contract/models.ts";
import { formatCount } from "../../../kit/format.ts";
import { Input, Select, Textarea } from "../../../kit/input.tsx";
import type { ChatStyle } from "../endpoints.ts";
import { JsonField } from "./json-field.tsx";
import { SamplingFields } from "./sampling-fields.tsx";
import { EXAMPLE_SCHEMA, EXAMPLE_TOOLS, type Settings, settingsProblem } from "./settings.ts";

interface Props {
  readonly model: Model;
  readonly style: ChatStyle;
  readonly settings: Settings;
  readonly onChange: (settings: Settings) => void;
}

/** The system prompt, and the parameters that the model takes in this style. */
export function Parameters({ model, style, settings, onChange }: Props) {
  const set = (changes: Partial<Settings>) => onChange({ ...settings, ...changes });
  const most = model.max_completion_tokens;
  return (
    <div className="space-y-4">
      <Textarea
        label="System prompt"
        optional
        rows={3}
        placeholder="You are a helpful assistant."
        value={settings.system}
        onChange={(typed) => set({ system: typed })}
      />
      <div className="grid grid-cols-2 gap-3">
        <Input
          label="Max tokens"
          inputMode="numeric"
          placeholder={style === "messages" ? "4096" : "default"}
          help={most === null ? undefined : `up to ${formatCount(most)}`}
          error={settingsProblem(settings, "max_tokens")}
          value={settings.max_tokens}
          onChange={(typed) => set({ max_tokens: typed })}
        />
      </div>
      <ReasoningFields model={model} style={style} settings={settings} set={set} />
      <SamplingFields model={model} style={style} settings={settings} set={set} />
      {model.capabilities.json && (
        <JsonField
          name="schema"
          label="JSON schema"
          placeholder='{"type": "object", …}'
          help="The answer is JSON that matches it."
          example={{ label: "Use an example schema", text: EXAMPLE_SCHEMA }}
          settings={settings}
          set={set}
        />
      )}
      {model.capabilities.tools && (
        <JsonField
          name="tools"
          label="Tools"
          placeholder='[{"name": "…", "parameters": {…}}]'
          help="As JSON. You answer the model's calls yourself."
          example={{ label: "Use an example", text: EXAMPLE_TOOLS }}
          settings={settings}
          set={set}
        />
      )}
    </div>
  );
}

type FieldsProps = Pick<Props, "settings"> & { readonly set: (changes: Partial<Settings>) => void };

/** The fields of the model's reasoning controls; empty for a model without such controls. */
function ReasoningFields({ model, style, settings, set }: FieldsProps & Pick<Props, "model" | "style">) {
  const { toggle, effort = [], budget_tokens } = model.capabilities.reasoning ?? {};
  const options = [
    { value: "", label: "Default" },
    ...(toggle ? [{ value: "off", label: "Off" }] : []),
    ...effort.filter((level) => level !== "none").map((level) => ({ value: level, label: level })),
  ];
  const has_budget = budget_tokens !== undefined && style === "messages" && settings.effort !== "off";
  if (options.length === 1 && !has_budget) return null;
  return (
    <div className="grid grid-cols-2 gap-3">
      {options.length > 1 && (
        <Select
          label="Reasoning"
          options={options}
          value={options.some(({ value }) => value === settings.effort) ? settings.effort : ""}
          onChange={(typed) => set({ effort: typed })}
        />
      )}
      {has_budget && (
        <Input
          label="Thinking budget"
          inputMode="numeric"
          placeholder="none"
          help={budgetHelp(budget_tokens)}
          error={settingsProblem(settings, "budget")}
          value={settings.budget}
          onChange={(typed) => set({ budget: typed })}
        />
      )}
    </div>
  );
}

function budgetHelp({ min, max }: { min?: number; max?: number }): string | undefined {
  if (min === undefined && max === undefined) return undefined;
  if (max === undefined) return `from ${formatCount(min ?? 0)} tokens`;
  return min === undefined ? `up to ${formatCount(max)} tokens` : `${formatCount(min)} to ${formatCount(max)} tokens`;
}
