import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Resolution } from "../../../../contract/resolve.ts";
import { call } from "../../api/call.ts";
import { useSettled } from "../../kit/use-settled.ts";
import { type AliasRow, aliasesOf, completeRows } from "./alias-rows.ts";

/** The key with which a name is resolved: a stored key, or a key that is being edited. */
export type Subject =
  | { readonly key: string }
  | { readonly aliases: readonly AliasRow[]; readonly models: readonly string[] | null };

/** Resolves a name when typing pauses. */
export function useResolution(subject: Subject, name: string) {
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
