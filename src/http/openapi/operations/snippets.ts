import type { Sample } from "./operation.ts";
import texts from "./snippets.txt" with { type: "text" };

/** Snippets to copy, for curl and the official SDKs, with `{{…}}` in place of settings. In the file each has a line with its call and its language. */

const LANGUAGES: Readonly<Record<string, Pick<Sample, "lang" | "label">>> = {
  curl: { lang: "shell", label: "curl" },
  typescript: { lang: "typescript", label: "TypeScript" },
  python: { lang: "python", label: "Python" },
};

const ALL = texts
  .split(/^=== /m)
  .slice(1)
  .map((text) => {
    const [, call, lang = "", source = ""] = /^(\S+) (\S+)\n(.*)$/s.exec(text.trimEnd()) ?? [];
    const language = LANGUAGES[lang];
    if (language === undefined) throw new Error(`no snippet is in the language ${lang}`);
    return { call, sample: { ...language, source } };
  });

/** The snippets of one call, for curl first. */
export function snippets(call: string): Sample[] {
  const found = ALL.flatMap((each) => (each.call === call ? [each.sample] : []));
  if (found.length === 0) throw new Error(`there is no snippet of ${call}`);
  return found;
}

/** A call without a body, at a path: with the key, or of the `service`, which asks for none. */
export function pathSnippets(kind: "get" | "delete" | "service", path: string): Sample[] {
  return snippets(kind).map((sample) => ({ ...sample, source: sample.source.replace("{{path}}", path) }));
}
