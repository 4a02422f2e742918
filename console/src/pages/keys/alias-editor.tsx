import { useEffect, useRef, useState } from "react";
import type { Model } from "../../../../contract/models.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { Combobox } from "../../kit/combobox.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Input } from "../../kit/input.tsx";
import { type AliasRow, newAliasRow, type RowError, rowError } from "./alias-rows.ts";
import { useModels } from "./use-models.ts";

/** A key's aliases, one per line. `error`: the refusal of the last attempt to save, shown at the wrong line. */
export function AliasEditor({
  rows,
  onChange,
  error,
}: {
  rows: readonly AliasRow[];
  onChange: (rows: AliasRow[]) => void;
  error: unknown;
}) {
  const [added, setAdded] = useState<number | null>(null);
  const { models, options } = useModels();
  const refused = rowError(rows, error);
  const add = () => {
    const row = newAliasRow();
    setAdded(row.id);
    onChange([...rows, row]);
  };
  return (
    <div className="space-y-3">
      {rows.length > 0 && (
        <ul className="space-y-2.5">
          {rows.map((row, index) => (
            <AliasLine
              key={row.id}
              row={row}
              number={index + 1}
              models={models}
              options={options}
              error={refused?.id === row.id ? refused : null}
              focus={added === row.id}
              onChange={(changed) => onChange(rows.map((each) => (each.id === row.id ? changed : each)))}
              onRemove={() => onChange(rows.filter((each) => each.id !== row.id))}
            />
          ))}
        </ul>
      )}
      <Button icon="plus" size="small" onClick={add}>
        Add an alias
      </Button>
    </div>
  );
}

interface LineProps {
  readonly row: AliasRow;
  readonly number: number;
  readonly models: readonly Model[];
  readonly options: ReturnType<typeof useModels>["options"];
  readonly error: RowError | null;
  readonly focus: boolean;
  readonly onChange: (row: AliasRow) => void;
  readonly onRemove: () => void;
}

function AliasLine({ row, number, models, options, error, focus, onChange, onRemove }: LineProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focus) input.current?.focus();
  }, [focus]);
  const hides = models.some(({ id }) => id === row.name.trim());
  return (
    <li className="flex items-start gap-2 max-sm:rounded-lg max-sm:border max-sm:border-line max-sm:p-2.5">
      <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-[1fr_auto_1.3fr]">
        <Input
          label={`Alias ${number}`}
          hide_label
          mono
          spellCheck={false}
          placeholder="fast or gpt-*"
          maxLength={129}
          ref={input}
          value={row.name}
          error={error?.field === "name" ? error.message : null}
          help={hides ? "A model has this id, which takes precedence over the alias." : undefined}
          onChange={(typed) => onChange({ ...row, name: typed })}
        />
        <Icon name="arrow-right" className="mt-2.5 size-4 text-ink-soft max-sm:hidden" />
        <Combobox
          label={`Model of alias ${number}`}
          hide_label
          placeholder="Which model?"
          options={options}
          value={row.model}
          error={error?.field === "model" ? error.message : null}
          onChange={(model) => onChange({ ...row, model })}
        />
      </div>
      <IconButton icon="trash" label={`Remove alias ${row.name || number}`} onClick={onRemove} />
    </li>
  );
}
