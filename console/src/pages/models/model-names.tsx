import type { Key } from "../../../../contract/keys.ts";
import type { ModelDetail } from "../../../../contract/models.ts";
import { useApi } from "../../api/use-api.ts";
import { Badge } from "../../kit/badge.tsx";
import { Card } from "../../kit/card.tsx";
import { Copyable } from "../../kit/copy-button.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { Loaded } from "../../kit/states.tsx";
import { useAccount } from "../../kit/use-account.ts";

interface NameOfKey {
  readonly name: string;
  readonly key: Key;
}

/** The names by which the account's keys call the model: its id, the gateway's aliases, and some keys' own. */
export function ModelNames({ model }: { model: ModelDetail }) {
  const account = useAccount();
  // The models behind its aliases are among the words of a key, too.
  const keys = useApi("GET /keys", { query: { account, q: model.id.slice(0, 200), limit: "100" } });
  return (
    <Card title="Names" description="What to write as “model” in a request.">
      <div className="space-y-4">
        <p className="flex flex-wrap items-center gap-2">
          <Copyable value={model.id} />
          <span className="text-ink-soft">with every key that allows it</span>
        </p>
        <Loaded query={keys}>
          {({ data, has_more = false }) => (
            <>
              <Aliases names={namesOf(model.id, data)} of_gateway={model.gateway_aliases} />
              {has_more && <p className="text-ink-soft">These are the names of the newest 100 keys that have one.</p>}
            </>
          )}
        </Loaded>
      </div>
    </Card>
  );
}

function namesOf(model: string, keys: readonly Key[]): NameOfKey[] {
  return keys
    .filter(({ playground, status }) => !playground && status !== "revoked")
    .flatMap((key) => [
      ...key.aliases.filter((alias) => alias.model === model).map(({ name }) => ({ name, key })),
      ...key.prefix_aliases.filter((alias) => alias.model === model).map(({ prefix }) => ({ name: `${prefix}*`, key })),
    ]);
}

function Aliases({ names, of_gateway }: { names: readonly NameOfKey[]; of_gateway: readonly string[] }) {
  if (names.length + of_gateway.length === 0) {
    return (
      <p className="text-ink-soft">
        No alias leads here. A key's <TextLink to="/aliases">aliases</TextLink> let programs call this model by another
        name.
      </p>
    );
  }
  return (
    <ul className="divide-y divide-line">
      {of_gateway.map((name) => (
        <li key={name} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
          <Copyable value={name} />
          <span className="text-[0.9rem] text-ink-soft">every key</span>
        </li>
      ))}
      {names.map(({ name, key }) => (
        <li key={`${key.id} ${name}`} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
          <Copyable value={name} />
          <span className="flex items-center gap-2 text-[0.9rem] text-ink-soft">
            {key.status !== "active" && <Badge tone="warn">{key.status}</Badge>}
            <TextLink to="/keys/$id" params={{ id: key.id }}>
              {key.name || `…${key.hint}`}
            </TextLink>
          </span>
        </li>
      ))}
    </ul>
  );
}
