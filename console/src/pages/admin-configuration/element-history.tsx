import type { ElementVersion } from "../../../../contract/configuration.ts";
import type { ElementKind } from "../../../../contract/configuration-values.ts";
import { useApi } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { FittingName } from "../../kit/long-name.tsx";
import { Time } from "../../kit/values.tsx";
import { ACTIONS } from "./element-words.ts";
import type { ElementChanging } from "./use-element-change.ts";

/** The versions of an element, newest first, each of which can be taken back. */
export function ElementHistory({
  kind,
  id,
  newest,
  changing,
}: {
  kind: ElementKind;
  id: string;
  newest: number;
  changing: ElementChanging;
}) {
  const history = useApi(
    "GET /configuration/elements/{kind}/{id}/history",
    { path: { kind, id } },
    { enabled: newest > 0 },
  );
  const versions = history.data?.data ?? [];
  if (newest === 0 || versions.length === 0) return null;
  const columns: Column<ElementVersion>[] = [
    {
      key: "version",
      header: "Version",
      heading: true,
      // As the head of a card, a number alone says nothing.
      cell: ({ version }) => <span className="cards:before:content-['Version_']">{version}</span>,
    },
    { key: "action", header: "Change", cell: wordsOf },
    { key: "by", header: "By", cell: ({ changed_by }) => <FittingName>{changed_by}</FittingName> },
    { key: "at", header: "When", cell: ({ changed_at }) => <Time clock at={changed_at} /> },
    {
      key: "back",
      header: "Take back",
      hide_header: true,
      cell: ({ version }) =>
        version === newest ? (
          <span className="text-ink-soft">newest</span>
        ) : (
          <Button
            size="small"
            busy={changing.looking && changing.wanted?.to === version}
            onClick={() => changing.look({ action: "take-back", to: version })}
          >
            Take version {version} back
          </Button>
        ),
    },
  ];
  return (
    <Card title="History" flush>
      <DataTable
        caption="History"
        columns={columns}
        rows={versions}
        file={{ name: "history" }}
        rowKey={({ version }) => String(version)}
        first_rows={20}
      />
    </Card>
  );
}

/** The change that made a version. What is in the file or the catalogue begins by being taken over. */
function wordsOf({ action, version }: ElementVersion): string {
  if (action === "put") return version === 1 ? "Created" : "Changed";
  return Object.hasOwn(ACTIONS, action) ? ACTIONS[action as keyof typeof ACTIONS].verb : action;
}
