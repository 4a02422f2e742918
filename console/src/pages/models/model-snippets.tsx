import { useState } from "react";
import type { ModelDetail } from "../../../../contract/models.ts";
import { Card } from "../../kit/card.tsx";
import { Snippets } from "../../kit/code-block.tsx";
import { Select } from "../../kit/input.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { keySnippets } from "../keys/snippets.ts";
import { requestSnippets } from "../playground/code/snippets.ts";
import { STYLES, type Style, stylesOf } from "../playground/endpoints.ts";
import { exampleBody } from "./example-body.ts";

/** A first request to this model, in each language, and in each style where it has several. */
export function ModelSnippets({ model }: { model: ModelDetail }) {
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
          onChange={(event) => setChosen(event.target.value as Style)}
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
