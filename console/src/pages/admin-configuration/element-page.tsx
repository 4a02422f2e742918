import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { Element, ElementAction } from "../../../../contract/configuration.ts";
import type { ElementValue } from "../../../../contract/configuration-values.ts";
import { ApiError, messageOf } from "../../api/api-error.ts";
import { useApi } from "../../api/use-api.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { CodeBlock } from "../../kit/code-block.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { FittingName } from "../../kit/long-name.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { EmptyState, ErrorState, Notice, SkeletonRows } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { ChangePreview } from "./change-preview.tsx";
import { OriginBadge, StatusOf } from "./element-badges.tsx";
import { ElementEditor } from "./element-editor.tsx";
import { ElementHistory } from "./element-history.tsx";
import { ACTIONS, isKind, kindWords, questionOf, titleOf } from "./element-words.ts";
import { type ElementChanging, useElementChange } from "./use-element-change.ts";
import { laterPrice, objectOf, pricesOf, withField, writtenPrices } from "./value.ts";

/** One element: its value, the values in force, its changes. Elements of the file and the catalogue are read-only. */
export function ElementPage() {
  const { kind, id } = useParams({ from: "/signed-in/admin/admin/configuration/$kind/$id" });
  if (!isKind(kind)) return <NoSuchElement id={id} />;
  return <KnownKind key={`${kind} ${id}`} kind={kind} id={id} />;
}

function KnownKind({ kind, id }: { kind: Element["kind"]; id: string }) {
  const element = useApi("GET /configuration/elements/{kind}/{id}", { path: { kind, id } });
  if (element.data?.id === id && element.data.kind === kind)
    return <Shown key={element.data.version} element={element.data} />;
  if (element.error instanceof ApiError && element.error.status === 404) return <NoSuchElement id={id} />;
  if (element.error) return <ErrorState error={element.error} onRetry={() => element.refetch()} />;
  return <SkeletonRows rows={8} />;
}

function NoSuchElement({ id }: { id: string }) {
  return (
    <EmptyState
      icon="search"
      title="There is no such element"
      action={<LinkButton to="/admin/configuration">The configuration</LinkButton>}
    >
      The configuration has nothing named “{id}”.
    </EmptyState>
  );
}

/**
 * The value that the form begins with; null where there is no form. What the file or the catalog has is changed by its form only where an address
 * leads to a part of a model: elsewhere it is taken over first. With `later`, the form begins with a price from the first of next month.
 */
function edited(
  { kind, origin, value, effective }: Element,
  part: string | undefined,
  later: boolean,
): ElementValue | null {
  if (value === null) return null;
  const fields = objectOf(value);
  if (origin !== "console" && (kind !== "model" || part === undefined || "decide_with" in fields)) return null;
  if (!later || kind !== "model") return value;
  const own = pricesOf(fields.price);
  const prices = own.length > 0 ? own : pricesOf(objectOf(effective).price);
  return withField(fields, "price", writtenPrices([...prices, laterPrice(prices, Date.now())])) as ElementValue;
}

function Shown({ element }: { element: Element }) {
  const { kind, id, name, origin, version } = element;
  const navigate = useNavigate();
  const changing = useElementChange(kind, id, (action) => {
    if (action === "delete") void navigate({ to: "/admin/configuration", search: { kind } });
  });
  const title = titleOf(kind, id);
  const { heading } = kindWords(kind);
  const [{ part, later }] = useUrlState("part", "later");
  const [editing] = useState(() => edited(element, part, later !== undefined));
  return (
    <>
      <PageHeader
        title={title}
        shown_title={
          <>
            <FittingName>{title}</FittingName>
            <OriginBadge origin={origin} />
            <StatusOf element={element} />
          </>
        }
        description={name !== null && name !== id ? name : undefined}
        breadcrumb={[{ label: heading, to: "/admin/configuration", search: { kind } }]}
        actions={<Actions element={element} changing={changing} />}
      />
      <div className="space-y-5">
        {element.problem !== null && <Notice tone="danger">{element.problem}</Notice>}
        {changing.refused && changing.wanted?.action !== "put" && (
          <Notice tone="danger">{messageOf(changing.refused)}</Notice>
        )}
        {editing !== null ? (
          <Card
            className="max-w-5xl"
            title={`Its ${kind === "alias" ? "target" : "fields"}`}
            description="Leave a field empty for the default, shown in gray."
          >
            <ElementEditor
              key={version}
              kind={kind}
              id={id}
              initial={editing}
              taken_from={origin === "console" ? null : origin}
              effective={element.effective}
              changing={changing}
            />
          </Card>
        ) : (
          <Card
            title="Current values"
            description={
              element.status === "deleted"
                ? "It is deleted: an earlier version can be taken back."
                : `${origin === "file" ? "The configuration file" : "Camino"} says so. Take it over to change it here; the file stays as it is.`
            }
          >
            {element.effective !== null && (
              <CodeBlock label="Current values" code={JSON.stringify(element.effective, null, 2)} />
            )}
          </Card>
        )}
        <ElementHistory key={`history ${version}`} kind={kind} id={id} newest={version} changing={changing} />
      </div>
      <ActionDialog kind={kind} id={id} changing={changing} />
    </>
  );
}

/** The changes that an element can go through besides its form. */
function actionsOf({ origin, status, overrides, kind }: Element): ElementAction[] {
  if (status === "deleted") return [];
  if (origin !== "console") return ["take-over"];
  const retire: ElementAction[] = kind === "model" ? [status === "retired" ? "reinstate" : "retire"] : [];
  return [...retire, overrides === null ? "delete" : "give-back"];
}

function Actions({ element, changing }: { element: Element; changing: ElementChanging }) {
  return (
    <>
      {actionsOf(element).map((action) => (
        <Button
          key={action}
          kind={action === "take-over" ? "primary" : "secondary"}
          busy={changing.looking && changing.wanted?.action === action}
          onClick={() => changing.look({ action })}
        >
          {ACTIONS[action].verb}
        </Button>
      ))}
    </>
  );
}

/** The preview of an action; the form shows its own preview in its place. */
function ActionDialog({ kind, id, changing }: { kind: Element["kind"]; id: string; changing: ElementChanging }) {
  const [shown, setShown] = useState("");
  const { wanted, previewed, forget } = changing;
  const open = wanted !== null && wanted.action !== "put" && previewed !== undefined;
  const next = wanted === null ? "" : questionOf(wanted, kind, id);
  if (open && shown !== next) setShown(next);
  return (
    <Dialog open={open} onClose={forget} title={shown} wide>
      {open && <ChangePreview changing={changing} back="Cancel" />}
    </Dialog>
  );
}
