import { Input } from "../../kit/input.tsx";
import { useFields } from "./field-problems.tsx";
import { countOf, objectOf, orNothing, trimmed, type Value, withField } from "./value.ts";

/** The limits of every key without limits of its own. */
export function LimitsForm({ value, effective, onChange }: ElementFormProps) {
  const field = useFields({ value, effective, onChange });
  const keyField = useFields({
    value: objectOf(value.default_key),
    effective: objectOf(effective.default_key),
    part: "default_key",
    onChange: (next) => onChange(withField(value, "default_key", orNothing(next))),
  });
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Input label="Requests per minute" inputMode="numeric" {...keyField("rpm", countOf)} />
      <Input label="Concurrent requests" inputMode="numeric" {...keyField("concurrent", countOf)} />
      <Input label="Largest request body" help="A size such as 32MiB." {...field("body", trimmed)} />
      <Input
        label="Calls of a decision"
        inputMode="numeric"
        help="The most calls to a chat model that one decision can make."
        {...field("decision_calls", countOf)}
      />
    </div>
  );
}

export interface ElementFormProps {
  readonly value: Value;
  /** The values in force, for the empty fields. */
  readonly effective: Value;
  readonly onChange: (value: Value) => void;
}

/** A part of an element, whose form sets the whole part. */
export interface PartProps extends Omit<ElementFormProps, "onChange"> {
  readonly onChange: (part: unknown) => void;
}
