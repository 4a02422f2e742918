import { Money, None } from "./values.tsx";

/** What is charged beside tokens, in micro units: of a million characters, a minute of sound, an image, a thousand searches. */
type Units = Readonly<Record<string, number>> | undefined;

const OF_ONE: Readonly<Record<string, string>> = {
  input_characters: "a million characters",
  input_minutes: "a minute",
  images: "an image",
  searches: "1k searches",
};

/** "$0.02 an image"; a dash where a model is charged by tokens alone. */
export function UnitPrices({ units, currency }: { units: Units; currency: string }) {
  const priced = Object.entries(units ?? {});
  if (priced.length === 0) return <None />;
  return priced.map(([name, micro]) => (
    <span key={name} className="block">
      <Money micro={micro} currency={currency} />{" "}
      <span className="text-[0.85rem] text-ink-soft">{OF_ONE[name] ?? name}</span>
    </span>
  ));
}

/** A price of tokens; null where it is 0 because something else is charged: such a model is not free. */
export function tokenPrice(micro: number, units: Units): number | null {
  return micro === 0 && units !== undefined ? null : micro;
}
