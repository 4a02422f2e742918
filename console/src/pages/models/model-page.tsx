import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { ModelDetail } from "../../../../contract/models.ts";
import { ApiError } from "../../api/api-error.ts";
import { useApi } from "../../api/use-api.ts";
import { Badge } from "../../kit/badge.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Snippets } from "../../kit/code-block.tsx";
import { Copyable } from "../../kit/copy-button.tsx";
import { Select } from "../../kit/input.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { EmptyState, Loaded, Skeleton } from "../../kit/states.tsx";
import { keySnippets } from "../keys/snippets.ts";
import type { Json } from "../playground/code/literals.ts";
import { requestSnippets } from "../playground/code/snippets.ts";
import { STYLES, type Style, stylesOf } from "../playground/endpoints.ts";
import { ModelFacts } from "./model-facts.tsx";
import { ModelNames } from "./model-names.tsx";
import { ModelPrices } from "./model-prices.tsx";

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

/** A first request to this model, in each language, and in each style where it has several. */
function ModelSnippets({ model }: { model: ModelDetail }) {
  return stylesOf(model).length === 0 ? <PlainSnippets model={model} /> : <StyleSnippets model={model} />;
}

function PlainSnippets({ model: { id, kind } }: { model: ModelDetail }) {
  const snippets = keySnippets({ origin: location.origin, key: "$CAMINO_API_KEY", model: id, kind });
  return (
    <Card title="Call it" description={<KeyHint />}>
      <Snippets label="Language" snippets={snippets} />
    </Card>
  );
}

function KeyHint() {
  return (
    <>
      With a key in CAMINO_API_KEY. <TextLink to="/keys/new">Create a key</TextLink>
    </>
  );
}

function StyleSnippets({ model }: { model: ModelDetail }) {
  const styles = stylesOf(model);
  const [chosen, setChosen] = useState<Style | undefined>(styles[0]?.id);
  const style = styles.find(({ id }) => id === chosen) ?? styles[0] ?? STYLES.chat;
  const body = exampleBody(style.id, model.id);
  return (
    <Card
      title="Call it"
      description={<KeyHint />}
      actions={
        <Select
          label="Endpoint"
          hide_label
          options={styles.map(({ id, label }) => ({ value: id, label }))}
          value={style.id}
          onChange={(typed) => setChosen(typed as Style)}
        />
      }
    >
      <Snippets
        key={style.id}
        label="Language"
        snippets={requestSnippets({ style: style.id, body, origin: location.origin })}
      />
    </Card>
  );
}

/** The smallest request of each style that shows the style's use. */
function exampleBody(style: Style, model: string): { [name: string]: Json } {
  const instructions = "Is the customer asking for a refund?";
  switch (style) {
    case "chat":
      return { model, messages: [{ role: "user", content: "Hello!" }], stream: true };
    case "responses":
      return { model, input: "Hello!", stream: true };
    case "messages":
      return { model, max_tokens: 1024, messages: [{ role: "user", content: "Hello!" }], stream: true };
    case "decisions":
      return {
        model,
        input: "My parcel never arrived. I want my money back.",
        questions: [{ type: "predicate", name: "refund", instructions }],
      };
    case "systemone":
      return {
        model,
        state: "My parcel never arrived. I want my money back.",
        questions: { refund: { type: "noul", instructions } },
      };
    case "images":
      return { model, prompt: "A lighthouse by the sea, as a woodcut" };
    case "speech":
      return { model, input: "The trains leave every hour.", voice: "coral", response_format: "wav" };
    case "embeddings":
      return { model, input: ["The first text.", "The second one."] };
    case "rerank":
      return { model, query: "When do trains leave?", documents: ["Trains leave hourly.", "Cats sleep."] };
  }
}
