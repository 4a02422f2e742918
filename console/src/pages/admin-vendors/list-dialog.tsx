import { useState } from "react";
import type { MOST_LIST_CHARACTERS } from "../../../../contract/offers.ts";
import { type ListPart, listOfParts, partsOfList } from "../../../../contract/published-lists.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { Field } from "../../kit/field.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Select } from "../../kit/input.tsx";

const MOST_CHARACTERS = 900_000 satisfies typeof MOST_LIST_CHARACTERS;

interface Chosen {
  readonly name: string;
  readonly as_of: string;
  readonly parts: readonly ListPart[];
}

/** A published list of models and prices from a file: read here, and cut down to one vendor before it is sent. */
export function ListDialog({
  vendor,
  open,
  onClose,
  onList,
}: {
  vendor: string;
  open: boolean;
  onClose: () => void;
  onList: (list: { name: string; as_of: string; text: string }) => void;
}) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Prices from a published list"
      description="A file of models.dev (api.json) or LiteLLM (model_prices_and_context_window.json). Prices are in US dollars."
    >
      {open && <ListForm vendor={vendor} onClose={onClose} onList={onList} />}
    </Dialog>
  );
}

function ListForm({
  vendor,
  onClose,
  onList,
}: {
  vendor: string;
  onClose: () => void;
  onList: (list: { name: string; as_of: string; text: string }) => void;
}) {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [name, setName] = useState("");
  const part = chosen?.parts.find((each) => each.name === name);
  const text = part === undefined ? "" : listOfParts([part]);
  const too_long = text.length > MOST_CHARACTERS ? "The list's part for this vendor is too long." : null;
  const read = async (file: File) => {
    const parts = partsOfList(await file.text());
    setProblem(parts === null ? "Camino does not know the format of this list." : null);
    if (parts === null) return setChosen(null);
    setChosen({ name: file.name.slice(0, 200), as_of: new Date(file.lastModified).toISOString().slice(0, 10), parts });
    setName((parts.find((each) => each.name === vendor) ?? parts[0])?.name ?? "");
  };
  return (
    <DialogForm
      action="Propose prices"
      disabled={text === "" || too_long !== null}
      onCancel={onClose}
      onSubmit={() => {
        if (chosen !== null && text !== "" && too_long === null)
          onList({ name: chosen.name, as_of: chosen.as_of, text });
      }}
    >
      <Field label="File" error={problem}>
        {(ids) => (
          <input
            {...ids}
            type="file"
            accept=".json,application/json"
            className="field"
            onChange={(event) => {
              const [file] = event.target.files ?? [];
              if (file !== undefined) void read(file);
            }}
          />
        )}
      </Field>
      {chosen !== null && (
        <Select
          label="The list's vendor"
          value={name}
          error={too_long}
          options={chosen.parts.map((each) => ({ value: each.name, label: `${each.name} (${each.model_count})` }))}
          onChange={setName}
        />
      )}
    </DialogForm>
  );
}
