import { useState } from "react";
import { fieldError } from "../api/api-error.ts";

/**
 * The texts of a form's fields, each named as the request's field is. `{...field("name")}` ties a field of the kit to its text, and to the
 * refusal that is about it. `other_error` is a refusal that is about none of them; null without one.
 */
export function useTexts<Name extends string>(initial: Readonly<Record<Name, string>>, error: unknown) {
  const [texts, setTexts] = useState(initial);
  const set = (changes: Partial<Record<Name, string>>) => setTexts((before) => ({ ...before, ...changes }));
  const field = (name: Name) => ({
    value: texts[name],
    error: fieldError(error, name),
    onChange: (typed: string) => setTexts((before) => ({ ...before, [name]: typed })),
  });
  const is_of_field = Object.keys(texts).some((name) => fieldError(error, name) !== null);
  return { texts, set, field, other_error: is_of_field ? null : error };
}
