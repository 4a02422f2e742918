import type { ElementList, ElementSummary } from "../../../../contract/configuration.ts";
import { useApi } from "../../api/use-api.ts";
import { Badge } from "../../kit/badge.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { FilterBar, FilterSelect, FilterText } from "../../kit/filter-bar.tsx";
import { FixtureSwitch, useWithoutFixtures } from "../../kit/fixtures.tsx";
import { formatCount } from "../../kit/format.ts";
import { FittingName } from "../../kit/long-name.tsx";
import { optionsOf } from "../../kit/options.ts";
import { PageHeader } from "../../kit/page-header.tsx";
import { RowLink, TextLink } from "../../kit/row-link.tsx";
import { EmptyState, Loaded, Notice } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { None, Time } from "../../kit/values.tsx";
import { OriginBadge, StatusOf } from "./element-badges.tsx";
import { isKind, isOrigin, kindWords, titleOf } from "./element-words.ts";

/** How many elements are read at a time: more than most configurations have of a kind. */
const MOST = "1000";

/** The elements of the configuration, by kind, with where each comes from. */
export function ElementsPage() {
  const [{ kind: chosen, q, origin }] = useUrlState("kind", "q", "origin");
  const kind = isKind(chosen) ? chosen : "model";
  const { one, heading, about } = kindWords(kind);
  const query = {
    kind,
    limit: MOST,
    ...(q !== undefined && { search: q }),
    ...(isOrigin(origin) && { origin }),
  };
  const elements = useApi("GET /configuration/elements", { query });
  return (
    <>
      <PageHeader
        title={heading}
        guide="configuration#configuration-in-the-database"
        description={`${about} Changes take effect on every node within seconds, without a restart.`}
        actions={
          kind !== "limits" && (
            <LinkButton kind="primary" icon="plus" {...wayToNew(kind)} search={{}}>
              {`New ${one}`}
            </LinkButton>
          )
        }
      />
      <FilterBar names={["q", "origin"]}>
        <FilterText name="q" label="Id or name" />
        <FilterSelect
          name="origin"
          label="From"
          all="Anywhere"
          options={optionsOf({ console: "Console", file: "File", bundled: "Bundled" })}
        />
      </FilterBar>
      <Loaded query={elements}>
        {(list) => <Found list={list} one={one} is_filtered={(q ?? origin) !== undefined} />}
      </Loaded>
    </>
  );
}

/** Where an element is made: a vendor with its credential and its models at once. */
function wayToNew(kind: string) {
  if (kind === "vendor") return { to: "/admin/vendors/new" } as const;
  return { to: "/admin/configuration/$kind/new", params: { kind } } as const;
}

const COLUMNS: readonly Column<ElementSummary>[] = [
  {
    key: "id",
    header: "Id",
    heading: true,
    sortBy: ({ id }) => id,
    cell: ({ kind, id, name }) => (
      <span className="flex min-w-0 flex-col text-left">
        <RowLink to="/admin/configuration/$kind/$id" params={{ kind, id }} search={{}}>
          <FittingName>{titleOf(kind, id)}</FittingName>
        </RowLink>
        {name !== null && name !== id && <span className="font-normal break-words text-ink-soft">{name}</span>}
      </span>
    ),
  },
  {
    key: "origin",
    header: "From",
    sortBy: ({ origin }) => origin,
    cell: ({ origin, overrides }) => (
      <span className="flex flex-wrap gap-1.5">
        <OriginBadge origin={origin} />
        {overrides !== null && (
          <Badge hint={`The ${overrides === "file" ? "file" : "catalog"} has one of this id too`}>taken over</Badge>
        )}
      </span>
    ),
  },
  {
    key: "status",
    header: "Status",
    sortBy: ({ status }) => status,
    cell: (element) => <StatusOf element={element} />,
  },
  {
    key: "changed",
    header: "Changed",
    wide_only: true,
    sortBy: ({ changed }) => changed?.changed_at ?? null,
    cell: ({ changed }) =>
      changed === null ? (
        <None />
      ) : (
        <span>
          <Time at={changed.changed_at} /> <span className="text-ink-soft">by {changed.changed_by}</span>
        </span>
      ),
  },
];

function Found({
  list: { data: all, total, left_out, file, catalog },
  one,
  is_filtered,
}: {
  list: ElementList;
  one: string;
  is_filtered: boolean;
}) {
  const { shown: data, hidden } = useWithoutFixtures()(all);
  return (
    <div className="space-y-4">
      {left_out > 0 && (
        <Notice tone="warn">
          {left_out === 1 ? "One element" : `${formatCount(left_out)} elements`} of the console cannot be used with the
          rest of the configuration. Look for the status “left out”.
        </Notice>
      )}
      <Card flush>
        {data.length === 0 ? (
          <EmptyState icon="search" title={is_filtered ? "Nothing matches" : `No ${one} yet`}>
            {is_filtered ? "Clear the filters to see all." : "Create one, or name it in the configuration file."}
          </EmptyState>
        ) : (
          <DataTable
            caption="Elements of the configuration"
            columns={COLUMNS}
            rows={data}
            file={{ name: "configuration" }}
            rowKey={({ kind, id }) => `${kind} ${id}`}
            sort_param="sort"
            initial_sort="id"
            first_rows={100}
          />
        )}
      </Card>
      <FixtureSwitch count={hidden} />
      <p className="text-[0.88rem] text-ink-soft">
        {all.length < total && `${formatCount(all.length)} of ${formatCount(total)} are shown: search for others. `}
        {file === null ? "There is no configuration file." : `The file is ${file}.`}
        {catalog === "none" && " The bundled catalog is not offered automatically."}{" "}
        <TextLink to="/admin/configuration/export" search={{}}>
          All of it as a file
        </TextLink>
      </p>
    </div>
  );
}
