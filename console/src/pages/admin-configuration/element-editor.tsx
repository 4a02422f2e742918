import { useState } from "react";
import type { ElementProblem } from "../../../../contract/configuration.ts";
import type { ElementKind, ElementValue } from "../../../../contract/configuration-values.ts";
import { messageOf } from "../../api/api-error.ts";
import { Button } from "../../kit/button.tsx";
import { Combobox } from "../../kit/combobox.tsx";
import { DialogActions } from "../../kit/dialog.tsx";
import { Form } from "../../kit/form.tsx";
import { Textarea } from "../../kit/input.tsx";
import { Notice } from "../../kit/states.tsx";
import { useModels } from "../keys/use-models.ts";
import { ChangePreview } from "./change-preview.tsx";
import { FieldProblems } from "./field-problems.tsx";
import { LimitsForm } from "./limits-form.tsx";
import { ModelForm } from "./model-form.tsx";
import type { ElementChanging } from "./use-element-change.ts";
import { objectOf, type Value } from "./value.ts";
import { VendorForm } from "./vendor-form.tsx";

const NO_PROBLEMS: readonly ElementProblem[] = [];

/**
 * An element's form, then a preview of the change, then the change. The form has the usual fields; the text has all fields, in the
 * names of docs/configuration.md.
 */
export function ElementEditor({
  kind,
  id,
  initial,
  effective,
  taken_from = null,
  changing,
}: {
  kind: ElementKind;
  id: string;
  /** What the element belongs to before the change, which takes it over; null: to the database. */
  taken_from?: "file" | "bundled" | null;
  initial: ElementValue;
  /** The values in force for fields that the element leaves out: shown in the empty fields. */
  effective: ElementValue | null;
  changing: ElementChanging;
}) {
  const [value, setValue] = useState<ElementValue>(initial);
  const [text, setText] = useState<string | null>(null);
  const parsed = text === null ? value : parse(text);
  const previewed = changing.wanted?.action === "put" ? changing.previewed : undefined;
  if (previewed !== undefined && previewed.problems.length === 0)
    return (
      <div className="space-y-4">
        {taken_from !== null && <TakenOver from={taken_from} />}
        <ChangePreview changing={changing} back="Back to the form" />
      </div>
    );
  return (
    <Form
      className="space-y-5"
      onSubmit={() => {
        if (parsed !== null && id !== "")
          changing.look({ action: "put", value: parsed, take_over: taken_from !== null });
      }}
    >
      {taken_from !== null && <TakenOver from={taken_from} />}
      <FieldProblems
        key={text === null ? "fields" : "text"}
        {...{ kind, id }}
        problems={previewed?.problems ?? NO_PROBLEMS}
      >
        {text === null ? (
          <FormOf kind={kind} value={value} effective={effective} onChange={setValue} />
        ) : (
          <Textarea
            label="Everything, as JSON"
            mono
            rows={18}
            spellCheck={false}
            value={text}
            help="Names are those of the configuration file. Prices and weights are strings, counts are numbers."
            error={parsed === null ? "This is not a JSON object." : null}
            onChange={setText}
          />
        )}
      </FieldProblems>
      {changing.refused && <Notice tone="danger">{messageOf(changing.refused)}</Notice>}
      <DialogActions>
        {typeof value !== "string" && (
          <Button
            kind="quiet"
            disabled={parsed === null}
            onClick={() => {
              if (text === null) return setText(JSON.stringify(value, null, 2));
              if (parsed !== null) setValue(parsed);
              setText(null);
            }}
          >
            {text === null ? "Edit as text" : "Back to the fields"}
          </Button>
        )}
        <Button type="submit" kind="primary" busy={changing.looking} disabled={parsed === null || id === ""}>
          Preview the change
        </Button>
      </DialogActions>
    </Form>
  );
}

/** What else a change does to an element of the file or the catalog, said before it is made. */
function TakenOver({ from }: { from: "file" | "bundled" }) {
  return (
    <Notice>
      {from === "file"
        ? "The configuration file has this model. The change copies it into the database; the file stays as it is and no longer applies to it, until it is given back."
        : "This model comes with Camino. The change copies it into the database; later versions of the bundled catalog no longer apply to it, until it is given back."}
    </Notice>
  );
}

function parse(text: string): Value | null {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Value) : null;
  } catch {
    return null;
  }
}

function FormOf({
  kind,
  value,
  effective,
  onChange,
}: {
  kind: ElementKind;
  value: ElementValue;
  effective: ElementValue | null;
  onChange: (value: ElementValue) => void;
}) {
  if (kind === "alias") return <AliasForm target={typeof value === "string" ? value : ""} onChange={onChange} />;
  const props = { value: objectOf(value), effective: objectOf(effective), onChange };
  if (kind === "model") return <ModelForm {...props} />;
  return kind === "vendor" ? <VendorForm {...props} /> : <LimitsForm {...props} />;
}

function AliasForm({ target, onChange }: { target: string; onChange: (target: string) => void }) {
  const { options } = useModels("all");
  return (
    <Combobox label="Model" free options={options} value={target} onChange={onChange} placeholder="A model's id" />
  );
}
