import { fieldError } from "../../api/api-error.ts";
import { Input } from "../../kit/input.tsx";

interface Props {
  /** A time such as `10m`; empty: none. */
  readonly value: string;
  readonly help: string;
  readonly error: unknown;
  readonly onChange: (value: string) => void;
}

/** The time that `x-camino-cache: on` stands for, as a key or a project has it. */
export function CacheField({ value, help, error, onChange }: Props) {
  return (
    <Input
      label="Stored answers"
      optional
      placeholder="10m"
      help={help}
      value={value}
      error={fieldError(error, "cache")}
      onChange={onChange}
    />
  );
}
