import { useMemo } from "react";
import { ApiError } from "../../api/api-error.ts";
import { Combobox } from "../../kit/combobox.tsx";
import { cx } from "../../kit/cx.ts";
import { formatCount } from "../../kit/format.ts";
import { Textarea } from "../../kit/input.tsx";
import { Notice } from "../../kit/states.tsx";
import type { KeyDraft } from "./key-draft.ts";
import { modelFilter, readPatterns } from "./match-models.ts";
import { useModels } from "./use-models.ts";

type Confinement = Pick<KeyDraft, "confined" | "patterns">;

/** Which models a key may use: all of them, or those that match patterns, counted while the user types. */
export function ModelsField({
  value,
  onChange,
  error,
}: {
  value: Confinement;
  onChange: (value: Confinement) => void;
  error: string | null;
}) {
  return (
    <fieldset className="space-y-3">
      <legend className="sr-only">Allowed models</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        <Choice
          label="All models"
          help="Including future models."
          checked={!value.confined}
          onChoose={() => onChange({ ...value, confined: false })}
        />
        <Choice
          label="Only some models"
          help="All others return 404."
          checked={value.confined}
          onChoose={() => onChange({ ...value, confined: true })}
        />
      </div>
      {value.confined && <Patterns value={value} onChange={onChange} error={error} />}
    </fieldset>
  );
}

function Choice({
  label,
  help,
  checked,
  onChoose,
}: {
  label: string;
  help: string;
  checked: boolean;
  onChoose: () => void;
}) {
  return (
    <label
      className={cx(
        "flex cursor-pointer items-start gap-2.5 rounded-lg border px-3.5 py-2.5",
        checked ? "border-accent bg-accent-soft" : "border-line hover:border-line-strong",
      )}
    >
      <input
        type="radio"
        name="allowed-models"
        checked={checked}
        onChange={onChoose}
        className="mt-1 size-4 shrink-0 accent-accent"
      />
      <span>
        <span className="block font-medium">{label}</span>
        <span className="block text-[0.85rem] text-ink-soft">{help}</span>
      </span>
    </label>
  );
}

function Patterns({
  value,
  onChange,
  error,
}: {
  value: Confinement;
  onChange: (value: Confinement) => void;
  error: string | null;
}) {
  const { models, options } = useModels();
  const patterns = readPatterns(value.patterns);
  const vendors = useMemo(() => {
    const ids = [...new Set(models.map(({ vendor }) => vendor.id))];
    return ids.map((id) => ({ value: `${id}/*`, label: `${id}/*`, note: "every model of the vendor" }));
  }, [models]);
  const add = (pattern: string) =>
    onChange({ ...value, patterns: [...patterns.filter((each) => each !== pattern), pattern].join("\n") });
  return (
    <div className="space-y-3">
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <Textarea
          label="Patterns"
          mono
          required
          rows={4}
          spellCheck={false}
          placeholder={"anthropic/*\n*-mini"}
          help="One per line. * stands for any text."
          value={value.patterns}
          error={error}
          onChange={(typed) => onChange({ ...value, patterns: typed })}
        />
        <Combobox
          label="Add a model or vendor"
          placeholder="Find in the catalog"
          options={[...vendors, ...options]}
          value=""
          onChange={add}
        />
      </div>
      <Matches patterns={patterns} ids={models.map(({ id }) => id)} />
    </div>
  );
}

/** The sentence of a refusal about the patterns; null for other errors. */
export function modelsError(error: unknown): string | null {
  return error instanceof ApiError && error.param?.startsWith("models") ? error.message : null;
}

const MOST_SHOWN = 6;

function Matches({ patterns, ids }: { patterns: readonly string[]; ids: readonly string[] }) {
  const found = ids.filter(modelFilter(patterns));
  const idle = patterns.filter((pattern) => !ids.some(modelFilter([pattern])));
  const more = found.length - MOST_SHOWN;
  return (
    <div role="status" className="space-y-2 text-[0.9rem]">
      <p>
        <strong className="font-semibold tabular-nums">
          {formatCount(found.length)} of {formatCount(ids.length)} models
        </strong>{" "}
        <span className="text-ink-soft">may be used{found.length > 0 && ":"}</span>
      </p>
      {found.length > 0 && (
        <p className="font-mono text-[0.83rem] break-words text-ink-soft">
          {found.slice(0, MOST_SHOWN).join(", ")}
          {more > 0 && <span className="font-sans"> and {formatCount(more)} more</span>}
        </p>
      )}
      {idle.length > 0 && ids.length > 0 && (
        <Notice tone="warn">
          {idle.length === 1 ? "This pattern matches" : "These patterns match"} no model:{" "}
          <span className="font-mono">{idle.join(", ")}</span>
        </Notice>
      )}
    </div>
  );
}
