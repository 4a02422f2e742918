import { wordsIn } from "./words.ts";

/** An option that can be found by typing. */
export interface ComboboxOption {
  readonly value: string;
  readonly label: string;
  /** A second, softer text beside the label, such as a price or a vendor; it is searched too. */
  readonly note?: string;
  /** Further words by which it is found and which are not shown, such as other names of a key. */
  readonly also?: string;
  /** It is found by its label alone. */
  readonly by_label?: boolean;
}

/** The options in which every typed word occurs, those whose label begins with the typed text first. */
export function matching<Option extends ComboboxOption>(options: readonly Option[], typed: string): Option[] {
  const matches = wordsIn(typed);
  const hits = options.filter(({ label, value, note = "", also = "", by_label = false }) =>
    matches(by_label ? label : `${label} ${value} ${note} ${also}`),
  );
  const [first = ""] = typed.trim().toLowerCase().split(/\s+/);
  const begins = ({ label, value }: Option) =>
    label.toLowerCase().startsWith(first) || value.toLowerCase().startsWith(first);
  return hits.toSorted((a, b) => Number(begins(b)) - Number(begins(a)));
}
