import chatCurl from "../snippets/chat-curl.txt" with { type: "text" };
import chatPython from "../snippets/chat-python.txt" with { type: "text" };
import chatTypeScript from "../snippets/chat-typescript.txt" with { type: "text" };
import countTokensCurl from "../snippets/count-tokens-curl.txt" with { type: "text" };
import decisionsCurl from "../snippets/decisions-curl.txt" with { type: "text" };
import decisionsPython from "../snippets/decisions-python.txt" with { type: "text" };
import decisionsTypeScript from "../snippets/decisions-typescript.txt" with { type: "text" };
import deleteCurl from "../snippets/delete-curl.txt" with { type: "text" };
import getCurl from "../snippets/get-curl.txt" with { type: "text" };
import messagesCurl from "../snippets/messages-curl.txt" with { type: "text" };
import messagesPython from "../snippets/messages-python.txt" with { type: "text" };
import messagesTypeScript from "../snippets/messages-typescript.txt" with { type: "text" };
import responsesCurl from "../snippets/responses-curl.txt" with { type: "text" };
import responsesPython from "../snippets/responses-python.txt" with { type: "text" };
import responsesTypeScript from "../snippets/responses-typescript.txt" with { type: "text" };
import serviceCurl from "../snippets/service-curl.txt" with { type: "text" };
import systemoneCurl from "../snippets/systemone-curl.txt" with { type: "text" };
import type { Sample, SampleSettings } from "./operation.ts";

/** Snippets to copy, for curl and the official SDKs: text files with `{{…}}` in place of settings. */

type Values = Readonly<Record<string, string>>;

const LABELS = { shell: "curl", typescript: "TypeScript", python: "Python" } as const;

function filled(lang: Sample["lang"], template: string, values: Values): Sample {
  const source = template.trimEnd().replace(/\{\{(\w+)\}\}/g, (_placeholder, name: string) => values[name] ?? "");
  return { lang, label: LABELS[lang], source };
}

export function chatSnippets({ base_url, model_a }: SampleSettings): Sample[] {
  const values = { base_url, model: model_a };
  return [
    filled("shell", chatCurl, values),
    filled("typescript", chatTypeScript, values),
    filled("python", chatPython, values),
  ];
}

export function responsesSnippets({ base_url, model_a }: SampleSettings): Sample[] {
  const values = { base_url, model: model_a };
  return [
    filled("shell", responsesCurl, values),
    filled("typescript", responsesTypeScript, values),
    filled("python", responsesPython, values),
  ];
}

export function messagesSnippets({ base_url, model_b }: SampleSettings): Sample[] {
  const values = { base_url, model: model_b };
  return [
    filled("shell", messagesCurl, values),
    filled("typescript", messagesTypeScript, values),
    filled("python", messagesPython, values),
  ];
}

export function countTokensSnippets({ base_url, model_b }: SampleSettings): Sample[] {
  return [filled("shell", countTokensCurl, { base_url, model: model_b })];
}

export function decisionsSnippets({ base_url, model_d }: SampleSettings): Sample[] {
  const values = { base_url, model: model_d };
  return [
    filled("shell", decisionsCurl, values),
    filled("typescript", decisionsTypeScript, values),
    filled("python", decisionsPython, values),
  ];
}

export function systemoneSnippets({ base_url, model_d }: SampleSettings): Sample[] {
  return [filled("shell", systemoneCurl, { base_url, model: model_d })];
}

/** Snippets of a GET with the key. */
export function getSnippets({ base_url }: SampleSettings, path: string): Sample[] {
  return [filled("shell", getCurl, { base_url, path })];
}

export function deleteSnippets({ base_url }: SampleSettings, path: string): Sample[] {
  return [filled("shell", deleteCurl, { base_url, path })];
}

/** Snippets of a GET without a key. */
export function serviceSnippets({ base_url }: SampleSettings, path: string): Sample[] {
  return [filled("shell", serviceCurl, { base_url, path })];
}
