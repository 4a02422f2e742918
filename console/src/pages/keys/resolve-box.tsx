import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Resolution } from "../../../../contract/resolve.ts";
import { messageOf } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Input } from "../../kit/input.tsx";
import { FittingName } from "../../kit/long-name.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { Notice } from "../../kit/states.tsx";
import { useSettled } from "../../kit/use-settled.ts";
import { type AliasRow, aliasesOf, completeRows } from "./alias-rows.ts";
import { modelParams } from "./model-params.ts";

/** Shows, while the user types a name, which model the name stands for in requests with the key, and why. */
export function ResolveBox({
  subject,
  name,
  onName,
  label = "What does this name resolve to?",
}: {
  subject: Subject;
  name: string;
  onName: (name: string) => void;
  label?: string;
}) {
  const resolution = useResolution(subject, name);
  const asked = name.trim() !== "";
  return (
    <div className="space-y-3">
      <Input label={label} mono spellCheck={false} placeholder="gpt-5" maxLength={300} value={name} onChange={onName} />
      <div role="status" aria-label="Resolution" className="min-h-16">
        {!asked && <p className="text-[0.88rem] text-ink-soft">Type a model name as a program would send it.</p>}
        {asked && resolution.error && <Notice tone="danger">{messageOf(resolution.error)}</Notice>}
        {asked && resolution.data && <Answer resolution={resolution.data} />}
      </div>
    </div>
  );
}

const RULES: Readonly<Record<Resolution["rule"], readonly [label: string, tone: Tone]>> = {
  id: ["model id", "good"],
  alias: ["alias", "accent"],
  "prefix-alias": ["prefix alias", "accent"],
  "not-allowed": ["not allowed", "danger"],
  "target-missing": ["target missing", "danger"],
  "not-found": ["not found", "danger"],
};

function Answer({ resolution }: { resolution: Resolution }) {
  const { name, rule, via, target, model, explanation } = resolution;
  const [label, tone] = RULES[rule];
  const steps = [name, via === name ? null : via].filter((step) => step !== null);
  return (
    <div className="rounded-lg border border-line bg-sunken px-3.5 py-3">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-mono text-[0.9rem]">
        {steps.map((step) => (
          <span key={step} className="inline-flex min-w-0 items-center gap-2">
            <span className="min-w-0">
              <FittingName>{step}</FittingName>
            </span>
            {(target ?? null) !== null && step !== target && (
              <Icon name="arrow-right" className="size-4 text-ink-soft" />
            )}
          </span>
        ))}
        {model !== null && target !== name && (
          <TextLink to="/models/$vendor/$name" params={modelParams(model.id)}>
            <FittingName>{model.id}</FittingName>
          </TextLink>
        )}
        {model === null && target !== null && target !== name && (
          <s className="text-ink-soft">
            <FittingName>{target}</FittingName>
          </s>
        )}
        <Badge tone={tone} className="font-sans">
          {label}
        </Badge>
      </p>
      <p className="mt-1.5 text-[0.88rem] break-words text-ink-soft">{explanation}</p>
    </div>
  );
}

/** The key with which a name is resolved: a stored key, or a key that is being edited. */
type Subject =
  | { readonly key: string }
  | { readonly aliases: readonly AliasRow[]; readonly models: readonly string[] | null };

/** Resolves a name when typing pauses. */
function useResolution(subject: Subject, name: string) {
  const asked = useSettled(JSON.stringify({ name: name.trim(), ...described(subject) }));
  return useQuery({
    queryKey: ["GET /resolve", asked],
    queryFn: ({ signal }): Promise<Resolution> => ask(JSON.parse(asked) as Question, signal),
    enabled: name.trim() !== "" && (JSON.parse(asked) as Question).name !== "",
    placeholderData: keepPreviousData,
  });
}

type Question = { readonly name: string } & ReturnType<typeof described>;

function described(subject: Subject) {
  if ("key" in subject) return subject;
  const { models } = subject;
  return { ...aliasesOf(completeRows(subject.aliases)), models: models?.length === 0 ? null : models };
}

function ask(question: Question, signal: AbortSignal): Promise<Resolution> {
  if ("key" in question) return call("GET /resolve", { query: question }, signal);
  const { models, ...rest } = question;
  return call("POST /resolve", { body: { ...rest, models: models && [...models] } }, signal);
}
