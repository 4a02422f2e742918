import type { Key } from "../../../../contract/keys.ts";
import { Snippets } from "../../kit/code-block.tsx";
import { Notice, SkeletonRows } from "../../kit/states.tsx";
import { keySnippets, snippetModel } from "./snippets.ts";
import { useModels } from "./use-models.ts";

/** How to make a first call with a key. `secret` is the key itself, or a placeholder. */
export function KeySnippets({ for_key, secret }: { for_key: Pick<Key, "aliases" | "models">; secret: string }) {
  const { models } = useModels();
  if (models.length === 0) return <SkeletonRows rows={3} />;
  const asked = snippetModel(for_key, models);
  if (asked === null)
    return <Notice tone="warn">The key's model patterns allow no model of the catalog: it can call nothing.</Notice>;
  return <Snippets label="A first call" snippets={keySnippets({ origin: location.origin, key: secret, ...asked })} />;
}
