import { Button } from "../../../kit/button.tsx";
import { Textarea } from "../../../kit/input.tsx";
import { type Settings, settingsProblem } from "./settings.ts";

interface Props {
  readonly name: "schema" | "tools";
  readonly label: string;
  readonly placeholder: string;
  readonly help: string;
  /** The text that the button writes into an empty field. */
  readonly example: { readonly label: string; readonly text: string };
  readonly settings: Settings;
  readonly set: (changes: Partial<Settings>) => void;
}

/** An optional setting that is written as JSON: two lines and an offer of an example until something is in it. */
export function JsonField({ name, label, placeholder, help, example, settings, set }: Props) {
  const is_empty = settings[name] === "";
  return (
    <div>
      <Textarea
        label={label}
        optional
        mono
        rows={is_empty ? 2 : 8}
        spellCheck={false}
        placeholder={placeholder}
        help={help}
        error={settingsProblem(settings, name)}
        value={settings[name]}
        onChange={(typed) => set({ [name]: typed })}
      />
      {is_empty && (
        <Button kind="quiet" size="small" className="mt-1 -ml-2.5" onClick={() => set({ [name]: example.text })}>
          {example.label}
        </Button>
      )}
    </div>
  );
}
