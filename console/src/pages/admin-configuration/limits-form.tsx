import { Input } from "../../kit/input.tsx";
import { useProblem } from "./field-problems.tsx";
import { countOf, objectOf, partWithField, textOf, type Value, withField } from "./value.ts";

/** The limits of every key without limits of its own. */
export function LimitsForm({ value, effective, onChange }: FormProps) {
  const key = objectOf(value.default_key);
  const known = objectOf(effective.default_key);
  const problem = useProblem();
  const setKey = (name: string, typed: string) =>
    onChange(withField(value, "default_key", partWithField(key, name, countOf(typed))));
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Input
        label="Requests per minute"
        inputMode="numeric"
        value={textOf(key, "rpm")}
        placeholder={textOf(known, "rpm")}
        error={problem("default_key.rpm")}
        onChange={(event) => setKey("rpm", event.target.value)}
      />
      <Input
        label="Concurrent requests"
        inputMode="numeric"
        value={textOf(key, "concurrent")}
        placeholder={textOf(known, "concurrent")}
        error={problem("default_key.concurrent")}
        onChange={(event) => setKey("concurrent", event.target.value)}
      />
      <Input
        label="Largest request body"
        value={textOf(value, "body")}
        placeholder={textOf(effective, "body")}
        error={problem("body")}
        help="A size such as 32MiB."
        onChange={(event) => onChange(withField(value, "body", event.target.value.trim()))}
      />
      <Input
        label="Calls of a decision"
        inputMode="numeric"
        value={textOf(value, "decision_calls")}
        placeholder={textOf(effective, "decision_calls")}
        error={problem("decision_calls")}
        help="The most calls to a chat model that one decision can make."
        onChange={(event) => onChange(withField(value, "decision_calls", countOf(event.target.value)))}
      />
    </div>
  );
}

export interface FormProps {
  readonly value: Value;
  /** The values in force, for the empty fields. */
  readonly effective: Value;
  readonly onChange: (value: Value) => void;
}

/** A part of an element, whose form sets the whole part. */
export interface PartProps extends Omit<FormProps, "onChange"> {
  readonly onChange: (part: unknown) => void;
}
