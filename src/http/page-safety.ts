import type { ServerAnswer } from "../wire/server/server-answer.ts";
import { headerLines } from "./answer-lines.ts";

/** Headers that keep a page of this gateway from other pages and from the browser's devices. Each page adds its content policy. */
export const PAGE_SAFETY: Readonly<Record<string, string>> = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** A sentence in place of a page. `headers` are its others. */
export function textAnswer(status: number, words: string, headers: Readonly<Record<string, string>>): ServerAnswer {
  const allow = status === 405 ? { allow: "GET, HEAD" } : {};
  const own = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  return { status, headers: headerLines({ ...headers, ...allow, ...own }), body: `${words}\n` };
}
