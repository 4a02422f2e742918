import { formatCount } from "./format.ts";
import { Switch } from "./toggle.tsx";
import { useUrlState } from "./url-state.ts";

/** A model of a list, or an element of the configuration that is one. */
interface MaybeFixture {
  readonly unlisted?: "fixture" | "demo";
}

/**
 * A list without the simulator's fixtures, of which there are a hundred, until its reader asks for them. `hidden`: how many there are of them. After
 * the first run the simulator answers its demo key alone: its models are in no list then.
 */
export function useWithoutFixtures(): <Each extends MaybeFixture>(
  all: readonly Each[],
) => { shown: Each[]; hidden: number } {
  const [{ fixtures }] = useUrlState("fixtures");
  return (all) => ({
    shown: all.filter(({ unlisted }) => (fixtures === "shown" ? unlisted !== "demo" : unlisted === undefined)),
    hidden: all.filter(({ unlisted }) => unlisted === "fixture").length,
  });
}

/** The choice whether a list has the simulator's fixtures; nothing where there are none. */
export function FixtureSwitch({ count }: { count: number }) {
  const [{ fixtures }, setSearch] = useUrlState("fixtures");
  if (count === 0) return null;
  return (
    <Switch
      label={`Show the simulator's other ${formatCount(count)} models`}
      help="They fail, break off or report odd usage on purpose, to test your programs. They work whether shown or not."
      checked={fixtures === "shown"}
      onChange={(checked) => setSearch({ fixtures: checked ? "shown" : undefined })}
    />
  );
}
