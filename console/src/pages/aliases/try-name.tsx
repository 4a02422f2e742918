import { Card } from "../../kit/card.tsx";
import { Combobox } from "../../kit/combobox.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { ResolveBox } from "../keys/resolve-box.tsx";
import { useKeyChoice } from "../keys/use-key-choice.ts";

/** Which model answers when a program sends a name with a key. `first`: the key that is tried where none is chosen. */
export function TryName({ account, first }: { account: string; first: string }) {
  const [{ name = "", with: chosen }, setSearch] = useUrlState("name", "with");
  const key = chosen ?? first;
  const choice = useKeyChoice({ account, value: key });
  if (key === "") return null;
  return (
    <Card title="Try a name">
      <div className="space-y-3">
        <Combobox
          label="With the key"
          placeholder="Find a key"
          {...choice}
          value={key}
          onChange={(value) => setSearch({ with: value })}
        />
        <ResolveBox subject={{ key }} name={name} onName={(typed) => setSearch({ name: typed })} />
      </div>
    </Card>
  );
}
