import type { Model } from "../../../../contract/models.ts";
import { useUrlState } from "../../kit/url-state.ts";

export const MOST_COMPARED = 4;

/** The models that are compared, kept in the address: `?compare=a/x,b/y`. */
export interface Comparison {
  readonly models: readonly Model[];
  readonly full: boolean;
  has(id: string): boolean;
  toggle(id: string): void;
  clear(): void;
}

export function useComparison(all: readonly Model[]): Comparison {
  const [{ compare }, setSearch] = useUrlState("compare");
  const ids = (compare ?? "").split(",").filter(Boolean).slice(0, MOST_COMPARED);
  const models = ids.flatMap((id) => all.find((model) => model.id === id) ?? []);
  return {
    models,
    full: models.length >= MOST_COMPARED,
    has: (id) => ids.includes(id),
    toggle: (id) =>
      setSearch({ compare: (ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id]).join() }),
    clear: () => setSearch({ compare: undefined }),
  };
}
