import { useParams } from "@tanstack/react-router";
import type { ModelDetail } from "../../../../contract/models.ts";
import { ApiError } from "../../api/api-error.ts";
import { useApi } from "../../api/use-api.ts";
import { Badge } from "../../kit/badge.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Copyable } from "../../kit/copy-button.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { EmptyState, Loaded, Skeleton } from "../../kit/states.tsx";
import { stylesOf } from "../playground/endpoints.ts";
import { ModelFacts } from "./model-facts.tsx";
import { ModelNames } from "./model-names.tsx";
import { ModelPrices } from "./model-prices.tsx";
import { ModelSnippets } from "./model-snippets.tsx";

/** One model: its capabilities, prices and names, and snippets. */
export function ModelPage() {
  const { vendor, name } = useParams({ from: "/signed-in/models/$vendor/$name" });
  const model = useApi("GET /models/{vendor}/{name}", { path: { vendor, name } });
  const id = `${vendor}/${name}`;
  const current = model.data?.id === id ? model.data : undefined;
  const missing = model.error instanceof ApiError && model.error.status === 404;
  return (
    <>
      <PageHeader
        title={current?.display_name ?? id}
        shown_title={current && <ModelTitle model={current} />}
        description={<Copyable value={id} />}
        breadcrumb={[{ label: "Models", to: "/models" }]}
        actions={
          current && (
            <LinkButton
              to="/playground"
              search={{ model: id, style: stylesOf(current)[0]?.id }}
              kind="primary"
              icon="playground"
            >
              Try in playground
            </LinkButton>
          )
        }
      />
      {missing ? (
        <Card flush>
          <EmptyState
            icon="models"
            title="There is no such model"
            action={<LinkButton to="/models">See all models</LinkButton>}
          >
            It may have been removed from the catalog or be misspelled.
          </EmptyState>
        </Card>
      ) : (
        <Loaded query={{ ...model, data: current }} skeleton={<Skeleton className="h-96 rounded-xl" />}>
          {(data) => (
            <div className="space-y-5">
              <div className="grid gap-5 xl:grid-cols-2">
                <ModelFacts model={data} />
                <ModelNames model={data} />
              </div>
              <ModelPrices model={data} />
              <ModelSnippets model={data} />
            </div>
          )}
        </Loaded>
      )}
    </>
  );
}

function ModelTitle({ model }: { model: ModelDetail }) {
  return (
    <>
      {model.display_name}
      <Badge tone={model.kind === "chat" ? "neutral" : "accent"}>{model.kind}</Badge>
    </>
  );
}
