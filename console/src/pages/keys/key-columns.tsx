import type { BudgetList } from "../../../../contract/budgets.ts";
import type { Key } from "../../../../contract/keys.ts";
import { tagTexts } from "../../../../contract/tag-rules.ts";
import { Badge, StatusBadge } from "../../kit/badge.tsx";
import type { Column } from "../../kit/data-table.tsx";
import { formatCompact, formatCount } from "../../kit/format.ts";
import { FittingName, LongName } from "../../kit/long-name.tsx";
import { optionsOf } from "../../kit/options.ts";
import { RowLink } from "../../kit/row-link.tsx";
import { None, Time } from "../../kit/values.tsx";
import { BudgetMeter } from "./budget-meter.tsx";
import { KeyActions } from "./key-actions.tsx";
import { keyName, keyState, maskedKey } from "./key-state.ts";

/** The states that a list of keys can be filtered by. */
export const STATES = optionsOf({
  active: "Active",
  unused: "Unused for 90 days",
  disabled: "Disabled",
  expired: "Expired",
  revoked: "Revoked",
});

/** The columns of the list of keys. Budgets come from another call; until it has answered, none are shown. */
export function keyColumns(budgets: BudgetList | undefined): Column<Key>[] {
  const uses = new Map(budgets?.data.map((use) => [use.key, use]));
  const share = (key: Key) => {
    const use = uses.get(key.id);
    return use === undefined ? null : use.spent_micro / use.amount_micro;
  };
  return [
    { key: "name", header: "Key", heading: true, sortBy: (key) => keyName(key), cell: (key) => <NameCell of={key} /> },
    {
      key: "status",
      header: "Status",
      sortBy: (key) => keyState(key, Date.now()),
      cell: (key) => <StatusBadge status={keyState(key, Date.now())} />,
    },
    {
      key: "models",
      header: "Models",
      wide_only: true,
      className: "max-xl:hidden",
      cell: (key) => <ModelWords of={key} />,
    },
    {
      key: "aliases",
      header: "Aliases",
      numeric: true,
      sortBy: aliasCount,
      cell: (key) => <AliasesCell of={key} />,
    },
    {
      key: "limits",
      header: "Limits",
      wide_only: true,
      className: "max-xl:hidden",
      cell: (key) => <LimitWords of={key} otherwise="default" />,
    },
    {
      key: "budget",
      header: "Budget",
      sortBy: share,
      cell: (key) => {
        const use = uses.get(key.id);
        return use === undefined ? <None /> : <BudgetMeter short use={use} currency={budgets?.currency ?? ""} />;
      },
    },
    {
      key: "used",
      header: "Last used",
      sortBy: ({ last_used_at }) => last_used_at,
      cell: ({ last_used_at }) => <Time at={last_used_at} />,
    },
    {
      key: "expires",
      header: "Expires",
      sortBy: ({ expires_at }) => expires_at,
      cell: ({ expires_at }) => <Time at={expires_at} />,
    },
    {
      key: "actions",
      header: "Actions",
      hide_header: true,
      className: "cards:absolute cards:top-2 cards:right-2",
      cell: (key) => <KeyActions for_key={key} />,
    },
  ];
}

function NameCell({ of: key }: { of: Key }) {
  return (
    <span className="block min-w-0 cards:pr-10">
      <span className="flex min-w-0 flex-wrap items-center gap-x-2">
        <RowLink to="/keys/$id" params={{ id: key.id }}>
          <LongName>{keyName(key)}</LongName>
        </RowLink>
        {key.playground && (
          <Badge hint="Created by the playground for one user; expires after 12 hours">playground</Badge>
        )}
      </span>
      <span className="block text-[0.8rem] font-normal text-ink-soft">
        <span className="font-mono">{maskedKey(key)}</span>
        {key.project !== null && <span className="break-words"> in {key.project.name}</span>}
        <TagLines tags={key.tags} />
      </span>
    </span>
  );
}

/** How many tags a row of the list shows: the key's page shows all of them. */
const SHOWN_TAGS = 3;

function TagLines({ tags }: { tags: Key["tags"] }) {
  const texts = tagTexts(tags);
  const more = texts.length - SHOWN_TAGS;
  return (
    <>
      {texts.slice(0, SHOWN_TAGS).map((tag) => (
        <span key={tag} className="block font-mono">
          <FittingName>{tag}</FittingName>
        </span>
      ))}
      {more > 0 && <span className="block">and {more} more</span>}
    </>
  );
}

/** The models of a key or a project, in a few words. */
export function ModelWords({ of: { models } }: { of: Pick<Key, "models"> }) {
  if (models === null) return <span className="text-ink-soft">all</span>;
  const [first = ""] = models;
  return (
    <span data-hint={models.join("\n")} className="inline-block max-w-40 truncate align-middle">
      {models.length === 1 ? first : `${formatCount(models.length)} patterns`}
    </span>
  );
}

function aliasCount({ aliases, prefix_aliases }: Key): number {
  return aliases.length + prefix_aliases.length;
}

function AliasesCell({ of: key }: { of: Key }) {
  if (aliasCount(key) === 0) return <None />;
  const names = [...key.aliases.map(({ name }) => name), ...key.prefix_aliases.map(({ prefix }) => `${prefix}*`)];
  return <span data-hint={names.slice(0, 12).join("\n")}>{formatCount(names.length)}</span>;
}

/** The rates of a key or a project, in a few words. */
export function LimitWords({
  of: { rpm, tpm, concurrent, model_limits = [] },
  otherwise,
}: {
  of: Pick<Key, "rpm" | "tpm" | "concurrent" | "model_limits">;
  otherwise: string;
}) {
  const parts = [
    rpm === null ? null : `${formatCompact(rpm)} rpm`,
    tpm === null ? null : `${formatCompact(tpm)} tpm`,
    concurrent === null ? null : `${formatCompact(concurrent)} at once`,
    model_limits.length === 0 ? null : `${formatCount(model_limits.length)} by model`,
  ].filter((part) => part !== null);
  if (parts.length === 0) return <span className="text-ink-soft">{otherwise}</span>;
  return (
    <span className="text-[0.88rem] leading-snug">
      {parts.map((part) => (
        <span key={part} className="block whitespace-nowrap">
          {part}
        </span>
      ))}
    </span>
  );
}
