import type { Key } from "../../../../contract/keys.ts";
import { Card } from "../../kit/card.tsx";
import { Select } from "../../kit/input.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { keyName } from "../keys/key-state.ts";
import { ResolveBox } from "../keys/resolve-box.tsx";

/** Which model answers when a program sends a name with a key. */
export function TryName({ keys }: { keys: readonly Key[] }) {
  const [{ name = "", with: chosen }, setSearch] = useUrlState("name", "with");
  const key = keys.find(({ id }) => id === chosen) ?? keys.find(hasAliases) ?? keys[0];
  if (key === undefined) return null;
  return (
    <Card title="Try a name">
      <div className="space-y-3">
        <Select
          label="With the key"
          options={keys.map((each) => ({ value: each.id, label: keyName(each) }))}
          value={key.id}
          onChange={(event) => setSearch({ with: event.target.value })}
        />
        <ResolveBox subject={{ key: key.id }} name={name} onName={(typed) => setSearch({ name: typed })} />
      </div>
    </Card>
  );
}

function hasAliases({ aliases, prefix_aliases }: Key): boolean {
  return aliases.length + prefix_aliases.length > 0;
}
