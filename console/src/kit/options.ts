/** One of the options of a field, by the value that is sent. */
export interface Option<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
}

/** The options of a field, in this order: their labels by their values. */
export function optionsOf<const Value extends string>(
  labels: Readonly<Record<Value, string>>,
): readonly Option<Value>[] {
  return (Object.entries(labels) as [Value, string][]).map(([value, label]) => ({ value, label }));
}
