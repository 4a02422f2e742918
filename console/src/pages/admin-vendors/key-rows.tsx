import { Button } from "../../kit/button.tsx";
import { Input } from "../../kit/input.tsx";
import { nextRow, type TypedKey } from "./credential-kinds.ts";

const LIMITS = [
  { field: "spend", label: "Spend a day" },
  { field: "rpm", label: "Requests per minute" },
  { field: "tpm", label: "Tokens per minute" },
  { field: "concurrent", label: "Concurrent requests" },
] as const;

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
        <div key={row.id} className="grid grid-cols-4 items-end gap-2 border-b border-line pb-3 max-sm:grid-cols-2">
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
          {LIMITS.map(({ field, label: name }) => (
            <Input
              key={field}
              label={name}
              optional
              inputMode="decimal"
              value={row[field]}
              onChange={(event) => put(at, { [field]: event.target.value })}
            />
          ))}
        </div>
      ))}
      <Button size="small" icon="plus" onClick={() => onChange([...rows, nextRow(rows)])}>
        Add a key
      </Button>
    </fieldset>
  );
}
