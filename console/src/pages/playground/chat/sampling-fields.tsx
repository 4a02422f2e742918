import { useState } from "react";
import type { Model } from "../../../../../contract/models.ts";
import { Button } from "../../../kit/button.tsx";
import { Input, Textarea } from "../../../kit/input.tsx";
import type { ChatStyle } from "../endpoints.ts";
import { type Settings, samplingOf, settingsProblem } from "./settings.ts";

interface Props {
  readonly model: Model;
  readonly style: ChatStyle;
  readonly settings: Settings;
  readonly set: (changes: Partial<Settings>) => void;
}

/** The settings by which the model picks its words: those that it takes in this style, the rarer ones folded away. */
export function SamplingFields({ model, style, settings, set }: Props) {
  const fields = samplingOf(model, style, settings.effort);
  const takes_stop = style !== "responses";
  const [open, setOpen] = useState(false);
  const [first, ...rarer] = fields;
  if (first === undefined && !takes_stop) return null;
  const shown = open ? fields : fields.filter(({ name }) => name === "temperature" || settings[name] !== "");
  return (
    <>
      {model.sampling !== undefined && (
        <p className="text-[0.85rem] text-ink-soft">
          {model.sampling === "never"
            ? "This model does not accept a temperature."
            : "This model accepts a temperature only with reasoning off."}
        </p>
      )}
      {shown.length > 0 && (
        <div className="grid grid-cols-2 items-end gap-3">
          {shown.map(({ name, label, min, max }) => (
            <Input
              key={name}
              label={label}
              inputMode={min < 0 ? "text" : "decimal"}
              placeholder="default"
              help={max === null ? `from ${min} on` : `${min} to ${max}`}
              error={settingsProblem(settings, name, style)}
              value={settings[name]}
              onChange={(typed) => set({ [name]: typed })}
            />
          ))}
        </div>
      )}
      {takes_stop && (open || settings.stop !== "") && (
        <Textarea
          label="Stop sequences"
          optional
          mono
          rows={2}
          spellCheck={false}
          help="One per line. The answer ends before the first match."
          error={settingsProblem(settings, "stop")}
          value={settings.stop}
          onChange={(typed) => set({ stop: typed })}
        />
      )}
      {(rarer.length > 0 || takes_stop) && (
        <Button
          kind="quiet"
          size="small"
          icon={open ? "chevron-down" : "chevron-right"}
          aria-expanded={open}
          className="-ml-2.5"
          onClick={() => setOpen(!open)}
        >
          More settings
        </Button>
      )}
    </>
  );
}
