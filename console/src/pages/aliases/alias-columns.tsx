import { Badge, type Tone } from "../../kit/badge.tsx";
import { IconButton } from "../../kit/button.tsx";
import type { Column } from "../../kit/data-table.tsx";
import { Icon } from "../../kit/icon.tsx";
import { FittingName, LongName, ShortenedName } from "../../kit/long-name.tsx";
import { QuietLink } from "../../kit/row-link.tsx";
import { keyName } from "../keys/key-state.ts";
import { modelParams } from "../keys/model-params.ts";
import type { AliasStanding, KeyAlias } from "./all-aliases.ts";

const STANDINGS: Readonly<Record<AliasStanding, readonly [label: string, tone: Tone, hint: string] | null>> = {
  works: null,
  decides: ["decides", "info", "It leads to a decision model: only the decision endpoints accept it."],
  hidden: ["never used", "warn", "A model has this id, and ids take precedence over aliases."],
  missing: ["model missing", "danger", "The model is no longer in the catalog: requests return 404."],
  "not-allowed": ["not allowed", "danger", "The key's model patterns do not allow the model: requests return 404."],
};

export function aliasColumns(
  onEdit: (alias: KeyAlias) => void,
  onRemove: (alias: KeyAlias) => void,
): Column<KeyAlias>[] {
  return [
    {
      key: "alias",
      header: "Alias",
      heading: true,
      sortBy: ({ name }) => name,
      cell: ({ name }) => (
        <span className="inline-flex max-w-full min-w-0 flex-wrap items-center gap-2 cards:pr-18">
          <span className="min-w-0 font-mono text-[0.9rem]">
            <FittingName>{name}</FittingName>
          </span>
          {name.endsWith("*") && <Badge hint="Covers every name with this prefix">prefix</Badge>}
        </span>
      ),
    },
    { key: "model", header: "Leads to", sortBy: ({ model }) => model, cell: (alias) => <Target of={alias} /> },
    {
      key: "key",
      header: "Key",
      sortBy: ({ key }) => keyName(key),
      cell: ({ key }) => (
        <QuietLink to="/keys/$id" params={{ id: key.id }} search={{ tab: "aliases" }}>
          <ShortenedName hint={keyName(key)}>
            <LongName>{keyName(key)}</LongName>
          </ShortenedName>
        </QuietLink>
      ),
    },
    {
      key: "actions",
      header: "Actions",
      hide_header: true,
      className: "text-right cards:absolute cards:top-1.5 cards:right-2",
      cell: (alias) => (
        <span className="inline-flex">
          <IconButton icon="edit" label={`Edit ${alias.name}`} onClick={() => onEdit(alias)} />
          <IconButton icon="trash" label={`Remove ${alias.name}`} onClick={() => onRemove(alias)} />
        </span>
      ),
    },
  ];
}

function Target({ of: { model, standing } }: { of: KeyAlias }) {
  const told = STANDINGS[standing];
  return (
    <span className="inline-flex max-w-full min-w-0 flex-wrap items-center gap-2">
      <span className="inline-flex min-w-0 items-center gap-2">
        <Icon name="arrow-right" className="size-4 text-ink-soft cards:hidden" />
        {standing === "missing" ? (
          <s className="font-mono text-[0.9rem] text-ink-soft">
            <FittingName>{model}</FittingName>
          </s>
        ) : (
          <QuietLink to="/models/$vendor/$name" params={modelParams(model)}>
            <FittingName>{model}</FittingName>
          </QuietLink>
        )}
      </span>
      {told !== null && (
        <Badge tone={told[1]} hint={told[2]}>
          {told[0]}
        </Badge>
      )}
    </span>
  );
}
