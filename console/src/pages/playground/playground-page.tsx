import type { ComponentType } from "react";
import type { Model } from "../../../../contract/models.ts";
import { useApi } from "../../api/use-api.ts";
import { LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Combobox } from "../../kit/combobox.tsx";
import { formatMoney, formatPrice } from "../../kit/format.ts";
import { Select } from "../../kit/input.tsx";
import { FittingName } from "../../kit/long-name.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { EmptyState, Loaded, Notice, Skeleton } from "../../kit/states.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { useAccount } from "../../kit/use-account.ts";
import { modelParams } from "../models/model-link.tsx";
import { ChatPlayground } from "./chat/chat-playground.tsx";
import { CompareChoice } from "./compare-choice.tsx";
import { comparedModels } from "./compared-models.ts";
import { DecisionPlayground } from "./decisions/decision-playground.tsx";
import { EmbeddingPlayground } from "./embeddings/embedding-playground.tsx";
import { isChat, isShape, STYLES, type StyleInfo, stylesOf, type Task } from "./endpoints.ts";
import { ImagePlayground } from "./images/image-playground.tsx";
import type { OnceProps } from "./once/call-playground.tsx";
import { RerankPlayground } from "./rerank/rerank-playground.tsx";
import { SpeechPlayground } from "./speech/speech-playground.tsx";

const TASKS: Readonly<Record<Task, ComponentType<OnceProps>>> = {
  images: ImagePlayground,
  speech: SpeechPlayground,
  embeddings: EmbeddingPlayground,
  rerank: RerankPlayground,
};

/** Real requests from the browser: conversations in three styles, decisions in two, and what else models do. */
export function PlaygroundPage() {
  const models = useApi("GET /models", { query: { kind: "all", unlisted: "show" } });
  return (
    <>
      <PageHeader
        title="Playground"
        guide="console#playground"
        description="Real requests to the public endpoints, charged to this account like any other."
      />
      <Loaded query={models} skeleton={<Skeleton className="h-96 rounded-xl" />}>
        {({ data, currency }) => (
          <Playground models={data.filter((model) => stylesOf(model).length > 0)} currency={currency} />
        )}
      </Loaded>
    </>
  );
}

function Playground({ models, currency }: { models: readonly Model[]; currency: string }) {
  const account = useAccount();
  const [search, setSearch] = useUrlState("model", "style", "compare");
  const asked = models.find(({ id }) => id === search.model);
  const model = asked ?? firstOf(models, search.style);
  if (model === undefined) return <NoModels />;
  const styles = stylesOf(model);
  const style = styles.find(({ id }) => id === search.style) ?? styles[0] ?? STYLES.chat;
  const others = isChat(style.id) ? comparedModels(models, model, search.compare) : [];
  const setModels = ([first = model.id, ...rest]: readonly string[]) =>
    setSearch({ model: first, style: style.id, compare: rest.join(",") || undefined });
  const choice = (
    <>
      <Choice
        {...{ models, currency, model, styles }}
        style={style}
        onChange={(changes) => setSearch({ model: model.id, style: style.id, ...changes })}
      />
      {isChat(style.id) && (
        <CompareChoice {...{ models, model, others }} onChange={(ids) => setModels([model.id, ...ids])} />
      )}
    </>
  );
  return (
    <div className="space-y-5">
      {search.model !== undefined && asked === undefined && (
        <Notice tone="warn">
          There is no model “{search.model}” in the catalog. {model.id} is selected instead.
        </Notice>
      )}
      {isChat(style.id) ? (
        <ChatPlayground
          key={account}
          {...{ account, model, others, choice }}
          style={style.id}
          onModels={setModels}
          onPrompt={(content) => {
            const chosen = models.find(({ id }) => id === content.model) ?? model;
            setSearch({ model: chosen.id, style: content.style ?? style.id });
          }}
        />
      ) : isShape(style.id) ? (
        <DecisionPlayground key={account} account={account} model={model} shape={style.id} choice={choice} />
      ) : (
        <TaskPlayground key={account} account={account} model={model} task={style.id} choice={choice} />
      )}
    </div>
  );
}

function TaskPlayground({ task, ...props }: OnceProps & { readonly task: Task }) {
  const Shown = TASKS[task];
  return <Shown {...props} />;
}

/** The first model that answers in the style of the address, else the first chat model. */
function firstOf(models: readonly Model[], style: string | undefined): Model | undefined {
  const listed = models.filter(({ unlisted }) => unlisted === undefined);
  return (
    listed.find((model) => stylesOf(model).some(({ id }) => id === style)) ??
    listed.find(({ kind }) => kind === "chat") ??
    listed[0]
  );
}

const NOTES: Readonly<Record<Model["kind"], string>> = {
  ...{ chat: "", decision: "decides", embedding: "embeds", rerank: "ranks", moderation: "judges" },
  ...{ speech: "speaks", image: "draws", transcription: "listens" },
};

const UNITS = [
  ["images", "an image"],
  ["input_characters", "per million characters"],
  ["searches", "per thousand searches"],
] as const;

/** What a request costs first of all: its unit where the model has one, or a million tokens of input. */
function priceWords({ units_micro, input_micro_per_mtok }: Model["price"], currency: string): string {
  for (const [name, words] of UNITS) {
    const micro = units_micro?.[name];
    if (micro !== undefined) return `${formatMoney(micro, currency)} ${words}`;
  }
  return formatPrice(input_micro_per_mtok, currency);
}

function Choice({
  models,
  currency,
  model,
  styles,
  style,
  onChange,
}: {
  models: readonly Model[];
  currency: string;
  model: Model;
  styles: readonly StyleInfo[];
  style: StyleInfo;
  onChange: (changes: { model?: string; style?: string }) => void;
}) {
  const options = models
    .filter(({ id, unlisted }) => unlisted === undefined || id === model.id)
    .map(({ id, kind, price }) => ({
      value: id,
      label: id,
      note: [NOTES[kind], priceWords(price, currency)].filter(Boolean).join(", "),
    }));
  return (
    <div className="grid gap-4 sm:max-lg:grid-cols-[3fr_2fr]">
      <Combobox
        label="Model"
        options={options}
        value={model.id}
        onChange={(id) => onChange({ model: id })}
        help={
          <TextLink to="/models/$vendor/$name" params={modelParams(model.id)}>
            What it can do and costs
          </TextLink>
        }
      />
      <Select
        label="Endpoint"
        options={styles.map(({ id, label }) => ({ value: id, label }))}
        value={style.id}
        help={
          <code className="font-mono">
            POST <FittingName>{style.path}</FittingName>
          </code>
        }
        onChange={(typed) => onChange({ style: typed })}
      />
    </div>
  );
}

function NoModels() {
  return (
    <Card flush>
      <EmptyState
        icon="models"
        title="There are no models yet"
        action={<LinkButton to="/models">See the catalog</LinkButton>}
      >
        As soon as a vendor is set up, its models can be tried here.
      </EmptyState>
    </Card>
  );
}
