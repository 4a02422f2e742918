import { Button } from "../../kit/button.tsx";
import { Input } from "../../kit/input.tsx";
import { nextRow, type TypedKey } from "./credential-kinds.ts";

/** The rows of several credentials. What the gateway has already is never shown: a row without a text keeps its key. */
export function KeyRows({
  rows,
  label,
  onChange,
}: {
  rows: readonly TypedKey[];
  label: string;
  onChange: (rows: readonly TypedKey[]) => void;
}) {
  const put = (at: number, change: Partial<TypedKey>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...change } : row)));
  return (
    <fieldset className="space-y-3">
      <legend className="sr-only">Keys</legend>
      {rows.map((row, at) => (
        <div key={row.id} className="grid grid-cols-[1fr_2fr_4.5rem_auto] items-end gap-2 max-sm:grid-cols-2">
          <Input
            label="Name"
            mono
            required
            value={row.name}
            onChange={(event) => put(at, { name: event.target.value })}
          />
          <Input
            label={label}
            type="password"
            mono
            required={!row.is_kept}
            autoComplete="new-password"
            spellCheck={false}
            placeholder={row.is_kept ? "as it is" : ""}
            value={row.key}
            onChange={(event) => put(at, { key: event.target.value })}
          />
          <Input
            label="Weight"
            mono
            inputMode="decimal"
            value={row.weight}
            onChange={(event) => put(at, { weight: event.target.value })}
          />
          <Button
            icon="trash"
            aria-label={`Remove ${row.name}`}
            disabled={rows.length === 1}
            onClick={() => onChange(rows.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <Button size="small" icon="plus" onClick={() => onChange([...rows, nextRow(rows)])}>
        Add a key
      </Button>
    </fieldset>
  );
}
