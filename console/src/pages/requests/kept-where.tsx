import type { ContentSwitches } from "../../../../contract/contents.ts";
import { messageOf } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { Card } from "../../kit/card.tsx";
import { Notice } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";
import { Switch } from "../../kit/toggle.tsx";
import { formatBytes } from "../admin-parts/format-bytes.ts";

/** Where what was said is kept, for how long, and what may be done with it. */
export function KeptWhere({ of: switches, may_switch }: { of: ContentSwitches; may_switch: boolean }) {
  const { account, content_log, words, keep_s, most_bytes, mask } = switches;
  const change = useChange("PUT /contents/switches", ["GET /contents/switches", "GET /contents"]);
  const set = (body: { content_log: boolean; words?: boolean }, said: string) =>
    change.mutate({ body: { account, ...body } }, { onSuccess: () => toast(said) });
  const is_on = content_log === true;
  const apart = apartOf(switches);
  return (
    <Card title="Where it is kept">
      <div className="space-y-3">
        <Switch
          label="Keep what is said in this account"
          help={`Encrypted, for ${Math.round(keep_s / 86_400)} days and at most ${formatBytes(most_bytes)} of all accounts. ${mask.length === 0 ? "Nothing is masked." : `Masked: ${mask.join(", ")}.`}`}
          checked={is_on}
          disabled={!may_switch || change.isPending}
          onChange={(checked) =>
            set({ content_log: checked }, checked ? "What is said is kept from now on" : "Nothing more is kept")
          }
        />
        <Switch
          label="Let it be searched for words"
          help="A search opens what was said, and is in the audit log."
          checked={words}
          disabled={!may_switch || change.isPending || content_log === null}
          onChange={(checked) =>
            set({ content_log: is_on, words: checked }, checked ? "It may be searched" : "It may not be searched")
          }
        />
        {apart !== "" && <p className="text-[0.88rem] text-ink-soft [overflow-wrap:anywhere]">{apart}</p>}
        {change.error && <Notice tone="danger">{messageOf(change.error)}</Notice>}
      </div>
    </Card>
  );
}

/** The projects and keys of which something else is said. */
function apartOf({ projects, keys }: ContentSwitches): string {
  const named = (kind: string, all: ContentSwitches["keys"]) =>
    all.map(({ id, name, content_log }) => `${kind} ${name || id} ${content_log ? "on" : "off"}`);
  const all = [...named("project", projects), ...named("key", keys)];
  return all.length === 0 ? "" : `Apart from it: ${all.join(", ")}.`;
}
